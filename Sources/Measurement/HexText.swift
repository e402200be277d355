/// Bytes as lower-case hexadecimal digits, two a byte.
public enum HexText {
  /// Two lowercase digits for each byte.
  public static func make(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Bytes that are fit for a secret (``RandomBytes``).
  public static func random(bytes: Int) -> String { make(RandomBytes.make(bytes)) }

  /// All 16 digits of a number.
  public static func make(_ number: UInt64) -> String {
    make(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }
}

/// Bytes of the system's generator (getrandom(2)), fit for a secret.
public enum RandomBytes {
  /// Random bytes, new at each call.
  public static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
