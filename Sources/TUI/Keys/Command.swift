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

/// What a key asks of the plots.
enum PlotCommand: String, Sendable, Hashable, CaseIterable {
  case nextAverages
  case nextColoring
  case nextArrangement
  case nextBuckets
  /// A line at the crosshair, else at the 99th percentile; none where there is one.
  case toggleThreshold
  case lowerThreshold
  case raiseThreshold
  case zoomInLatency
  case zoomOutLatency
  case panUp
  case panDown

  /// A crosshair that the arrow keys move, or none.
  case toggleCrosshair
  case previousNotification
  case nextNotification
  /// Begins a box at the crosshair, or gives it up.
  case beginBox
  /// Zooms to the box, else to what is selected.
  case zoomToBox
  case nextDragAction
  /// The bucket, log line or event before the chosen one.
  case choosePrevious
  case chooseNext
  /// Shows the selected notifications; with a crosshair and nothing selected it selects first.
  case list
  case exportSelection
  case exportView
}
