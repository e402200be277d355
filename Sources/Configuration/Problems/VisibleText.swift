extension String {
  /// The text in one harmless line of at most 80 characters: what a message quotes may come from anywhere, and a
  /// control, escape or direction mark in it must not reach a terminal as such.
  var visibleText: String {
    var result = ""
    var count = 0
    for scalar in unicodeScalars {
      if count == 80 { return result + "…" }
      count += 1
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default:
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// ``visibleText`` in double quotes.
  var quoted: String { "\"\(visibleText)\"" }
}
