import Measurement

/// Gathers the values of one metric: exactly while there is room, in a histogram from then on.
struct QuantileAccumulator {
  /// Where figures come from.
  enum Method: String, Sendable {
    /// All values were at hand.
    case exact
    /// A histogram of three significant digits.
    case histogram
  }

  /// Room for values, shared by all of a target.
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
  /// The largest value is no smaller: where it was counted in a bucket, ``maximum`` is the upper end of that.
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

  /// Adds what was counted in buckets; from then on there is a histogram only.
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

  /// Takes the room for copies of the values kept so far.
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

/// How much is read one by one before reports turn to what was added up.
struct RollupThreshold: Sendable {
  /// A target with more notifications is read from rollups, as far as there are any.
  var rows = 100_000
  /// Values kept for exact quantiles, over all variants and metrics of a target: lag, service, accept and delivery with
  /// its two ends, and all but the lag once more for requests that opened a connection. 9 MB at most, and a moment to
  /// sort them.
  var values = 1_100_000

  static let standard = RollupThreshold()
  /// Every value of every notification.
  static let exact = RollupThreshold(rows: .max, values: .max)
}
