/// What was chosen in the panel below the plot.
enum PanelChoice: Sendable, Hashable {
  /// The place of a bucket of the histogram.
  case bucket(Int)
  /// By the numbers the store gave them.
  case logLine(Int64)
  case event(Int64)
}
