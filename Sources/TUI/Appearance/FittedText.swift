import Terminal

/// Texts cut to a number of columns.
enum FittedText {
  /// The text, or as much of its start as fits with an ellipsis behind it.
  static func truncated(_ text: String, columns: Int, ellipsis: String) -> String {
    guard VisibleText.columns(of: text) > columns else { return text }
    let room = columns - VisibleText.columns(of: ellipsis)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let width = VisibleText.columns(of: String(character))
      if used + width > room { break }
      result.append(character)
      used += width
    }
    return result + ellipsis
  }

  /// Spaces in front up to a width: for numbers that must not move.
  static func padded(_ text: String, columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - VisibleText.columns(of: text))) + text
  }

  /// Spaces behind, or cut.
  static func field(_ text: String, columns: Int, ellipsis: String) -> String {
    let cut = truncated(text, columns: columns, ellipsis: ellipsis)
    return cut + String(repeating: " ", count: max(0, columns - VisibleText.columns(of: cut)))
  }
}
