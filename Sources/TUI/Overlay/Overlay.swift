import Configuration
import Measurement
import Store

/// What lies on top of the dashboard and has the keys.
enum Overlay: Sendable, Equatable {
  case palette(CommandPalette)
  case prompt(Prompt)
  case question(Question)
  /// The selected notifications with their fields; the first row in view.
  case selection(firstRow: Int)
  /// How the view is to be written.
  case formats
}

/// A line that people are asked to type.
struct Prompt: Sendable, Equatable {
  /// What becomes of it.
  enum Purpose: Sendable, Equatable {
    case goTo
    case rename(RunID)
    /// The name of a run that is about to begin.
    case startRun
    /// Of the log and the events.
    case filter
  }

  let purpose: Purpose
  let title: String
  /// What may be written.
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

/// Something that is only done when people say so.
struct Question: Sendable, Equatable {
  let command: ControlCommand
  let title: String
  /// Sentences.
  let body: [String]
}

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
