import Measurement
import Store

/// Reads what the figures of a target are made of: notifications one by one where there are few, rollups for long
/// stretches, with the notifications before the first whole second and after the last one.
struct TargetFigures {
  let reader: StoreReader
  let selection: RowSelection
  let depth: RollupThreshold

  /// - Parameters:
  ///   - wanted: what is read of rollups.
  ///   - totals: called at most once, before any row.
  ///   - row: called for each notification that the totals do not speak for.
  func read(
    _ target: TargetRecord, _ wanted: Set<RollupFigure>, totals: (RollupTotals) throws -> Void,
    row: (borrowing SampleRow) throws -> Void
  ) throws {
    let (since, until) = (selection.since, selection.until)
    guard try isLong(target),
      let sum = try reader.rollupTotals(of: target.id, from: since, to: until, figures: wanted)
    else {
      var one = selection
      one.run = target.run
      one.targets = [target.name]
      return try reader.forEachSample(one, row)
    }
    try totals(sum)
    if let since { try reader.forEachSample(of: target.id, plannedFrom: since, to: sum.from, row) }
    try reader.forEachSample(
      of: target.id, plannedFrom: sum.to, to: until ?? WallTime(microseconds: .max), row)
  }

  private func isLong(_ target: TargetRecord) throws -> Bool {
    guard target.counts.planned > depth.rows else { return false }
    guard selection.since != nil || selection.until != nil else { return true }
    return try reader.pointCount(
      of: [target.id], from: selection.since ?? WallTime(microseconds: .min),
      to: selection.until ?? WallTime(microseconds: .max), atMost: depth.rows + 1) > depth.rows
  }
}
