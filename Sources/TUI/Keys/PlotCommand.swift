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
}
