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
