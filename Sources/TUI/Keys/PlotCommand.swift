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
