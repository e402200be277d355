import ConstraintAnimation
import Measurement
import Store

/// What plot and histogram show of a snapshot: facts of the window, and the figures that the reader's thread has taken of it.
///
/// Counts and dots are as new as the snapshot. The histogram is drawn at most twice a second: bars that change faster cannot
/// be read.
struct PlotContent {
  /// The number of the snapshot; in replays several contents are of the same one.
  private let snapshot: (number: UInt64, now: WallTime)
  let targets: [Int]
  /// What dots and facts are made from.
  let sources: TileSources
  let facts: WindowStatistics
  /// The statistics of the second metric on display, where there are two.
  let second: WindowStatistics?
  let before: WindowStatistics
  /// The colors of the values of the key that is chosen; `nil` without one, until the reader has it, and where the window is drawn from
  /// sums, of whose notifications no values are known.
  let valueColors: ValueColors?
  /// When the bars were counted.
  let summarizedAt: MotionTime
  /// The figures of the same run; `nil` until they have been taken.
  private var allFigures: WindowFigures?

  static let summaryInterval = Duration.milliseconds(500)

  /// - Parameters:
  ///   - place: the window to show instead of the state's own.
  ///   - figures: of the same run.
  ///   - colors: as many as there are for the values of a key.
  ///   - beside: the colors of values in the plot beside this one.
  ///   - tiles: kept between frames.
  init(
    snapshot: Snapshot, state: ViewState, columns: Int, place: TimeWindow? = nil, previous: PlotContent?,
    figures: WindowFigures? = nil, colors: Int = Theme.dark.targets.count, beside: ValueColors? = nil,
    _ tiles: inout StatisticsTiles,
    at time: MotionTime
  ) {
    let window = place ?? state.window(in: snapshot, columns: columns)
    self.snapshot = (snapshot.number, snapshot.now)
    targets = state.shownTargets(in: snapshot)
    let metrics = state.metrics(in: snapshot)
    let metric = metrics[0]
    sources = TileSources(snapshot, targets: targets, window: window, after: previous?.sources)
    facts = WindowStatistics(
      sources, of: snapshot, targets: targets, metric: metric,
      includesPending: snapshot.run?.isLive ?? false, &tiles)
    if metrics.count > 1 {
      second = WindowStatistics(
        sources, of: snapshot, targets: targets, metric: metrics[1], includesPending: false, &tiles)
    } else {
      second = nil
    }
    if let values = snapshot.values, state.plot.coloring == .key(values.key), facts.sums.isEmpty {
      valueColors = ValueColors(
        values, counts: tiles.values.counts(of: sources, targets: targets), colors: colors,
        after: previous?.valueColors, beside: beside)
    } else {
      valueColors = nil
    }
    allFigures = figures?.run == snapshot.run?.id ? figures : nil
    isReading =
      snapshot.condition == .opening || !snapshot.covered.includes(from: window.start, to: window.end)
    hasBefore = snapshot.covered.from <= window.previous.start
    if let previous, previous.isSamePlace(window, targets, metric), previous.isReading == isReading,
      previous.hasBefore == hasBefore, time - previous.summarizedAt < Self.summaryInterval
    {
      (before, summarizedAt) = (previous.before, previous.summarizedAt)
      isSummaryStale = previous.isSummaryStale || facts.valueCount != previous.facts.valueCount
    } else {
      let known = hasBefore ? snapshot : Snapshot()
      before = WindowStatistics(
        TileSources(known, targets: targets, window: window.previous), of: known, targets: targets,
        metric: metric, includesPending: false, &tiles)
      summarizedAt = time
      isSummaryStale = false
    }
  }

  var window: TimeWindow { sources.window }

  /// A part of the window has not been read yet.
  let isReading: Bool

  /// The window before has been read.
  private let hasBefore: Bool

  /// The bars are older than the notifications shown.
  let isSummaryStale: Bool

  /// When bars are to be counted again; `nil` when they are fresh.
  var summaryDue: MotionTime? { isSummaryStale ? summarizedAt + Self.summaryInterval : nil }

  /// Whether the same is to be seen in a later frame: it is of the same snapshot or, while looking back, nothing new is in the
  /// window.
  func looksSame(as later: PlotContent) -> Bool {
    (snapshot == later.snapshot || !facts.isEmpty && !facts.hasPending && !later.facts.hasPending)
      && sources.isSame(as: later.sources) && targets == later.targets && facts.metric == later.facts.metric
      && facts.isTruncated == later.facts.isTruncated && isReading == later.isReading
      && allFigures == later.allFigures && valueColors == later.valueColors
  }

  private func isSamePlace(_ window: TimeWindow, _ targets: [Int], _ metric: Metric) -> Bool {
    self.window.scale == window.scale && self.window.columns == window.columns && self.targets == targets
      && facts.metric == metric
  }

  // MARK: - Figures

  /// Sets figures of the same targets and run.
  /// - Returns: whether they differ from those before.
  mutating func set(_ figures: WindowFigures?, in snapshot: Snapshot) -> Bool {
    let fresh = figures?.run == snapshot.run?.id ? figures : nil
    defer { allFigures = fresh }
    return fresh != allFigures
  }

  /// The figures of all targets on display.
  var figures: PlaceFigures? { figures(of: targets) }

  /// The figures of some of them.
  func figures(of targets: [Int]) -> PlaceFigures? { allFigures?.figures(of: targets) }

  /// Quantiles of the metric on display.
  var summary: WindowSummary { summary(of: facts.metric) }

  /// The summaries of the metric on display, then of the others.
  var summaries: [WindowSummary] {
    let others = [Metric.delivery, .shown, .accept, .service, .path].filter { $0 != facts.metric }
    return ([facts.metric] + others).map { summary(of: $0) }
  }

  func summary(of metric: Metric) -> WindowSummary {
    figures?.summary(of: metric) ?? WindowSummary(pending: metric)
  }

  /// The name of the sums that the window is drawn from, where some of them are still open.
  func openSums(in snapshot: Snapshot) -> String? {
    guard let density = snapshot.density else { return nil }
    return density.isAnyOpen(of: targets, from: window.start, to: window.end) ? density.name : nil
  }

  /// The colors of ordinary marks.
  func colors(_ state: ViewState, of metrics: [Metric], in snapshot: Snapshot) -> SeriesColors {
    let coloring = state.plot.coloring
    return SeriesColors(
      coloring: coloring.key != nil && valueColors == nil ? .target : coloring,
      targets: snapshot.targets.count, metrics: metrics, values: valueColors?.places)
  }

  func facts(of metric: Metric) -> WindowStatistics {
    second.flatMap { $0.metric == metric ? $0 : nil } ?? facts
  }

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
