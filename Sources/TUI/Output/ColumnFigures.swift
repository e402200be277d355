import Analysis
import Findings
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
  /// The moment of a replay: nothing after it is known.
  var moment: WallTime?

  private static let quantiles: [(name: String, quantile: Quantile)] = [
    ("p50", .p50), ("p90", .p90), ("p99", .p99),
  ]
  private static let states = NotificationState.settledColumns + [.inFlight]

  /// Counts have the names of the table `runs`. Quantiles are µs, those of settled notifications, with the 95 % intervals of
  /// panels and titles, which allow for notifications that depend on each other; empty where there are too few values, and an
  /// end of an interval where it is open. The effective counts say how many independent values would say as much.
  static let heading =
    (["start", "end", "due", "sent", "accepted"] + states.map(\.name) + ["metric", "count"]
    + quantiles.flatMap { ["\($0.name)_us", "\($0.name)_low_us", "\($0.name)_high_us"] }
    + quantiles.map { "\($0.name)_effective_count" }).joined(separator: ",")

  /// Columns that share what the time before them says about dependence, which changes slowly.
  private static let columnsOfHistory = 16

  /// The lines of the file, the heading first. Columns that lie ahead are left out.
  /// - Parameter reader: what the store knows of the time before each column; without one, dependence is known from the column
  ///   alone.
  func forEachLine(reader: (any DashboardSource)? = nil, _ body: (String) throws -> Void) throws {
    try body(Self.heading)
    var history = SeriesHistory.none
    for place in 0..<window.columns {
      let column = TimeWindow(
        scale: window.scale, firstColumn: window.firstColumn + Int64(place), columns: 1)
      guard column.start < snapshot.edge else { return }
      if let reader, place % Self.columnsOfHistory == 0 {
        let series = SeriesWindow(targets: ids, time: column.start..<column.end)
        history = try SeriesReader(reader).history(of: series, metrics: [metric], shares: [])
      }
      let pings = try pings(reader, column)
      try body(line(column, history, pings))
    }
  }

  private var ids: [TargetID] {
    targets.filter(snapshot.targets.indices.contains).map { snapshot.targets[$0].id }
  }

  /// Round trips, each of which many notifications may have; none for other metrics.
  private func pings(_ reader: (any DashboardSource)?, _ column: TimeWindow) throws -> [PingAnswer] {
    guard let reader, metric == .path else { return [] }
    return try reader.pings(of: ids, in: column.start..<column.end).filter { $0.at <= moment ?? $0.at }
  }

  private func line(_ column: TimeWindow, _ history: SeriesHistory, _ pings: [PingAnswer]) -> String {
    let facts = WindowStatistics(
      snapshot: snapshot, window: column, targets: targets, metric: metric, includesPending: false)
    let time = column.start..<column.end
    let points = FigurePoints(snapshot, window: time, targets: targets)
    let summary: WindowSummary =
      if pings.isEmpty {
        points.summary(of: metric, in: time, history)
      } else {
        WindowSummary(metric: metric, SeriesStatistics(in: time, pings: pings))
      }
    var fields = [column.start.rfc3339, column.end.rfc3339]
    fields += [facts.counts.due, facts.counts.sent, facts.counts.acceptedByProvider].map(String.init)
    fields += Self.states.map { String(facts.counts[$0]) }
    fields += [metric.rawValue, String(summary.count)]
    let intervals = Self.quantiles.map { quantile -> QuantileInterval? in
      if case .known(let interval) = summary[quantile.quantile] { interval } else { nil }
    }
    for interval in intervals {
      fields += [interval?.value, interval?.low, interval?.high].map { $0.map(String.init) ?? "" }
    }
    fields += intervals.map { interval in
      interval.map { FixedPoint.text(Int64(($0.effectiveCount * 10).rounded()), scale: 10, decimals: 1) }
        ?? ""
    }
    return fields.joined(separator: ",")
  }
}
