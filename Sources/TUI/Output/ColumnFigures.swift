import Formats
import Measurement
import Store

/// Counts and quantiles of the window, a row for each column of the plot.
struct ColumnFigures: Sendable {
  let snapshot: Snapshot
  let window: TimeWindow
  /// Indices of the targets in the plot.
  let targets: [Int]
  let metric: Metric

  private static let quantiles: [(name: String, quantile: Quantile)] = [
    ("p50", .p50), ("p90", .p90), ("p99", .p99),
  ]
  private static let states: [NotificationState] = [
    .delivered, .late, .lost, .rejected, .failed, .missed, .interrupted, .inFlight,
  ]

  /// Counts have the names of the table `runs`; quantiles are µs, with 95 % intervals of order statistics, and empty
  /// where there are too few values.
  static let heading =
    (["start", "end", "due", "sent", "accepted"] + states.map(\.name) + ["metric", "count"]
    + quantiles.flatMap { ["\($0.name)_us", "\($0.name)_low_us", "\($0.name)_high_us"] }).joined(
      separator: ",")

  /// The lines of the file, the heading first. Columns that lie ahead are left out.
  func forEachLine(_ body: (String) throws -> Void) rethrows {
    try body(Self.heading)
    for place in 0..<window.columns {
      let column = TimeWindow(
        scale: window.scale, firstColumn: window.firstColumn + Int64(place), columns: 1)
      guard column.start < snapshot.edge else { return }
      try body(line(column))
    }
  }

  private func line(_ column: TimeWindow) -> String {
    let facts = WindowStatistics(
      snapshot: snapshot, window: column, targets: targets, metric: metric, includesPending: false)
    var histogram = LatencyHistogram()
    for bucket in facts.sums { histogram.record(bucket.middle, count: Int(bucket.count)) }
    // Single values are exact, those of sums as good as their buckets.
    let isExact = facts.sums.isEmpty
    if !isExact { for value in facts.values { histogram.record(value) } }
    let exact = ExactQuantiles(isExact ? facts.values.sorted() : [])
    var fields = [column.start.rfc3339, column.end.rfc3339]
    fields += [facts.counts.due, facts.counts.sent, facts.counts.acceptedByProvider].map(String.init)
    fields += Self.states.map { String(facts.counts[$0]) }
    fields += [metric.rawValue, String(isExact ? facts.values.count : histogram.count)]
    for (_, quantile) in Self.quantiles {
      let estimate = isExact ? exact.estimate(quantile) : histogram.estimate(quantile)
      guard case .known(let value, let low, let high) = estimate else {
        fields += ["", "", ""]
        continue
      }
      fields += [value, low, high].map(String.init)
    }
    return fields.joined(separator: ",")
  }
}
