import ConstraintAnimation

/// All keys. What the dashboard obeys, what the help lists and what the footer hints at come from here and nowhere
/// else.
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

  static let standard = KeyTable(lines: panels + time + plots + selecting + lists + program)

  private static let panels = [
    line(
      .panels, "1 2 3", "histogram, log, events", short: "panel",
      [(["1"], .showPanel(.histogram)), (["2"], .showPanel(.log)), (["3"], .showPanel(.events))]),
    line(
      .panels, "Tab", "next (Shift: previous)",
      [([KeyStroke(.tab)], .nextPanel), ([KeyStroke(.backTab), KeyStroke(.tab, .shift)], .previousPanel)]),
  ]

  private static let time = [
    line(
      .time, "← →", plain: "Left Right", "pan (Shift: further)", short: "pan",
      [
        ([KeyStroke(.left)], .pan(eighths: -1)), ([KeyStroke(.right)], .pan(eighths: 1)),
        ([KeyStroke(.left, .shift)], .pan(eighths: -4)), ([KeyStroke(.right, .shift)], .pan(eighths: 4)),
      ]),
    line(
      .time, "+ -", "less, more time in view", short: "zoom",
      [(["+", "="], .zoomIn), (["-", "_"], .zoomOut)]),
    line(.time, "f", "follow the newest", short: "follow", [(["f"], .follow)]),
    line(.time, "Space", "freeze; recording goes on", short: "freeze", [([" "], .freeze)]),
  ]

  private static let lists = [
    line(
      .lists, "↑ ↓", plain: "Up Down", "one line",
      [
        ([KeyStroke(.up), "k"], .scroll(rows: -1)), ([KeyStroke(.down), "j"], .scroll(rows: 1)),
      ]),
    line(
      .lists, "PgUp PgDn", "one page",
      [([KeyStroke(.pageUp)], .page(-1)), ([KeyStroke(.pageDown)], .page(1))]),
    line(
      .lists, "Home End", "oldest, newest (follows)",
      [([KeyStroke(.home)], .scrollToStart), ([KeyStroke(.end)], .scrollToEnd)]),
  ]

  private static let program = [
    line(.program, "?", "this help", short: "help", [(["?", "h"], .help)]),
    line(.program, "m", "free the mouse to select", [(["m"], .releaseMouse)]),
    line(.program, "Ctrl-L", "draw everything again", [([KeyStroke("l", .control)], .redraw)]),
    line(.program, "Ctrl-Z", "suspend", [([KeyStroke("z", .control)], .suspend)]),
    line(
      .program, "q", "quit (or Ctrl-C)", short: "quit", [(["q", KeyStroke("c", .control)], .quit)]),
    line(.program, "Esc", "close, let go", [([KeyStroke(.escape)], .dismiss)]),
  ]

  static func line(
    _ group: KeyBinding.Group, _ keys: String, plain: String? = nil, _ text: String, short: String? = nil,
    _ bindings: [([KeyStroke], Command)]
  ) -> KeyHelp {
    KeyHelp(
      group: group, keys: keys, plainKeys: plain ?? keys, text: text, short: short,
      bindings: bindings.map { KeyBinding(strokes: $0.0, command: $0.1, group: group) })
  }
}
