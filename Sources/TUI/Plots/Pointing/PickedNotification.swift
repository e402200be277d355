import Measurement

/// A notification as it stands in a plot.
struct PickedNotification: Sendable, Hashable {
  /// Its place in the run's order of targets.
  let target: Int
  let sequence: Int64
  let point: PlotPoint
  /// The metric it stands there for.
  let metric: Metric
  let column: Int
  let y: Int
}
