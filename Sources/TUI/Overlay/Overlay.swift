import Configuration
import Measurement
import Store

/// What lies on top of the dashboard and takes the keys.
enum Overlay: Sendable, Equatable {
  case palette(CommandPalette)
  case prompt(Prompt)
  case question(Question)
  /// The list of selected notifications, from this row on.
  case selection(firstRow: Int)
  /// The choice of a format to write the view in.
  case formats
}

/// Asks for a line of text.
struct Prompt: Sendable, Equatable {
  /// What the text is for.
  enum Purpose: Sendable, Equatable {
    case goTo
    case rename(RunID)
    /// The name of a run that is about to begin.
    case startRun
    /// The filter of log and events.
    case filter
  }

  let purpose: Purpose
  let title: String
  /// What may be entered.
  let hint: String
  var field = TextField()
  /// What is wrong with what was entered last.
  var problem: String?

  init(_ purpose: Purpose, title: String, hint: String, text: String = "") {
    self.purpose = purpose
    self.title = title
    self.hint = hint
    field = TextField(text)
  }
}

/// Asks for a confirmation before a command is sent to the collector.
struct Question: Sendable, Equatable {
  let command: ControlCommand
  let title: String
  /// Sentences.
  let body: [String]
}

/// The list of commands, filtered by the text that is typed.
struct CommandPalette: Sendable, Equatable {
  var field = TextField()
  /// Index in the commands found.
  var chosen = 0

  /// The commands that match all words, the best first: a word at the start of a word, then within one, then its letters
  /// in order. Without words all commands, in the order of the help.
  static func find(_ text: String, in bindings: [KeyBinding]) -> [KeyBinding] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    // Commands to open and close the palette are of no use in it.
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

  /// Lower is better; `nil` when the word does not match.
  private static func score(of word: String, in text: String) -> Int? {
    if text.hasPrefix(word) { return 0 }
    if text.contains(" \(word)") { return 1 }
    if text.contains(word) { return 4 }
    var rest = word[...]
    for character in text where character == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty ? 16 : nil
  }
}
