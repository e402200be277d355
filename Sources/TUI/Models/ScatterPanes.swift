import Measurement

/// How the plot's rectangle is shared out among the metrics on display: all in one, or one beside the other with the
/// same stretch of time.
struct ScatterPanes: Sendable, Hashable {
  struct Pane: Sendable, Hashable {
    /// The first is the one that quantiles are given of.
    let metrics: [Metric]
    /// Columns from the rectangle's left.
    let x: Int
    let geometry: ScatterGeometry
  }

  let panes: [Pane]

  /// A plot narrower than this is not worth having.
  static let leastWidth = 44

  /// - Parameter metrics: the one on display first.
  init(width: Int, height: Int, metrics: [Metric], arrangement: MetricArrangement) {
    let share = width / max(1, metrics.count)
    guard arrangement == .sideBySide, metrics.count > 1, share >= Self.leastWidth else {
      panes = [Pane(metrics: metrics, x: 0, geometry: ScatterGeometry(width: width, height: height))]
      return
    }
    // On its way a notification is accepted before it is delivered.
    panes = Metric.allCases.filter(metrics.contains).enumerated().map { index, metric in
      Pane(
        metrics: [metric], x: index * share, geometry: ScatterGeometry(width: share, height: height))
    }
  }

  /// Columns of cells of one plot; all have as many.
  var columns: Int { panes[0].geometry.columns }

  /// The pane that a column of the rectangle belongs to.
  func pane(at x: Int) -> Pane { panes.last { $0.x <= x } ?? panes[0] }
}
