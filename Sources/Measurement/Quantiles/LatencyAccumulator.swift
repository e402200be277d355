/// Collects latencies to be packed: a list of buckets that is sorted once, at the end. For the few values of a second
/// that is a fraction of what filling a ``LatencyHistogram`` costs.
public struct LatencyAccumulator: Sendable {
  private var entries: [BucketCount] = []

  public init() {}

  /// Counts a value in µs, or with a negative count takes it out again.
  public mutating func add(_ value: Int64, count: Int = 1) {
    entries.append(BucketCount(index: LatencyBucketIndex.index(of: value), count: count))
  }

  /// Counts all that was packed.
  public mutating func add(_ packed: PackedLatencies) {
    var counts = BucketCountIterator(packed.bytes)
    while let next = counts.next() { entries.append(next) }
  }

  /// Counts all that another one counts.
  public mutating func add(_ other: LatencyAccumulator) { entries += other.entries }

  public var isEmpty: Bool { entries.isEmpty }

  public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// Everything counted so far; buckets with nothing left in them are left out.
  public var packed: PackedLatencies {
    let sorted = entries.sorted { $0.index < $1.index }
    var bytes: [UInt8] = []
    var last: Int32 = -1
    var place = 0
    while place < sorted.count {
      let index = sorted[place].index
      var count = 0
      while place < sorted.count, sorted[place].index == index {
        count += sorted[place].count
        place += 1
      }
      guard count > 0 else { continue }
      Self.append(UInt64(index - last - 1) << 1 | (count > 1 ? 1 : 0), to: &bytes)
      if count > 1 { Self.append(UInt64(count - 2), to: &bytes) }
      last = index
    }
    return PackedLatencies(bytes: bytes)
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
