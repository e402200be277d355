/// Adds up any number of ``PackedLatencies``: a counter for each bucket up to the largest that was met, half a megabyte at
/// most. For sums of hundreds; a few values are better kept in a ``LatencyAccumulator``.
public struct LatencyCounts: Sendable {
  private var counts: ContiguousArray<Int> = []

  public init() {}

  public mutating func add(_ packed: PackedLatencies) {
    var buckets = BucketCountIterator(packed.bytes)
    while let next = buckets.next() {
      let index = Int(next.index)
      if index >= counts.count {
        counts.append(contentsOf: repeatElement(0, count: index + 1 - counts.count))
      }
      counts[index] += next.count
    }
  }

  /// Everything that was added.
  public var packed: PackedLatencies {
    var tally = LatencyAccumulator()
    for (index, count) in counts.enumerated() where count > 0 {
      tally.add(LatencyBucketIndex.bounds(of: Int32(index)).lower, count: count)
    }
    return tally.packed
  }
}
