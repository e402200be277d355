import ConstraintAnimation

/// A line of text that is being typed.
struct TextField: Sendable, Equatable {
  private(set) var text: [Character]
  /// In front of which character the cursor stands.
  private(set) var cursor: Int

  /// As much as fits any field there is.
  static let capacity = 200

  init(_ text: String = "") {
    self.text = Array(text.prefix(Self.capacity))
    cursor = self.text.count
  }

  var string: String { String(text) }

  /// Takes a key in.
  /// - Returns: whether it was one of editing.
  mutating func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    if modifiers.contains(.control), case .character(let character) = key { return control(character) }
    guard modifiers.isSubset(of: .shift) else { return false }
    switch key {
    case .character(let character): insert(String(character))
    case .backspace where cursor > 0:
      cursor -= 1
      text.remove(at: cursor)
    case .delete where cursor < text.count: text.remove(at: cursor)
    case .backspace, .delete: break
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = text.count
    default: return false
    }
    return true
  }

  /// Inserts text from wherever it comes: what is no visible character is left out.
  mutating func insert(_ new: String) {
    for character in new where Self.isVisible(character) && text.count < Self.capacity {
      text.insert(character, at: cursor)
      cursor += 1
    }
  }

  private mutating func control(_ character: Character) -> Bool {
    switch character {
    case "u":
      text.removeFirst(cursor)
      cursor = 0
    case "w":
      let head = text[..<cursor]
      let word = head.lastIndex { $0 != " " } ?? -1
      let start = word < 0 ? 0 : (head[...word].lastIndex(of: " ") ?? -1) + 1
      text.removeSubrange(start..<cursor)
      cursor = start
    case "a": cursor = 0
    case "e": cursor = text.count
    default: return false
    }
    return true
  }

  private static func isVisible(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
}
