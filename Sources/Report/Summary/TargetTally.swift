import Measurement
import Store

/// Adds up a target's rows by variant.
struct TargetTally {
  /// Values kept for exact quantiles, over all variants and metrics of a target, unless all are asked for: 3 MB of
  /// them, and a moment to sort them.
  static let exactValues = 400_000

  private let entry: TargetDirectory.Entry
  private let room: QuantileAccumulator.Room
  private var groups: [VariantID: GroupTally] = [:]
  private var firstPlanned = Int64.max
  private var lastPlanned = Int64.min

  init(_ entry: TargetDirectory.Entry, exactValues: Int) {
    self.entry = entry
    room = QuantileAccumulator.Room(exactValues)
  }

  mutating func add(_ row: borrowing SampleRow) {
    firstPlanned = min(firstPlanned, row.plannedMonotonic)
    lastPlanned = max(lastPlanned, row.plannedMonotonic)
    groups[row.variant, default: GroupTally(room: room)].add(row)
  }

  func summary() -> TargetSummary {
    let expectsReceipts = entry.target.receiptDeadline != nil
    let known = entry.target.variants.compactMap { variant in
      groups[variant.id]?.summary(variant: variant.name, expectsReceipts: expectsReceipts)
    }
    return TargetSummary(record: entry.target, rates: rates(of: known), groups: known)
  }

  /// The plan's own rate is gaps over the time from first to last; what was sent and missed are shares of it.
  private func rates(of groups: [GroupSummary]) -> TargetSummary.Rates? {
    let counts = groups.reduce(into: StateTally()) { $0 += $1.counts }
    guard counts.planned >= 2, lastPlanned > firstPlanned else { return nil }
    let planned = Double(counts.planned - 1) / (Double(lastPlanned - firstPlanned) / 1e6)
    return TargetSummary.Rates(
      planned: planned, sent: planned * Double(counts.sent) / Double(counts.planned),
      missed: planned * Double(counts[.missed]) / Double(counts.planned))
  }
}
