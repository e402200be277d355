/// The non-empty buckets of a ``LatencyHistogram`` in few bytes, as rollups store them. Merge them into a
/// ``LatencyHistogram`` to compute quantiles.
///
/// Each bucket begins with a number in base 128, lowest digits first, whose bytes have the high bit set while more
/// follow: twice the number of empty buckets since the one before, plus 1 if a second such number follows, which is the
/// bucket's count less 2. Without a second number the count is 1.
public struct PackedLatencies: Sendable, Hashable, Sequence {
  /// The stored bytes. Iteration ends at invalid ones.
  public let bytes: [UInt8]

  /// Wraps stored bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ values: some Sequence<Int64>) {
    var accumulator = LatencyAccumulator()
    for value in values { accumulator.add(value) }
    self = accumulator.packed
  }

  public var isEmpty: Bool { bytes.isEmpty }

  /// The number of values.
  public var count: Int { reduce(0) { $0 + $1.count } }

  public func makeIterator() -> Iterator { Iterator(BucketCountIterator(bytes)) }

  /// The buckets that are not empty, ascending.
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

/// The count of one bucket.
struct BucketCount: Equatable {
  var index: Int32
  var count: Int
}

/// Decodes ``PackedLatencies``.
struct BucketCountIterator: IteratorProtocol {
  private let bytes: [UInt8]
  private var place = 0
  private var index: Int64 = -1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> BucketCount? {
    guard let step = number() else { return nil }
    index += Int64(truncatingIfNeeded: step >> 1) + 1
    guard index <= LatencyBucketIndex.last else { return nil }
    guard step & 1 == 1 else { return BucketCount(index: Int32(index), count: 1) }
    guard let more = number() else { return nil }
    return BucketCount(index: Int32(index), count: Int(more) + 2)
  }

  /// Reads at most 42 bits, so that no sum of counts overflows, whatever the bytes are.
  private mutating func number() -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count, shift < 42 {
      let byte = bytes[place]
      place += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return result }
      shift += 7
    }
    place = bytes.count
    return nil
  }
}

/// Collects latencies to be packed, as a list of buckets that is sorted once, at the end. For the few values of a
/// second much cheaper than a ``LatencyHistogram``.
public struct LatencyAccumulator: Sendable {
  private var entries: [BucketCount] = []

  public init() {}

  /// Adds a value in µs, or removes it with a negative count.
  public mutating func add(_ value: Int64, count: Int = 1) {
    entries.append(BucketCount(index: LatencyBucketIndex.index(of: value), count: count))
  }

  /// Adds packed counts.
  public mutating func add(_ packed: PackedLatencies) {
    var counts = BucketCountIterator(packed.bytes)
    while let next = counts.next() { entries.append(next) }
  }

  /// Adds the counts of another one.
  public mutating func add(_ other: LatencyAccumulator) { entries += other.entries }

  public var isEmpty: Bool { entries.isEmpty }

  /// Empties it and keeps its memory.
  public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// The counts so far, without empty buckets.
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
      bytes.append(leb128: UInt64(index - last - 1) << 1 | (count > 1 ? 1 : 0))
      if count > 1 { bytes.append(leb128: UInt64(count - 2)) }
      last = index
    }
    return PackedLatencies(bytes: bytes)
  }
}

extension [UInt8] {
  /// Appends a number in LEB128: seven bits a byte, the lowest first; the highest bit says that more follow.
  public mutating func append(leb128 number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

/// Sums ``PackedLatencies`` in an array with a counter for each bucket up to the largest, half a megabyte at most.
/// Suits hundreds of summands; for few values a ``LatencyAccumulator`` is cheaper.
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

  /// The sum.
  public var packed: PackedLatencies {
    var accumulator = LatencyAccumulator()
    for (index, count) in counts.enumerated() where count > 0 {
      accumulator.add(LatencyBucketIndex.bounds(of: Int32(index)).lower, count: count)
    }
    return accumulator.packed
  }
}

/// The buckets of a ``LatencyHistogram`` numbered from 0: 2048 of one µs each, then 1024 for each doubling
/// (HdrHistogram with three significant digits). The store contains these numbers, so they never change.
enum LatencyBucketIndex {
  private static let fineCount: Int64 = 2048
  private static let perDoubling: Int64 = 1024
  /// The logarithm of ``perDoubling``.
  private static let doublingBits = 10

  /// The bucket of a value; negative values count as 0.
  @inline(__always)
  static func index(of value: Int64) -> Int32 {
    guard value >= fineCount else { return Int32(truncatingIfNeeded: max(0, value)) }
    let shift = Int64.bitWidth - 1 - value.leadingZeroBitCount - doublingBits
    return Int32(truncatingIfNeeded: Int64(shift) * perDoubling + value >> Int64(shift))
  }

  /// The bucket of the largest value there is.
  static let last = index(of: .max)

  /// The bounds of a bucket, both included.
  static func bounds(of index: Int32) -> (lower: Int64, upper: Int64) {
    let index = Int64(index)
    guard index >= fineCount else { return (index, index) }
    let shift = index / perDoubling - 1
    let lower = (index - shift * perDoubling) << shift
    return (lower, lower + (1 << shift - 1))
  }
}
