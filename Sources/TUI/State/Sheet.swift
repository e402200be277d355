/// What the plots put on top of everything.
enum Sheet: Sendable, Equatable {
  /// The selected notifications with their fields; the first row in view.
  case selection(firstRow: Int)
  /// How the view is to be written.
  case export
}
