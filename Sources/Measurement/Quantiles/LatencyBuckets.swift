import Histogram

/// The buckets of a ``LatencyHistogram`` that hold any values, ascending.
///
/// Walks the bounds itself: the library's own iterators add up all values in 64 bits on the way and stop the process
/// when a few clocks were off by years.
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
