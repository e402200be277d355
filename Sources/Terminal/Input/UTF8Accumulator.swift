/// Puts scalars together from bytes that may come in pieces. Malformed bytes are dropped.
struct UTF8Accumulator {
  private var value: UInt32 = 0
  private var missing = 0
  private var smallest: UInt32 = 0

  /// - Parameter byte: 0x80 or above; ASCII ends what has begun and needs no decoding.
  /// - Returns: a scalar when the byte completes one.
  mutating func feed(_ byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80..<0xC0:
      guard missing > 0 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
      missing -= 1
      guard missing == 0, value >= smallest else { return nil }
      return Unicode.Scalar(value)
    case 0xC2..<0xE0: begin(UInt32(byte & 0x1F), missing: 1, smallest: 0x80)
    case 0xE0..<0xF0: begin(UInt32(byte & 0x0F), missing: 2, smallest: 0x800)
    case 0xF0..<0xF5: begin(UInt32(byte & 0x07), missing: 3, smallest: 0x1_0000)
    default: missing = 0
    }
    return nil
  }

  private mutating func begin(_ value: UInt32, missing: Int, smallest: UInt32) {
    (self.value, self.missing, self.smallest) = (value, missing, smallest)
  }

  mutating func reset() { missing = 0 }
}
