import Measurement

/// How the plot's rectangle is divided among the displayed metrics: all in one pane, or side by side with the same range of
/// time.
struct ScatterPanes: Sendable, Hashable {
  struct Pane: Sendable, Hashable {
    /// The quantiles are those of the first.
    let metrics: [Metric]
    /// Columns from the rectangle's left.
    let x: Int
    let geometry: ScatterGeometry
  }

  let panes: [Pane]

  /// Smallest useful width of a pane.
  static let leastWidth = 44

  /// - Parameter metrics: the displayed one first.
  init(width: Int, height: Int, metrics: [Metric], arrangement: MetricArrangement) {
    let share = width / max(1, metrics.count)
    guard arrangement == .sideBySide, metrics.count > 1, share >= Self.leastWidth else {
      panes = [Pane(metrics: metrics, x: 0, geometry: ScatterGeometry(width: width, height: height))]
      return
    }
    // In the order in which they happen.
    panes = Metric.allCases.filter(metrics.contains).enumerated().map { index, metric in
      Pane(
        metrics: [metric], x: index * share, geometry: ScatterGeometry(width: share, height: height))
    }
  }

  /// Columns of cells of one plot; all have as many.
  var columns: Int { panes[0].geometry.columns }

  /// The pane at a column of the rectangle.
  func pane(at x: Int) -> Pane { panes.last { $0.x <= x } ?? panes[0] }
}

/// Rows and columns of the parts of a plot.
struct ScatterGeometry: Sendable, Hashable {
  let width: Int
  let height: Int

  /// Columns of the latency axis and its labels.
  static let gutter = 9

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  var columns: Int { max(0, width - Self.gutter) }
  /// Row of the marks of lost, failed and rejected notifications.
  var bandRow: Int { 1 }
  var firstRow: Int { 2 }
  /// Rows of the time axis, and of its labels where these fit.
  var axisRows: Int { height >= 11 ? 2 : 1 }
  var axisRow: Int { height - axisRows }
  var rows: Int { max(0, axisRow - firstRow) }
}

/// Index into the theme's colors for a mark: by target or by state, and by metric where one plot has two.
struct SeriesColors: Sendable, Hashable {
  let coloring: MarkColoring
  /// Of the run.
  let targets: Int
  /// In one plot.
  let metrics: [Metric]

  func place(target: Int, metric: Metric, state: NotificationState) -> Int {
    let lane = metrics.firstIndex(of: metric) ?? 0
    switch coloring {
    case .target: return lane * max(1, targets) + target
    case .state: return lane * 2 + (state == .accepted ? 1 : 0)
    }
  }

  func codes(target: Int, metric: Metric) -> MarkCodes {
    MarkCodes { place(target: target, metric: metric, state: $0) }
  }
}
