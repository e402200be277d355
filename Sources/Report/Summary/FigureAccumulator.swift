import Analysis
import Measurement

/// Accumulates the values of one interval: of all notifications their number, smallest and largest, and of the settled ones
/// what quantiles are computed from.
struct FigureAccumulator {
  private(set) var settled = LatencyCollection()
  private(set) var count = 0
  private(set) var minimum = Int64.max
  private(set) var maximum = Int64.min
  /// Lower bound of the largest value: the lower end of its bucket, where ``maximum`` is the upper end.
  private(set) var maximumLowerEnd = Int64.min

  /// Whether all values are known one by one, and not in the buckets of rollups.
  var isExact: Bool { settled.isExact }

  mutating func record(_ value: Int64, plannedAt: WallTime, isSettled: Bool) {
    count += 1
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    maximumLowerEnd = max(maximumLowerEnd, value)
    if isSettled { settled.record(value, plannedAt: plannedAt) }
  }

  /// Adds the counts of a rollup whose notifications are all settled.
  mutating func add(_ packed: PackedLatencies, plannedFrom start: WallTime) {
    guard !packed.isEmpty else { return }
    settled.add(packed, plannedFrom: start)
    for bucket in packed {
      count += bucket.count
      minimum = min(minimum, bucket.lower)
      maximum = max(maximum, bucket.upper)
      maximumLowerEnd = max(maximumLowerEnd, bucket.lower)
    }
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
