/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
public enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(44)
    var bits: UInt32 = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(alphabet[Int(bits >> UInt32(held) & 0x3F)])
      }
    }
    if held > 0 { text.append(alphabet[Int(bits << UInt32(6 - held) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` for anything that ``encode(_:)`` would not have written: other characters, padding, an
  ///   impossible length or bits left over that are not 0.
  public static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        bits &= (1 << UInt32(held)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character - 0x41)
    case 0x61...0x7A: UInt32(character - 0x61 + 26)
    case 0x30...0x39: UInt32(character - 0x30 + 52)
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}

/// Base64 in either alphabet, with or without padding.
enum Base64Text {
  /// `nil` for invalid base64.
  static func decode(_ text: String) -> [UInt8]? {
    var plain = ""
    plain.reserveCapacity(text.utf8.count)
    var body = text[...]
    for _ in 0..<2 where body.last == "=" { body = body.dropLast() }
    for character in body.unicodeScalars {
      switch character {
      case "+": plain.unicodeScalars.append("-")
      case "/": plain.unicodeScalars.append("_")
      default: plain.unicodeScalars.append(character)
      }
    }
    return Base64URL.decode(plain)
  }
}
