/// What a key, a click or a turn of the wheel asks for.
enum Command: Sendable, Hashable {
  case quit
  case help
  /// Finds commands by their names.
  case palette
  case showPanel(Panel)
  case nextPanel
  case previousPanel
  /// Panels slide sideways or up and down.
  case toggleSlides
  /// Plot and panel side by side, or one above the other.
  case rotate
  /// By eighths of the window; negative is back in time.
  case pan(eighths: Int)
  case zoomIn
  case zoomOut
  case follow
  case freeze
  case goTo
  case replay
  case faster
  case slower
  case toggleScale
  case toggleRange
  case nextMetric
  case nextTarget
  case plot(PlotCommand)
  case compare
  /// Opens what is chosen in the panel below: a run, or the notifications selected.
  case choose
  /// Rows in the panel below, down when positive.
  case scroll(rows: Int)
  /// Pages in the panel below.
  case page(Int)
  case scrollToStart
  case scrollToEnd
  /// Marks a run for comparison.
  case mark
  /// Gives the chosen run another name.
  case rename
  case delete
  case startStop
  /// Only lines with some words in them.
  case filter
  case nextTheme
  case nextMotion
  case releaseMouse
  case redraw
  case suspend
  /// Closes what lies on top.
  case dismiss
}
