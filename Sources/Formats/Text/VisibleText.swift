/// Makes text from outside harmless to print: whoever sends it must not move the cursor, colour the screen, or turn
/// the reading direction of what stands beside it.
public enum VisibleText {
  /// Whether a scalar acts instead of showing: controls, line and paragraph separators, direction marks, invisible
  /// operators, tags, and what is no character at all. Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are
  /// written with them.
  public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x206F,
      0xFDD0...0xFDEF, 0xFEFF, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }

  /// The text with every harmful scalar shown: C0 controls and delete as their pictures (`␛`, `␊`), others by number
  /// (`\u{202E}`).
  public static func make(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) { result += picture(of: scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// What stands for a harmful scalar.
  static func picture(of scalar: Unicode.Scalar) -> String {
    if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) { return String(picture) }
    if scalar.value == 0x7F { return "\u{2421}" }
    return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  /// Calls `body` with each scalar of UTF-8 bytes; what is no UTF-8 comes as U+FFFD.
  static func scalars(of bytes: UnsafeRawBufferPointer, _ body: (Unicode.Scalar) -> Void) {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): body(scalar)
      case .error: body("\u{FFFD}")
      case .emptyInput: return
      }
    }
  }
}
