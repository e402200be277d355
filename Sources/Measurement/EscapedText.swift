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

/// JSON strings (RFC 8259, section 7).
public enum JSONText {
  /// A string literal with its quotes.
  public static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// The inside of a string literal.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let escape = escape(of: scalar) { result += escape } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// The escape sequence of a scalar that JSON does not allow in a string literal, or that acts on a terminal
  /// (``EscapedText/isHarmful(_:)``); `nil` for all others. Readers get the same text back.
  public static func escape(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      guard EscapedText.isHarmful(scalar) else { return nil }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
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

  /// Letters, digits, hyphen and underscore: base64url (RFC 4648, section 5).
  public static func isBase64URL(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
