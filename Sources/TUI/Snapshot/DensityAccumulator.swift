/// Counts of latencies by the bucket they fall into, while they are being summed up.
struct DensityAccumulator {
  private var counts = ContiguousArray(repeating: UInt32(0), count: DensityBucket.places)
  /// The buckets that were touched lie in it.
  private var touched: ClosedRange<Int>?

  mutating func add(_ value: Int64, count: Int) {
    let index = DensityBucket.index(of: value)
    add(count, to: index)
    touch(index...index)
  }

  mutating func add(_ buckets: ContiguousArray<DensityBucket>) {
    guard let first = buckets.first, let last = buckets.last else { return }
    for bucket in buckets { add(Int(bucket.count), to: Int(bucket.index)) }
    touch(Int(first.index)...Int(last.index))
  }

  private mutating func add(_ count: Int, to index: Int) {
    counts[index] = UInt32(clamping: Int(counts[index]) + count)
  }

  private mutating func touch(_ range: ClosedRange<Int>) {
    let before = touched ?? range
    touched = min(before.lowerBound, range.lowerBound)...max(before.upperBound, range.upperBound)
  }

  /// The buckets with anything in them, ascending; the tally begins anew.
  mutating func take() -> ContiguousArray<DensityBucket> {
    var buckets = ContiguousArray<DensityBucket>()
    for index in touched ?? 0...0 where counts[index] > 0 {
      buckets.append(DensityBucket(index: UInt16(index), count: counts[index]))
      counts[index] = 0
    }
    touched = nil
    return buckets
  }
}
