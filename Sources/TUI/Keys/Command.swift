/// What a key, a click or a turn of the wheel asks for.
enum Command: Sendable, Hashable {
  case quit
  case help
  case showPanel(Panel)
  case nextPanel
  case previousPanel
  /// By eighths of the window; negative is back in time.
  case pan(eighths: Int)
  case zoomIn
  case zoomOut
  case follow
  case freeze
  case toggleScale
  case toggleRange
  case nextMetric
  case nextTarget
  case plot(PlotCommand)
  /// Rows in the panel below, down when positive.
  case scroll(rows: Int)
  /// Pages in the panel below.
  case page(Int)
  case scrollToStart
  case scrollToEnd
  case releaseMouse
  case redraw
  case suspend
  /// Closes what lies on top.
  case dismiss
}
