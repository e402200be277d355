/// Makes text from outside (a provider's reason, a device's name, a configuration) safe to display: it must not move
/// the cursor, change colors, or reorder the text beside it.
///
/// The rule for all sinks that write text: reports, exports, logs, messages. Terminal cells have a stricter one, since
/// they also need each character's width.
public enum EscapedText {
  /// Whether a scalar is not a visible character: controls, line and paragraph separators, direction marks, invisible
  /// operators, tags, and noncharacters. Joiners (U+200C, U+200D) are allowed: Persian, Hindi and emoji need them.
  @inlinable
  public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x206F,
      0xFDD0...0xFDEF, 0xFEFF, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }

  /// The replacement of a harmful scalar: control pictures for C0 controls and delete (`␛`, `␊`), numbers for all
  /// others (`\u{202E}`).
  public static func picture(of scalar: Unicode.Scalar) -> String {
    if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) { return String(picture) }
    if scalar.value == 0x7F { return "\u{2421}" }
    return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  /// Replaces every harmful scalar.
  /// - Parameter keepsLines: keep line feeds, for our own text of several lines.
  public static func make(_ text: String, keepsLines: Bool = false) -> String {
    func isShown(_ scalar: Unicode.Scalar) -> Bool {
      isHarmful(scalar) && !(keepsLines && scalar == "\n")
    }
    guard text.unicodeScalars.contains(where: isShown) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isShown(scalar) { result += picture(of: scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }
}

/// Character classes of protocol fields, by byte.
public enum ASCII {
  public static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  public static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Either case.
  public static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  /// Printable characters except the space.
  public static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  /// Letters, digits, hyphen, underscore and dot: names of hosts, topics and files.
  public static func isName(_ byte: UInt8) -> Bool { isBase64URL(byte) || byte == UInt8(ascii: ".") }

  /// Letters, digits, hyphen and underscore: base64url (RFC 4648, section 5).
  public static func isBase64URL(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
