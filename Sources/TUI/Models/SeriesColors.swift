import Measurement

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
