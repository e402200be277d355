import Configuration

/// The list of commands, narrowed down by what is typed.
struct CommandPalette: Sendable, Equatable {
  var field = TextField()
  /// Among what was found.
  var chosen = 0

  /// The commands that have all the words, the best first: words at the beginning of words before words within, and
  /// those before letters in the right order. Without words all of them, in the order of the help.
  static func find(_ text: String, in bindings: [KeyBinding]) -> [KeyBinding] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    // Opening the palette is nothing to look for in it, nor is closing it.
    let bindings = bindings.filter { $0.command != .palette && $0.command != .dismiss }
    guard !words.isEmpty else { return bindings }
    let scored = bindings.enumerated().compactMap { place, binding -> (score: Int, place: Int)? in
      let text = "\(binding.title) \(binding.action.rawValue.replacing("-", with: " "))".lowercased()
      var total = 0
      for word in words {
        guard let score = score(of: word, in: text) else { return nil }
        total += score
      }
      return (total, place)
    }
    return scored.sorted { ($0.score, $0.place) < ($1.score, $1.place) }.map { bindings[$0.place] }
  }

  /// Lower is better; `nil` when it is not there.
  private static func score(of word: String, in text: String) -> Int? {
    if text.hasPrefix(word) { return 0 }
    if text.contains(" \(word)") { return 1 }
    if text.contains(word) { return 4 }
    var rest = word[...]
    for character in text where character == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty ? 16 : nil
  }
}
