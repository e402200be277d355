@testable import Terminal

extension CellBuffer {
  /// The rows as text, trailing blanks left out; a continuation shows nothing.
  var lines: [String] {
    (0..<rows).map { y in
      var text = (0..<columns).map { self[$0, y].text }.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// Whether every wide glyph has its continuation and every continuation its glyph.
  var isWhole: Bool {
    (0..<rows).allSatisfy { y in
      (0..<columns).allSatisfy { x in
        let cell = self[x, y]
        if cell.isWide { return x + 1 < columns && self[x + 1, y].isContinuation }
        if cell.isContinuation { return x > 0 && self[x - 1, y].isWide }
        return true
      }
    }
  }
}
