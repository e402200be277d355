/// Text from outside (a provider's reason, a device's name, a configuration) that is to be looked at: whoever sent it
/// must not move the cursor, color the screen, or turn the reading direction of what stands beside it.
///
/// The one rule for sinks that write text: reports, exports, logs, messages. Cells of the terminal have a stricter one
/// of their own, because they must also know how wide everything is.
public enum EscapedText {
  /// Whether a scalar acts instead of showing: controls, line and paragraph separators, direction marks, invisible
  /// operators, tags, and what is no character at all. Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are
  /// written with them.
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

  /// What stands for a harmful scalar: C0 controls and delete have pictures (`␛`, `␊`), others are shown by number
  /// (`\u{202E}`).
  public static func picture(of scalar: Unicode.Scalar) -> String {
    if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) { return String(picture) }
    if scalar.value == 0x7F { return "\u{2421}" }
    return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }

  /// The text with every harmful scalar shown.
  /// - Parameter keepsLines: leave line feeds as they are, for text of our own that has several lines.
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
