import ConstraintAnimation
import Measurement
import Store

/// What plot and histogram show of a snapshot: facts and summaries of the window.
///
/// Counts and dots are as new as the snapshot. Quantiles are taken at most twice a second: they cost more, and figures
/// that change faster cannot be read.
struct PlotContent {
  let window: TimeWindow
  let targets: [Int]
  let facts: WindowStatistics
  /// Of the second metric on display, where there are two.
  let second: WindowStatistics?
  private(set) var before: WindowStatistics
  private(set) var summaries: [WindowSummary]
  private(set) var summarizedAt: MotionTime

  static let summaryInterval = Duration.milliseconds(500)

  /// - Parameter place: the window to show instead of the state's own.
  init(
    snapshot: Snapshot, state: ViewState, columns: Int, place: TimeWindow? = nil, previous: PlotContent?,
    at time: MotionTime
  ) {
    window = place ?? state.window(in: snapshot, columns: columns)
    targets = state.shownTargets(in: snapshot)
    let metrics = state.metrics(in: snapshot)
    let metric = metrics[0]
    facts = WindowStatistics(
      snapshot: snapshot, window: window, targets: targets, metric: metric,
      includesPending: snapshot.run?.isLive ?? false)
    if metrics.count > 1 {
      second = WindowStatistics(
        snapshot: snapshot, window: window, targets: targets, metric: metrics[1], includesPending: false)
    } else {
      second = nil
    }
    isUnread = !facts.sums.isEmpty && snapshot.density?.isOfAnother(window) ?? false
    isReading = !snapshot.covered.includes(from: window.start, to: window.end)
    hasBefore = snapshot.covered.from <= window.previous.start
    if let previous, previous.isSamePlace(window, targets, metric), previous.isReading == isReading,
      previous.hasBefore == hasBefore,
      isUnread || !previous.isUnread && time - previous.summarizedAt < Self.summaryInterval
    {
      (before, summaries, summarizedAt) = (previous.before, previous.summaries, previous.summarizedAt)
      // Sums that are being read come with another snapshot.
      isSummaryStale =
        !isUnread
        && (previous.isSummaryStale || facts.valueCount != previous.facts.valueCount)
    } else {
      before = WindowStatistics(
        snapshot: hasBefore ? snapshot : Snapshot(), window: window.previous, targets: targets,
        metric: metric,
        includesPending: false)
      summaries = Self.summaries(snapshot, window, targets, facts)
      summarizedAt = time
      isSummaryStale = false
    }
  }

  /// A part of the window has not been read yet.
  let isReading: Bool

  /// The window before has been read.
  private let hasBefore: Bool

  /// The sums are of another window; those of this one are being read.
  private let isUnread: Bool

  /// The quantiles are older than the notifications shown.
  let isSummaryStale: Bool

  /// When quantiles are to be taken again; `nil` when they are fresh.
  var summaryDue: MotionTime? { isSummaryStale ? summarizedAt + Self.summaryInterval : nil }

  var summary: WindowSummary { summaries[0] }

  private func isSamePlace(_ window: TimeWindow, _ targets: [Int], _ metric: Metric) -> Bool {
    self.window.scale == window.scale && self.window.columns == window.columns && self.targets == targets
      && facts.metric == metric
  }

  /// Of the metric on display, then of the others.
  private static func summaries(
    _ snapshot: Snapshot, _ window: TimeWindow, _ targets: [Int], _ facts: WindowStatistics
  ) -> [WindowSummary] {
    let others = [Metric.delivery, .accept, .service, .path].filter { $0 != facts.metric }
    return [WindowSummary(facts, snapshot, window: window, targets: targets)]
      + others.map { metric in
        let facts = WindowStatistics(
          snapshot: snapshot, window: window, targets: targets, metric: metric, includesPending: false)
        return WindowSummary(facts, snapshot, window: window, targets: targets)
      }
  }

  /// The name of the sums that the window is drawn from, where some of them are still open.
  func openSums(in snapshot: Snapshot) -> String? {
    guard let density = snapshot.density else { return nil }
    return density.isAnyOpen(of: targets, from: window.start, to: window.end) ? density.name : nil
  }

  func facts(of metric: Metric) -> WindowStatistics {
    second.flatMap { $0.metric == metric ? $0 : nil } ?? facts
  }

  func summary(of metric: Metric) -> WindowSummary { summaries.first { $0.metric == metric } ?? summary }

  /// The axis that fits some metrics, also of the plot beside.
  func axis(_ state: ViewState, for metrics: [Metric], with other: PlotContent? = nil) -> LatencyAxis {
    if case .fixed(let lower, let upper) = state.range {
      return LatencyAxis(kind: state.axisKind, lower: lower, upper: upper)
    }
    let contents = [self] + (other.map { [$0] } ?? [])
    let all = contents.flatMap { content in metrics.map { content.facts(of: $0) } }
    var largest = all.compactMap(\.largest).max()
    if state.range == .capped {
      let caps = contents.flatMap { content in metrics.compactMap { content.summary(of: $0)[.p99].value } }
      if caps.count == all.count { largest = caps.max() }
    }
    return LatencyAxis.fitting(
      kind: state.axisKind, smallest: all.compactMap(\.smallest).min(), largest: largest)
  }
}
