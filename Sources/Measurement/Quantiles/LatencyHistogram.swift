import Histogram

/// A histogram of latencies with three significant digits (HdrHistogram): fixed memory for any number of values. Each figure is within 0.1 % of the exact one.
///
/// Values are µs. A corrected delivery latency can be negative (docs/measurement.md): it counts as 0 here.
public struct LatencyHistogram: Sendable, Equatable {
  private var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)

  public init() {}

  /// Counts a value, µs; a negative one as 0.
  public mutating func record(_ value: Int64, count: Int = 1) {
    guard count > 0 else { return }
    histogram.record(UInt64(max(0, value)), count: UInt64(count))
  }

  /// Adds packed counts. The smallest and the largest value are taken as the outer ends of their buckets, which are
  /// within 0.1 % of the true ones.
  public mutating func merge(_ packed: PackedLatencies) {
    var isFirst = true
    for bucket in packed {
      if isFirst, bucket.count > 1 {
        record(bucket.lower)
        record(bucket.upper, count: bucket.count - 1)
      } else {
        record(bucket.upper, count: bucket.count)
      }
      isFirst = false
    }
  }

  public var count: Int { Int(histogram.totalCount) }

  public var isEmpty: Bool { count == 0 }

  /// The largest value, exactly.
  public var maximum: Int64? { isEmpty ? nil : Int64(clamping: histogram.maxRecorded) }

  /// The buckets that are not empty, ascending.
  public var buckets: LatencyBuckets { LatencyBuckets(histogram) }

  /// The upper end of the bucket that contains a quantile's rank, but no more than the maximum; `nil` without values.
  public func value(_ quantile: Quantile) -> Int64? {
    buckets(atRanks: [quantile.rank(among: count)]).first.map(upperEnd)
  }

  /// The quantile with its 95 % interval, which is widened to whole buckets.
  public func estimate(_ quantile: Quantile) -> QuantileEstimate {
    guard let ranks = OrderStatistics.ranks(count: count, quantile: quantile) else {
      return .tooFew(needs: quantile.smallestCount)
    }
    let found = buckets(atRanks: [ranks.lowerBound, quantile.rank(among: count), ranks.upperBound])
    return .known(value: upperEnd(found[1]), low: found[0].lower, high: upperEnd(found[2]))
  }

  private func upperEnd(_ bucket: LatencyBucket) -> Int64 { min(bucket.upper, maximum ?? bucket.upper) }

  /// The buckets that contain ascending ranks, in one pass; empty without values.
  private func buckets(atRanks ranks: [Int]) -> [LatencyBucket] {
    var found: [LatencyBucket] = []
    var seen = 0
    for bucket in buckets {
      seen += bucket.count
      while found.count < ranks.count, ranks[found.count] <= seen { found.append(bucket) }
      if found.count == ranks.count { break }
    }
    return found
  }
}

/// A range of values that a histogram does not distinguish, and its count.
public struct LatencyBucket: Sendable, Hashable {
  /// µs.
  public var lower: Int64
  /// µs, included.
  public var upper: Int64
  public var count: Int
}

/// The buckets of a ``LatencyHistogram`` that are not empty, ascending.
///
/// Does not use the library's iterators: they sum all values in 64 bits and trap on overflow, which a few clocks that
/// are years off cause.
public struct LatencyBuckets: Sequence, IteratorProtocol {
  private let histogram: Histogram<UInt64>
  private var lower: UInt64
  private var rest: UInt64

  init(_ histogram: Histogram<UInt64>) {
    self.histogram = histogram
    lower = histogram.lowestEquivalentForValue(histogram.min)
    rest = histogram.totalCount
  }

  public mutating func next() -> LatencyBucket? {
    while rest > 0 {
      let count = histogram.countForValue(lower)
      let bounds = (lower: lower, upper: histogram.highestEquivalentForValue(lower))
      lower = bounds.upper + 1
      guard count > 0 else { continue }
      rest -= Swift.min(rest, count)
      return LatencyBucket(
        lower: Int64(clamping: bounds.lower), upper: Int64(clamping: bounds.upper),
        count: Int(clamping: count))
    }
    return nil
  }
}
