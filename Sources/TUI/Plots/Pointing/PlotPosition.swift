/// A cell of a plot.
struct PlotPosition: Sendable, Hashable {
  /// Which of the plots, from the left.
  var pane: Int
  /// From the left edge of the window.
  var column: Int
  /// From the top of the plot's rectangle.
  var y: Int
}
