import Configuration
import ConstraintAnimation
import Measurement
import Store

/// What lies on top of the dashboard and takes the keys.
enum Overlay: Sendable, Equatable {
  case palette(CommandPalette)
  case prompt(Prompt)
  case question(Question)
  /// The list of selected notifications, from this row on.
  case selection(firstRow: Int, chosen: Int = 0)
  /// Everything about one of them, which has this place in the list.
  case notification(SampleID, place: Int)
  /// Everything about an incident, of which one finding is named.
  case finding(String)
  /// The chosen line of log or events in full.
  case line
  /// The choice of the columns of a table.
  case columns(chosen: Int)
  /// The choice of a format to write the view in.
  case formats(chosen: Int = 0)

  /// Whether every key is text, also the one that quits elsewhere.
  var takesText: Bool {
    switch self {
    case .prompt, .palette: true
    case .question, .selection, .notification, .finding, .line, .columns, .formats: false
    }
  }

  /// Whether nothing else is done before the question has its answer, or the text is entered.
  var isAsking: Bool {
    if case .question = self { true } else { takesText }
  }
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
    /// What happened at an instant.
    case annotate(WallTime)
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

extension Prompt {
  /// Asks for the filter of log and events.
  static func filter(_ text: String) -> Prompt {
    Prompt(
      .filter, title: "only lines with",
      hint:
        "words in any order, !word for lines without it, level:warning, kind:goaway, target:fcm; empty lists all",
      text: text)
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
  private(set) var field = TextField()
  /// Index in the commands found.
  private(set) var chosen = 0

  /// Takes a key that moves the choice or changes the text.
  /// - Parameter count: of the commands found.
  /// - Returns: whether it was one.
  mutating func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, among count: Int) -> Bool {
    let last = max(0, count - 1)
    switch (key, modifiers) {
    case (.up, _), (.character("p"), .control): chosen = max(0, chosen - 1)
    case (.down, _), (.character("n"), .control): chosen = min(last, chosen + 1)
    case (.pageUp, _): chosen = max(0, chosen - 10)
    case (.pageDown, _): chosen = min(last, chosen + 10)
    default:
      guard field.take(key, modifiers) else { return false }
      chosen = 0
    }
    return true
  }

  /// Inserts text from the clipboard.
  mutating func insert(_ text: String) {
    field.insert(text)
    chosen = 0
  }

  /// The commands that match all words, the best first: a word at the start of a word, then within one, then its letters
  /// in order. Without words all commands, in the order of the help.
  static func find(_ text: String, in bindings: [KeyBinding]) -> [KeyBinding] {
    // Names as in the configuration find too: "go-to".
    let words = text.lowercased().replacing("-", with: " ").split(separator: " ").map(String.init)
    // Commands to open and close the palette are of no use in it.
    let bindings = bindings.filter { $0.command != .palette && $0.command != .dismiss }
    guard !words.isEmpty else { return bindings }
    let scored = bindings.enumerated().compactMap { place, binding -> (score: Int, place: Int)? in
      let name = binding.action.rawValue.replacing("-", with: " ")
      let text = "\(binding.title) \(name) \(plainWords[binding.action] ?? "")".lowercased()
      var total = 0
      for word in words {
        guard let score = score(of: word, in: text) else { return nil }
        total += score
      }
      return (total, place)
    }
    return scored.sorted { ($0.score, $0.place) < ($1.score, $1.place) }.map { bindings[$0.place] }
  }

  /// What people call things that are called otherwise here.
  private static let plainWords: [DashboardAction: String] = [
    .quit: "exit leave close", .filter: "search find grep", .theme: "colours dark light",
    .freeze: "pause stop",
    .follow: "live now newest resume", .goTo: "jump time date", .fitRun: "all whole reset zoom",
    .back: "undo previous", .scale: "log linear", .metric: "latency value", .colors: "colors",
    .exportView: "save screenshot", .exportSelection: "save", .threshold: "limit line", .palette: "commands",
    .help: "keys", .compare: "difference diff", .releaseMouse: "copy text", .target: "next provider",
  ]

  /// Lower is better; `nil` when the word does not match.
  private static func score(of word: String, in text: String) -> Int? {
    if text.hasPrefix(word) { return 0 }
    if text.contains(" \(word)") { return 1 }
    if text.contains(word) { return 4 }
    // Its letters in their order, the closer together the better.
    var rest = word[...]
    var span = 0
    for character in text where !rest.isEmpty {
      if rest.count < word.count { span += 1 }
      if character == rest.first { rest = rest.dropFirst() }
    }
    return rest.isEmpty ? 16 + span : nil
  }
}
