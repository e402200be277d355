import Measurement

extension String {
  /// The text in one harmless line of at most 80 characters: what a message quotes may come from anywhere, and a
  /// control, escape or direction mark in it must not reach a terminal as such.
  var visibleText: String { visibleText(atMost: 80) }

  /// The same of a path, which is of no use when its end is cut off.
  var visiblePath: String { visibleText(atMost: 1024) }

  private func visibleText(atMost limit: Int) -> String {
    let head = unicodeScalars.prefix(limit)
    let text = EscapedText.make(String(String.UnicodeScalarView(head)))
    return head.endIndex < unicodeScalars.endIndex ? text + "…" : text
  }

  /// ``visibleText`` in double quotes.
  var quoted: String { "\"\(visibleText)\"" }
}
