import Measurement
import Store

/// Reads the data for the figures of a target: single notifications where there are few, otherwise rollups, with the
/// notifications before the first whole second and after the last one.
struct TargetFigures {
  let reader: any SampleSource
  let selection: RowSelection
  let depth: RollupThreshold

  /// - Parameters:
  ///   - wanted: the rollup figures to read.
  ///   - totals: called at most once, before any row.
  ///   - row: called for each notification that the totals do not include.
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
      of: target.id, plannedFrom: sum.to, to: until ?? .distantFuture, row)
  }

  /// Whether retention has deleted some of the notifications.
  private func isPruned(_ target: TargetRecord) throws -> Bool {
    let pruned = try reader.pruned()
    guard pruned.samples != nil else { return false }
    let planned = try reader.plannedTimes(of: [target.id], from: selection.since, to: selection.until)
    return planned.map { pruned.hasPruned(samplesFrom: $0.lowerBound) } ?? false
  }

  private func isLong(_ target: TargetRecord) throws -> Bool {
    if try isPruned(target) { return true }
    guard target.counts.planned > depth.rows else { return false }
    guard selection.since != nil || selection.until != nil else { return true }
    return try reader.pointCount(
      of: [target.id], from: selection.since ?? .distantPast,
      to: selection.until ?? .distantFuture, atMost: depth.rows + 1) > depth.rows
  }
}

/// The number of notifications above which reports read rollups instead of single notifications.
struct RollupThreshold: Sendable {
  /// A target with more notifications is read from rollups, as far as they exist.
  var rows = 100_000

  static let standard = RollupThreshold()
  /// No limit: every notification.
  static let exact = RollupThreshold(rows: .max)
}

/// Which run and target the rows of a selection belong to.
struct TargetDirectory {
  struct Entry: Sendable {
    let run: RunRecord
    let target: TargetRecord
  }

  /// The entries in the order of the rows: by run, then by name.
  let entries: [Entry]
  private let byID: [TargetID: Entry]

  init(_ reader: any SampleSource, _ selection: RowSelection) throws {
    var entries: [Entry] = []
    for run in try selection.runs(in: reader) {
      for target in try reader.targets(of: run.id) where selection.targets?.contains(target.name) ?? true {
        entries.append(Entry(run: run, target: target))
      }
    }
    self.entries = entries
    byID = Dictionary(entries.map { ($0.target.id, $0) }) { first, _ in first }
  }

  func entry(for id: TargetID) throws -> Entry {
    guard let entry = byID[id] else { throw Self.vanished }
    return entry
  }

  /// Refuses a reading of which a part is gone: rows of a run that is deleted end without an error.
  func checkRuns(_ reader: any SampleSource) throws {
    for run in Set(entries.map(\.run.id)) where try reader.run(run) == nil { throw Self.vanished }
  }

  private static var vanished: ReportError {
    ReportError(
      .runVanished, "a run was started or deleted while it was read", remedy: "run the command again")
  }
}

extension RowSelection {
  /// The runs that it selects from, oldest first.
  func runs(in reader: any SampleSource) throws -> [RunRecord] {
    guard let run else { return try reader.runs() }
    return try reader.run(run).map { [$0] } ?? []
  }
}
