import ConstraintAnimation
import Measurement

/// What plot and histogram have worked out of the present snapshot, and what may stay as it was for a moment.
///
/// Counts and dots are as fresh as the data. Quantiles are taken twice a second at most: they cost more, and numbers
/// that change ten times a second cannot be read.
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
      // What is on its way comes with a snapshot of its own.
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

  /// A part of the window has not been read yet: nothing can be said about it.
  let isReading: Bool

  /// The window before has been read.
  private let hasBefore: Bool

  /// The sums at hand are of another window than the one shown: the right ones are on their way.
  private let isUnread: Bool

  /// The quantiles do not speak for the notifications that are shown.
  let isSummaryStale: Bool

  /// When they should be taken again; `nil` when they are fresh.
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
    let others = [Metric.delivery, .accept, .service].filter { $0 != facts.metric }
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

  /// The axis of latencies that fits some of the metrics, also in what stands beside it.
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
