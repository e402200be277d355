import Measurement
import Store

/// Adds up a target's notifications by variant.
struct TargetAccumulator {
  private let entry: TargetDirectory.Entry
  private let room: QuantileAccumulator.Room
  private var groups: [VariantID: GroupAccumulator] = [:]
  private var rolledUpTo: WallTime?

  init(_ entry: TargetDirectory.Entry, values: Int) {
    self.entry = entry
    room = QuantileAccumulator.Room(values)
  }

  var isEmpty: Bool { groups.isEmpty }

  mutating func add(_ row: borrowing SampleRow) {
    groups[row.variant, default: GroupAccumulator(room: room)].add(row)
  }

  mutating func add(_ totals: RollupTotals) {
    rolledUpTo = totals.to
    for total in totals.variants { groups[total.variant, default: GroupAccumulator(room: room)].add(total) }
  }

  /// - Parameter pace: given how many came due, how fast the schedule went.
  func summary(pace: (Int) throws -> PlannedPace?) rethrows -> TargetSummary {
    let expectsReceipts = entry.target.receiptDeadline != nil
    let known = entry.target.variants.compactMap { variant in
      groups[variant.id]?.summary(variant: variant.name, expectsReceipts: expectsReceipts)
    }
    let counts = known.reduce(into: StateTally()) { $0 += $1.counts }
    let due = counts.planned - counts[.planned]
    return TargetSummary(
      record: entry.target,
      rates: try due > 0 ? pace(due)?.perSecond.map { Self.rates(planned: $0, counts, due: due) } : nil,
      rolledUpTo: rolledUpTo, groups: known)
  }

  /// What was sent and missed are shares of what came due.
  private static func rates(planned: Double, _ counts: StateTally, due: Int) -> TargetSummary.Rates {
    TargetSummary.Rates(
      planned: planned, sent: planned * Double(counts.sent) / Double(due),
      missed: planned * Double(counts[.missed]) / Double(due))
  }
}
