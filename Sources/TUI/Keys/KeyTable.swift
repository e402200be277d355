import Configuration
import ConstraintAnimation

/// All keys. What the dashboard obeys, what the help lists, what the palette finds and what the footer hints at come
/// from here and nowhere else.
struct KeyTable: Sendable {
  let lines: [KeyHelp]
  private let commands: [KeyStroke: Command]

  init(lines: [KeyHelp]) {
    self.lines = lines
    var commands: [KeyStroke: Command] = [:]
    for binding in lines.flatMap(\.bindings) {
      for stroke in binding.strokes { commands[stroke] = binding.command }
    }
    self.commands = commands
  }

  func command(for event: InputEvent) -> Command? {
    guard case .key(let key) = event.kind else { return nil }
    if let command = commands[KeyStroke(key, event.modifiers)] { return command }
    // Shift is part of the character; terminals differ in whether they name it too.
    guard case .character = key else { return nil }
    return commands[KeyStroke(key, event.modifiers.subtracting(.shift))]
  }

  var bindings: [KeyBinding] { lines.flatMap(\.bindings) }

  /// The key that is shown for an action; `nil` when none is left.
  func stroke(for action: DashboardAction) -> KeyStroke? {
    bindings.first { $0.action == action }?.strokes.first
  }

  /// The same table with other keys for some actions. A key that is given to an action is taken from the one that had
  /// it; Ctrl-C goes on to end the dashboard unless it is given away by name.
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
