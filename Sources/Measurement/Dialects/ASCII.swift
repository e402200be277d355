/// Character classes of protocol fields, by byte.
public enum ASCII {
  public static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  public static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Either case.
  public static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  /// Letters, digits, hyphen and underscore: base64url (RFC 4648, section 5).
  public static func isBase64URL(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
