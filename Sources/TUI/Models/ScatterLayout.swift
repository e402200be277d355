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

/// How the plot's rectangle is divided.
struct ScatterGeometry: Sendable, Hashable {
  let width: Int
  let height: Int

  /// Labels of the axis of latencies and the axis itself.
  static let gutter = 9

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  var columns: Int { max(0, width - Self.gutter) }
  /// Where lost, failed and rejected ones are marked.
  var bandRow: Int { 1 }
  var firstRow: Int { 2 }
  /// The axis of time, and a row for its labels where there is room.
  var axisRows: Int { height >= 11 ? 2 : 1 }
  var axisRow: Int { height - axisRows }
  var rows: Int { max(0, axisRow - firstRow) }
}

/// Which of the theme's colors a mark gets, by what was asked for: a place that stands for a target or a state, and
/// with two metrics in one plot for the metric too.
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
