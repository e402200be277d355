import Measurement

/// Accumulates the values of one metric: exactly up to a capacity, in a histogram from then on.
struct QuantileAccumulator {
  /// What figures were computed from.
  enum Method: String, Sendable {
    /// All values.
    case exact
    /// A histogram of three significant digits.
    case histogram
  }

  /// Capacity for values, shared by all accumulators of a target.
  final class Room {
    var free: Int

    init(_ values: Int) { free = values }
  }

  private var values: [Int64] = []
  private var histogram: LatencyHistogram?
  private let room: Room

  private(set) var count = 0
  private(set) var minimum = Int64.max
  private(set) var maximum = Int64.min
  /// Lower bound of the largest value: the lower end of its bucket, where ``maximum`` is the upper end.
  private(set) var maximumLowerEnd = Int64.min

  init(room: Room) { self.room = room }

  var method: Method { histogram == nil ? .exact : .histogram }

  mutating func record(_ value: Int64) {
    count += 1
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    maximumLowerEnd = max(maximumLowerEnd, value)
    if histogram != nil {
      histogram?.record(value)
    } else if room.free > 0 {
      room.free -= 1
      values.append(value)
    } else {
      moveToHistogram()
      histogram?.record(value)
    }
  }

  /// Adds bucketed counts and drops the exact values.
  mutating func merge(_ packed: PackedLatencies) {
    guard !packed.isEmpty else { return }
    moveToHistogram()
    histogram?.merge(packed)
    for bucket in packed {
      count += bucket.count
      minimum = min(minimum, bucket.lower)
      maximum = max(maximum, bucket.upper)
      maximumLowerEnd = max(maximumLowerEnd, bucket.lower)
    }
  }

  /// Reserves capacity for copies of the values kept so far.
  func reserve(copies: Int) { room.free -= copies * values.count }

  func estimates(_ quantiles: [Quantile]) -> [QuantileEstimate] {
    if let histogram { return quantiles.map { histogram.estimate($0) } }
    let exact = ExactQuantiles(values)
    return quantiles.map { exact.estimate($0) }
  }

  private mutating func moveToHistogram() {
    guard histogram == nil else { return }
    var moved = LatencyHistogram()
    for value in values { moved.record(value) }
    room.free += values.count
    values = []
    histogram = moved
  }
}

/// Limits above which reports read rollups and histograms instead of single notifications.
struct RollupThreshold: Sendable {
  /// A target with more notifications is read from rollups, as far as they exist.
  var rows = 100_000
  /// Values kept for exact quantiles, over all variants and metrics of a target: lag, service, accept and delivery with its
  /// two bounds, and all but the lag again for requests that opened a connection. At most 9 MB.
  var values = 1_100_000

  static let standard = RollupThreshold()
  /// No limits: every value of every notification.
  static let exact = RollupThreshold(rows: .max, values: .max)
}
