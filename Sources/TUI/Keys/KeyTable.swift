import Configuration
import ConstraintAnimation

/// The keys: the only source for key handling, help, palette and the hints of the last line.
struct KeyTable: Sendable {
  let lines: [KeyHelp]
  /// The bindings of all lines.
  let bindings: [KeyBinding]
  private let commands: [KeyStroke: Command]
  /// The keys that are shown, by action.
  private let shown: [DashboardAction: KeyStroke]

  init(lines: [KeyHelp]) {
    let bindings = lines.flatMap(\.bindings)
    // The first binding of an action is the one that is shown, also without a key.
    let shown = Dictionary(bindings.map { ($0.action, $0.strokes.first) }) { first, _ in first }
      .compactMapValues { $0 }
    (self.bindings, self.shown) = (bindings, shown)
    self.lines = lines.map { line in
      var line = line
      line.used = line.uses.compactMap { shown[$0] }
      return line
    }
    var commands: [KeyStroke: Command] = [:]
    for binding in bindings {
      for stroke in binding.strokes { commands[stroke] = binding.command }
    }
    self.commands = commands
  }

  /// - Parameter prefix: the character that was pressed before.
  func command(for event: InputEvent, after prefix: Character? = nil) -> Command? {
    guard case .key(let key) = event.kind else { return nil }
    if let command = commands[KeyStroke(key, event.modifiers, after: prefix)] { return command }
    // Shift is part of the character; only some terminals report it as well.
    guard case .character = key else { return nil }
    return commands[KeyStroke(key, event.modifiers.subtracting(.shift), after: prefix)]
  }

  /// Whether another key is to follow a character.
  func hasSequence(after character: Character) -> Bool {
    commands.keys.contains { $0.prefix == character }
  }

  /// The key that is shown for an action; `nil` when it has none.
  func stroke(for action: DashboardAction) -> KeyStroke? { shown[action] }

  /// The table with other keys for some actions. A key is removed from the action that had it before; Ctrl-C goes on
  /// quitting unless it is bound to another action.
  func rebound(_ keys: [DashboardAction: [KeyChord]]) -> KeyTable {
    guard !keys.isEmpty else { return self }
    let taken = Set(keys.values.joined().map { KeyStroke($0) })
    return KeyTable(
      lines: lines.map { line in
        var line = line
        line.bindings = line.bindings.map { binding in
          var binding = binding
          if let chords = keys[binding.action] {
            binding.strokes = chords.map { KeyStroke($0) }
            if binding.action == .quit, !taken.contains(Self.interrupt) {
              binding.strokes.append(Self.interrupt)
            }
          } else {
            binding.strokes.removeAll(where: taken.contains)
          }
          return binding
        }
        return line
      })
  }

  private static let interrupt = KeyStroke("c", .control)
}

/// The keys of a command, with its name in the configuration and its title in the palette.
struct KeyBinding: Sendable {
  enum Group: String, Sendable, CaseIterable {
    case panels = "Panels"
    case time = "Time"
    case plot = "Plot"
    case selecting = "Selection"
    case lists = "Lists"
    case histogram = "1 Histogram"
    case log = "2 Log, 3 Events"
    case runs = "4 Runs"
    case targets = "5 Targets"
    case findings = "6 Findings"
    case program = "Dashboard"
  }

  let action: DashboardAction
  let command: Command
  /// The title that the palette shows.
  let title: String
  let group: Group
  /// The first is shown.
  var strokes: [KeyStroke]
}

/// A line of the help: several bindings may share one.
struct KeyHelp: Sendable {
  let group: KeyBinding.Group
  let text: String
  /// The words for the footer, where there is room for few; `nil` leaves it to the help.
  var short: String?
  /// How many of the bindings have their keys shown.
  let shown: Int
  var bindings: [KeyBinding]

  /// A gesture of the mouse, in place of keys.
  var gesture: String?

  /// Actions of other lines that do something else in a panel; their keys are shown.
  var uses: [DashboardAction] = []
  /// The keys of ``uses``.
  fileprivate(set) var used: [KeyStroke] = []

  /// The keys as shown: `← →`. Empty when there are none.
  var keys: String { label { $0.label } }

  /// The same in ASCII.
  var plainKeys: String { label { $0.plainLabel } }

  /// The keys and the commands' further ones, as far as they fit: `↑ ↓ k j`.
  func allKeys(isPlain: Bool, columns: Int) -> String {
    var text = isPlain ? plainKeys : keys
    let most = bindings.prefix(shown).map(\.strokes.count).max() ?? 0
    for place in 1..<max(1, most) {
      let further = bindings.prefix(shown).filter { $0.strokes.count > place }.map { $0.strokes[place] }
      let longer = ([text] + further.map { isPlain ? $0.plainLabel : $0.label }).joined(separator: " ")
      guard longer.count <= columns else { break }
      text = longer
    }
    return text
  }

  private func label(_ name: (KeyStroke) -> String) -> String {
    if let gesture { return gesture }
    let names = (uses.isEmpty ? bindings.prefix(shown).compactMap { $0.strokes.first } : used).map(name)
    // `1 2 3 4` is `1-4`.
    let digits = names.compactMap { $0.count == 1 ? Int($0) : nil }
    if digits.count == names.count, let first = digits.first, let last = digits.last, names.count > 2,
      digits == Array(first...max(first, last))
    {
      return "\(first)-\(last)"
    }
    return names.joined(separator: " ")
  }
}

extension KeyHelp {
  init(gesture: String, group: KeyBinding.Group, text: String) {
    self.init(group: group, text: text, shown: 0, bindings: [], gesture: gesture)
  }

  init(uses: [DashboardAction], group: KeyBinding.Group, text: String) {
    self.init(group: group, text: text, shown: 0, bindings: [], uses: uses)
  }
}
