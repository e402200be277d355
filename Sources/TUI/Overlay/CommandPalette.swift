import Configuration
import ConstraintAnimation

/// The list of commands, filtered by the text that is typed.
struct CommandPalette: Dialog {
  private(set) var field = TextField()
  /// Index in the commands found.
  private(set) var chosen = 0

  private static let mostCommands = 12

  var title: String { "commands" }

  var acceptsText: Bool { true }

  private func entries(in scene: OverlayScene) -> [PaletteEntry] {
    let (state, context) = (scene.state, scene.context)
    return PaletteArguments(
      themes: context.options.themes.map(\.name), targets: context.shown.targets.map(\.name),
      timeProblem: { text in
        do throws(TimeInput.Problem) {
          _ = try context.moment(text, state)
          return nil
        } catch {
          return error.text
        }
      }
    ).entries(for: field.string, in: context.options.keys)
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    let found = entries(in: scene)
    let last = max(0, found.count - 1)
    switch (input.key, input.modifiers) {
    case (.enter, _):
      guard found.indices.contains(chosen) else { return .close() }
      // An entry without a command says what is wrong with its argument.
      return found[chosen].command.map { .close(.command($0)) } ?? .stay()
    case (.up, _), (.character("p"), .control): chosen = max(0, chosen - 1)
    case (.down, _), (.character("n"), .control): chosen = min(last, chosen + 1)
    case (.pageUp, _): chosen = max(0, chosen - 10)
    case (.pageDown, _): chosen = min(last, chosen + 10)
    default: if field.handle(input.key, input.modifiers) { chosen = 0 }
    }
    return .stay()
  }

  mutating func insert(_ text: String) {
    field.insert(text)
    chosen = 0
  }

  func lines(columns: Int, rows: Int, in scene: OverlayScene) -> [[TextSpan]] {
    let appearance = scene.appearance
    let found = entries(in: scene)
    let most = max(1, min(Self.mostCommands, rows - 2))
    let chosen = min(max(chosen, 0), max(0, found.count - 1))
    // What is wrong with an argument stands first, and may take several rows.
    let top = found.first.map { $0.rows(isChosen: chosen == 0, columns: columns, appearance).count } ?? 1
    let shown = max(1, most - top + 1)
    let first = max(0, min(chosen - shown / 2, found.count - shown))
    var lines = [field.spans(columns: columns, appearance), []]
    if found.isEmpty { lines.append([TextSpan("no command matches", appearance(.secondary))]) }
    for (offset, entry) in found.dropFirst(first).prefix(shown).enumerated() {
      lines += entry.rows(isChosen: first + offset == chosen, columns: columns, appearance)
    }
    // The box keeps its size while it is typed into.
    while lines.count < most + 2 { lines.append([]) }
    return lines
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

extension PaletteEntry {
  fileprivate func rows(isChosen: Bool, columns: Int, _ appearance: Appearance) -> [[TextSpan]] {
    let mark = isChosen ? "> " : "  "
    let room = max(1, columns - mark.count)
    guard command != nil else {
      return FittedText.wrapped(title, columns: room).enumerated().map { place, part in
        [TextSpan((place == 0 ? mark : "  ") + part, appearance(.warning))]
      }
    }
    let keys = keys(columns: room - title.count, appearance)
    let text = FittedText.field(
      title, columns: max(1, room - keys.count), ellipsis: appearance.glyphs.ellipsis)
    return [
      [
        TextSpan(mark + text, appearance(isChosen ? .strong : .text)),
        TextSpan(keys, appearance(isChosen ? .accent : .secondary)),
      ]
    ]
  }

  /// The first key of a command behind two blanks, and the further ones that fit beside its title.
  private func keys(columns: Int, _ appearance: Appearance) -> String {
    let labels = strokes.map { appearance.isASCII ? $0.plainLabel : $0.label }
    guard var keys = labels.first.map({ "  \($0)" }) else { return "" }
    for label in labels.dropFirst() where keys.count + 1 + label.count <= columns { keys += " \(label)" }
    return keys
  }
}
