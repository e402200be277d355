import Configuration

/// A row of the table of keys: which keys do what, and how palette and configuration call it.
struct KeyBinding: Sendable {
  enum Group: String, Sendable, CaseIterable {
    case panels = "Panels"
    case time = "Time"
    case plot = "Plot"
    case selecting = "Selection"
    case lists = "Log, events, runs"
    case program = "Dashboard"
  }

  let action: DashboardAction
  let command: Command
  /// The words of the palette.
  let title: String
  let group: Group
  /// The first is the one that is shown.
  var strokes: [KeyStroke]
}
