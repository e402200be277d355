/// The buckets of a ``LatencyHistogram`` numbered from 0: 2048 of one µs each, then 1024 for each doubling (HdrHistogram
/// with three significant digits). What is stored names buckets by these numbers, so they never change.
enum LatencyBucketIndex {
  private static let fineCount: Int64 = 2048
  private static let perDoubling: Int64 = 1024
  /// The bits of ``perDoubling``.
  private static let doublingBits = 10

  /// The bucket that a value falls into; one below 0 counts as 0.
  @inline(__always)
  static func index(of value: Int64) -> Int32 {
    guard value >= fineCount else { return Int32(truncatingIfNeeded: max(0, value)) }
    let shift = Int64.bitWidth - 1 - value.leadingZeroBitCount - doublingBits
    return Int32(truncatingIfNeeded: Int64(shift) * perDoubling + value >> Int64(shift))
  }

  /// The bucket of the largest value there is.
  static let last = index(of: .max)

  /// The values of a bucket.
  static func bounds(of index: Int32) -> (lower: Int64, upper: Int64) {
    let index = Int64(index)
    guard index >= fineCount else { return (index, index) }
    let shift = index / perDoubling - 1
    let lower = (index - shift * perDoubling) << shift
    return (lower, lower + (1 << shift - 1))
  }
}
