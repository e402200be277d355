/// A row of the table of keys: which keys do what, and how the help says it.
struct KeyBinding: Sendable {
  enum Group: String, Sendable, CaseIterable {
    case panels = "Panels"
    case time = "Time"
    case plot = "Plot"
    case selecting = "Selection"
    case lists = "Log and events"
    case program = "Dashboard"
  }

  let strokes: [KeyStroke]
  let command: Command
  let group: Group
}
