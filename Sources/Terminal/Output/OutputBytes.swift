/// A byte buffer for one frame. It keeps its memory, so that frames stop allocating once the largest so
/// far has been seen.
struct OutputBytes: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int
  /// Digits of each number below `tabulated` in the lower bytes, first digit lowest, and their count in the
  /// highest.
  private let decimals: UnsafeMutablePointer<UInt32>
  private static let tabulated = 512

  init(capacity: Int = 1 << 14) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
    decimals = .allocate(capacity: OutputBytes.tabulated)
    for value in 0..<UInt32(OutputBytes.tabulated) {
      let digits =
        value < 10
        ? [value] : value < 100 ? [value / 10, value % 10] : [value / 100, value / 10 % 10, value % 10]
      var entry = UInt32(digits.count) << 24
      for (place, digit) in digits.enumerated() { entry |= (0x30 + digit) << UInt32(8 * place) }
      decimals.advanced(by: Int(value)).initialize(to: entry)
    }
  }

  deinit {
    base.deallocate()
    decimals.deallocate()
  }

  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  mutating func removeAll() { count = 0 }

  /// Forgets what was appended after `count` bytes.
  mutating func truncate(to count: Int) { self.count = min(self.count, count) }

  /// Removes bytes from the middle; what follows moves up.
  mutating func removeSubrange(_ range: Range<Int>) {
    precondition(range.upperBound <= count)
    (base + range.lowerBound).update(from: base + range.upperBound, count: count - range.upperBound)
    count -= range.count
  }

  mutating func replaceLast(with byte: UInt8) {
    precondition(count > 0)
    base[count - 1] = byte
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == capacity { grow(by: 1) }
    base[count] = byte
    count += 1
  }

  /// Inlined so that the count is known and the copy is one instruction.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    if count + length > capacity { grow(by: length) }
    UnsafeMutableRawPointer(base + count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    if count + bytes.count > capacity { grow(by: bytes.count) }
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends up to four spaces in one store.
  @inline(__always)
  mutating func append(spaces length: Int) {
    precondition((0...4).contains(length))
    if count + 4 > capacity { grow(by: 4) }
    UnsafeMutableRawPointer(base + count).storeBytes(of: 0x2020_2020, as: UInt32.self)
    count += length
  }

  mutating func append(utf8 text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// A non-negative decimal number.
  @inline(__always)
  mutating func append(decimal value: Int) {
    precondition(value >= 0)
    if value < OutputBytes.tabulated && count + 4 <= capacity {
      // Nearly all of them: a channel of a color, a place on the screen. Four bytes are stored, those that count
      // are kept.
      let entry = decimals[value]
      UnsafeMutableRawPointer(base + count).storeBytes(of: entry.littleEndian, as: UInt32.self)
      count += Int(entry >> 24)
      return
    }
    var divisor = 1
    while value / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  /// A Unicode scalar value in UTF-8.
  @inline(__always)
  mutating func append(scalar value: UInt32) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
      return
    }
    if count + 4 > capacity { grow(by: 4) }
    func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value >> shift & 0x3F) }
    if value < 0x800 {
      base[count] = 0xC0 | UInt8(truncatingIfNeeded: value >> 6)
      base[count + 1] = tail(0)
      count += 2
    } else if value < 0x1_0000 {
      // Nearly all of them: braille, lines, blocks. Four bytes are stored, three are kept.
      let word = 0x80_80E0 | value >> 12 | (value >> 6 & 0x3F) << 8 | (value & 0x3F) << 16
      UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt32.self)
      count += 3
    } else {
      base[count] = 0xF0 | UInt8(truncatingIfNeeded: value >> 18)
      base[count + 1] = tail(12)
      base[count + 2] = tail(6)
      base[count + 3] = tail(0)
      count += 4
    }
  }

  private mutating func grow(by extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.moveInitialize(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }
}
