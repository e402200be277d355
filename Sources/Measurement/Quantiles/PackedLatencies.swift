/// Counted latencies in few bytes: the buckets of a ``LatencyHistogram`` that hold any values, and nothing else. A second's
/// worth of notifications takes some bytes where a histogram takes kilobytes, so this is what is stored and read by the
/// thousand; merged into a ``LatencyHistogram`` they give quantiles.
///
/// Each bucket is a number in base 128, lowest digits first, the high bit of a byte saying that more follow: twice the
/// buckets left out since the one before, plus 1 when a second such number follows, which is its count less 2. Without
/// one the count is 1.
public struct PackedLatencies: Sendable, Hashable, Sequence {
  /// As stored; ends early where it makes no sense.
  public let bytes: [UInt8]

  /// Takes bytes that were stored.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ values: some Sequence<Int64>) {
    var tally = LatencyAccumulator()
    for value in values { tally.add(value) }
    self = tally.packed
  }

  public var isEmpty: Bool { bytes.isEmpty }

  /// How many values were counted.
  public var count: Int { reduce(0) { $0 + $1.count } }

  public func makeIterator() -> Iterator { Iterator(BucketCountIterator(bytes)) }

  /// The buckets that hold any values, ascending.
  public struct Iterator: IteratorProtocol {
    private var counts: BucketCountIterator

    init(_ counts: BucketCountIterator) { self.counts = counts }

    public mutating func next() -> LatencyBucket? {
      guard let next = counts.next() else { return nil }
      let bounds = LatencyBucketIndex.bounds(of: next.index)
      return LatencyBucket(lower: bounds.lower, upper: bounds.upper, count: next.count)
    }
  }
}
