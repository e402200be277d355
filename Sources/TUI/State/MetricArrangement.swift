/// How many metrics the plot shows, and where.
enum MetricArrangement: Sendable, Hashable, CaseIterable {
  case single
  /// Two metrics in one plot.
  case overlaid
  /// Two plots, one a metric, each with an axis of its own.
  case sideBySide

  var next: MetricArrangement {
    switch self {
    case .single: .overlaid
    case .overlaid: .sideBySide
    case .sideBySide: .single
    }
  }
}
