import Measurement

/// Makes text from outside harmless to write, by the rule of `EscapedText`.
public enum VisibleText {
  /// Whether a scalar acts instead of showing.
  @inline(__always)
  public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool { EscapedText.isHarmful(scalar) }

  /// The text with every harmful scalar shown.
  public static func make(_ text: String) -> String { EscapedText.make(text) }

  /// What stands for a harmful scalar.
  static func picture(of scalar: Unicode.Scalar) -> String { EscapedText.picture(of: scalar) }

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
