/// An output buffer: one allocation, reused until the output ends.
///
/// Appending to `[UInt8]` checks uniqueness and capacity at each byte, a third of the time of an export. The buffer grows
/// only when a single row does not fit.
public struct ByteBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  public internal(set) var count = 0

  public init(capacity: Int) {
    base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  /// The bytes appended so far, valid until the next change.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Empties it and keeps its memory.
  public mutating func removeAll() { count = 0 }

  /// Reserves `length` more bytes.
  @inline(__always)
  mutating func reserve(_ length: Int) {
    if count + length > capacity { grow(by: length) }
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let larger = max(capacity * 2, count + length)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }

  /// Appends one byte.
  @inline(__always)
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends bytes as they are.
  @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends a literal.
  @inline(__always)
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends text as it is, unescaped.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a scalar in UTF-8.
  public mutating func append(_ scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
  }
}

extension ByteBuffer {
  /// Appends a whole number in decimal.
  public mutating func append(integer value: Int64) {
    reserve(20)
    var rest = value.magnitude
    if value < 0 {
      base[count] = 0x2D
      count += 1
    }
    let end = count + Self.digits(in: rest)
    var place = end
    while rest >= 100 {
      let quotient = rest / 100
      place -= 2
      pair(Int(rest - quotient * 100), at: place)
      rest = quotient
    }
    if rest >= 10 {
      pair(Int(rest), at: place - 2)
    } else {
      base[place - 1] = UInt8(truncatingIfNeeded: 48 + rest)
    }
    count = end
  }

  /// Appends a number as six digits with leading zeros.
  mutating func append(sixDigits value: Int) {
    reserve(6)
    pair(value / 10_000, at: count)
    pair(value / 100 % 100, at: count + 2)
    pair(value % 100, at: count + 4)
    count += 6
  }

  /// Appends a number as two digits with leading zeros.
  mutating func append(twoDigits value: Int) {
    reserve(2)
    pair(value, at: count)
    count += 2
  }

  /// Appends a UUID's canonical text, lower case, from its two halves.
  mutating func append(uuid words: (high: UInt64, low: UInt64)) {
    reserve(36)
    hex(words.high >> 32, digits: 8)
    dash()
    hex(words.high >> 16, digits: 4)
    dash()
    hex(words.high, digits: 4)
    dash()
    hex(words.low >> 48, digits: 4)
    dash()
    hex(words.low, digits: 12)
  }

  /// Writes the lowest hexadecimal digits of a number into reserved space.
  @inline(__always)
  private mutating func hex(_ value: UInt64, digits: Int) {
    var rest = value
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      let digit = UInt8(truncatingIfNeeded: rest & 0xF)
      base[place] = digit < 10 ? 48 + digit : 87 + digit
      rest >>= 4
    }
    count += digits
  }

  @inline(__always)
  private mutating func dash() {
    base[count] = 0x2D
    count += 1
  }

  /// Appends the shortest decimal text that reads back as the same number; nothing if it is not finite.
  public mutating func append(number value: Double) {
    guard value.isFinite else { return }
    if value == value.rounded(), abs(value) < 1e15 {
      append(integer: Int64(value))
    } else {
      append(value.description)
    }
  }

  /// Writes 00 to 99 into reserved space.
  @inline(__always)
  private mutating func pair(_ value: Int, at place: Int) {
    let tens = value / 10
    base[place] = UInt8(truncatingIfNeeded: 48 + tens)
    base[place + 1] = UInt8(truncatingIfNeeded: 48 + value - tens * 10)
  }

  private static func digits(in value: UInt64) -> Int {
    var digits = 1
    var rest = value
    while rest >= 10_000 {
      rest /= 10_000
      digits += 4
    }
    if rest >= 1000 { return digits + 3 }
    if rest >= 100 { return digits + 2 }
    return rest >= 10 ? digits + 1 : digits
  }
}
