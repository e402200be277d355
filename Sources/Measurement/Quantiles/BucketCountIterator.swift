/// Unpacks ``PackedLatencies``.
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

  /// At most 42 bits, so that no sum of counts can overflow whatever the bytes are.
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
