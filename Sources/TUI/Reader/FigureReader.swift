import Analysis
import Findings
import Measurement
import Store

/// Computes the figures that the screen shows, with what earlier windows in the store say about dependence: anew
/// only when the order or the notifications have changed.
struct FigureReader {
  private let clock: any HostClock
  private var order: FiguresOrder?
  private var run: RunID?
  /// What the notifications were at that time, as a number that increases with each change.
  private var changes: UInt64 = 0
  /// When they may be taken again.
  private var due = MonotonicTime.zero
  private var histories: [KnownHistory] = []

  /// Figures that change faster cannot be read.
  static let interval = Duration.milliseconds(500)
  /// The figures take at most one part in this many of the time.
  private static let share = 10

  init(clock: any HostClock) { self.clock = clock }

  /// - Parameter changes: increases with every change of the notifications.
  /// - Returns: `nil` when they are the same as before, or must wait for notifications that have not been read.
  mutating func read(
    _ wanted: FiguresOrder, of snapshot: Snapshot, changes: UInt64, _ reader: any DashboardSource
  ) throws -> WindowFigures? {
    guard snapshot.condition == .ready, let run = snapshot.run?.id, !wanted.places.isEmpty else { return nil }
    let began = clock.monotonicNow()
    if wanted == order, run == self.run {
      guard changes != self.changes, began >= due else { return nil }
    }
    let isRead = wanted.places.allSatisfy {
      snapshot.covered.includes(from: $0.window.lowerBound, to: $0.window.upperBound)
    }
    guard isRead else { return nil }
    if run != self.run { histories = [] }
    let places = try wanted.places.map { try figures(of: $0, wanted, snapshot, reader) }
    (order, self.run, self.changes) = (wanted, run, changes)
    let end = clock.monotonicNow()
    due = end + max(Self.interval, (end - began) * Self.share)
    return WindowFigures(wanted, run: run, places: places)
  }

  /// Makes the next call compute everything anew.
  mutating func forget() { (order, histories) = (nil, []) }

  private mutating func figures(
    of place: FiguresOrder.Place, _ order: FiguresOrder, _ snapshot: Snapshot, _ reader: any DashboardSource
  ) throws -> PlaceFigures {
    let places = place.targets.filter(snapshot.targets.indices.contains)
    let ids = places.map { snapshot.targets[$0].id }
    let known = order.moment.map { snapshot.known(at: $0, since: place.window.lowerBound) } ?? snapshot
    let points = FigurePoints(known, window: place.window, targets: places)
    guard let time = points.time else { return PlaceFigures(points, threshold: nil) }
    let window = SeriesWindow(targets: ids, time: time)
    var shares: Set<SeriesShare> = []
    if let threshold = order.threshold {
      shares = Set(Metric.allCases.map { .within(threshold, of: $0, base: .planned) })
    }
    let history = try history(of: window, shares, SeriesReader(reader))
    // At a moment of the past, sums are only known as the plot has them.
    var figures = PlaceFigures(
      points, threshold: order.threshold, history: history,
      read: points.hasSums && order.moment == nil
        ? try SeriesReader(reader).statistics(of: window, metrics: Set(Metric.allCases), shares: []) : nil)
    var pings = try reader.pings(of: ids, in: time)
    if let moment = order.moment { pings.removeAll { $0.at > moment } }
    figures.setPath(pings, in: time)
    return figures
  }

  // MARK: - History

  /// What was read of the time before a window.
  private struct KnownHistory {
    let window: SeriesWindow
    let shares: Set<SeriesShare>
    let history: SeriesHistory

    /// Whether it is as good for another window: one that has moved on by less than its length, and is about as long.
    func covers(_ other: SeriesWindow, _ shares: Set<SeriesShare>) -> Bool {
      func length(_ window: SeriesWindow) -> Duration { window.time.upperBound - window.time.lowerBound }
      let moved = other.time.lowerBound - window.time.lowerBound
      let (own, its) = (length(window), length(other))
      return other.targets == window.targets && shares.isSubset(of: self.shares) && moved >= .zero
        && moved < own
        && its <= own + own / 4 && own <= its + its / 4
    }
  }

  /// Windows whose histories are kept.
  private static let kept = 8

  /// Dependence changes slowly, and reading it costs more than everything else.
  private mutating func history(
    of window: SeriesWindow, _ shares: Set<SeriesShare>, _ series: SeriesReader
  ) throws -> SeriesHistory {
    if let known = histories.last(where: { $0.covers(window, shares) }) { return known.history }
    let history = try series.history(of: window, metrics: Set(Metric.allCases), shares: shares)
    histories.append(KnownHistory(window: window, shares: shares, history: history))
    if histories.count > Self.kept { histories.removeFirst() }
    return history
  }
}

/// The notifications and sums of one place.
struct FigurePoints {
  /// The part of the run that was recorded.
  private let recorded: Range<WallTime>
  private let runs: [(track: PointTrack, range: Range<Int>)]
  private let columns: [ArraySlice<Density.Column>]

  init(_ snapshot: Snapshot, window: Range<WallTime>, targets: [Int]) {
    recorded = snapshot.recorded(window)
    let targets = targets.filter(snapshot.tracks.indices.contains)
    runs = targets.map { target in
      let track = snapshot.tracks[target]
      return (track, track.range(from: window.lowerBound, to: window.upperBound))
    }
    columns = targets.compactMap { target in
      snapshot.density.map { $0.columns(of: target, from: window.lowerBound, to: window.upperBound) }
    }
  }

  /// Whether a part of the window is known as sums only.
  var hasSums: Bool { columns.contains { !$0.isEmpty } }

  /// The part of the window in which something was due, in whole seconds as rollups have them; `nil` when nothing was. The blocks
  /// that intervals are made from begin with it, so it must not depend on how far a window reaches beyond the run.
  var time: Range<WallTime>? {
    var bounds: ClosedRange<WallTime>?
    func add(_ time: Int64) {
      let time = WallTime(microseconds: time)
      let known = bounds ?? time...time
      bounds = min(known.lowerBound, time)...max(known.upperBound, time)
    }
    for run in runs {
      if let first = run.range.first(where: { run.track[$0].state != .planned }) {
        add(run.track[first].plannedAt)
      }
      if let last = run.range.last(where: { run.track[$0].state != .planned }) {
        add(run.track[last].plannedAt)
      }
    }
    for part in columns {
      if let first = part.first, let last = part.last {
        add(first.start)
        add(last.start + max(0, last.duration - 1))
      }
    }
    return bounds.map { bounds in
      let start = bounds.lowerBound.floored(to: .seconds(1))
      let end = bounds.upperBound.floored(to: .seconds(1)) + .seconds(1)
      return (start..<end).clamped(to: recorded)
    }
  }

  /// The part of a window in which notifications were planned.
  private func sent(in time: Range<WallTime>) -> SentTime {
    var sent = SentTimeAccumulator()
    for column in columns.joined() {
      let start = WallTime(microseconds: column.start)
      sent.insert(
        start..<start.advanced(byMicroseconds: max(0, column.duration)), count: column.counts.planned)
    }
    forEach { sent.insert(WallTime(microseconds: $0.plannedAt)) }
    return sent.time(in: time)
  }

  private func forEach(_ body: (SamplePoint) -> Void) {
    for run in runs { run.track.forEachRun(in: run.range) { for point in $0 { body(point) } } }
  }

  /// The summary of one metric.
  func summary(of metric: Metric, in time: Range<WallTime>, _ history: SeriesHistory) -> WindowSummary {
    if hasSums { return summaryOfSums(of: metric, in: time, history) }
    let statistics = SeriesStatistics(in: time, metrics: [metric], history: history) { forEach($0) }
    return WindowSummary(metric: metric, statistics)
  }

  /// Summaries made of notifications alone: the same as from the store.
  func summaries(in time: Range<WallTime>, _ history: SeriesHistory) -> [WindowSummary] {
    let statistics = SeriesStatistics(in: time, metrics: Set(Metric.allCases), history: history) {
      forEach($0)
    }
    return Metric.allCases.map { WindowSummary(metric: $0, statistics) }
  }

  /// Summaries made of sums and notifications, to the precision of the plot's buckets: for a moment of the past,
  /// which rollups do not know.
  func summariesOfSums(in time: Range<WallTime>, _ history: SeriesHistory) -> [WindowSummary] {
    Metric.allCases.map { summaryOfSums(of: $0, in: time, history) }
  }

  private func summaryOfSums(
    of metric: Metric, in time: Range<WallTime>, _ history: SeriesHistory
  ) -> WindowSummary {
    var values = RangedLatencies(LatencyCollection())
    for column in columns.joined() {
      let packed = column.ranged(metric).map { buckets in
        var accumulator = LatencyAccumulator()
        for bucket in buckets { accumulator.add(bucket.middle, count: Int(bucket.count)) }
        return accumulator.packed
      }
      let start = max(time.lowerBound, WallTime(microseconds: column.start))
      values.combine(packed) { $0.add($1, plannedFrom: start) }
    }
    forEach { point in
      guard point.state.isSettled, let value = point.value(of: metric) else { return }
      let ranged = RangedLatencies(value, point.range(of: metric))
      values.combine(ranged) { $0.record($1, plannedAt: WallTime(microseconds: point.plannedAt)) }
    }
    let sent = sent(in: time)
    let windows = values.map { $0.window(sent) }
    return WindowSummary(metric: metric, count: windows.values.count, isExact: windows.isExact) {
      windows.interval(of: $0, history: history.latencies[metric])
    }
  }

  /// How many took longer than a threshold. The bucket of the threshold counts by its middle.
  func beyond(
    _ threshold: Int64, of metric: Metric, in time: Range<WallTime>, _ history: ShareHistory?
  ) -> ThresholdFigures {
    var share = ShareCollection()
    for column in columns.joined() {
      let over = column.buckets(of: metric).reduce(0) { $0 + ($1.middle > threshold ? Int($1.count) : 0) }
      let start = max(time.lowerBound, WallTime(microseconds: column.start))
      share.add(min(over, column.counts.settled), of: column.counts.settled, plannedFrom: start)
    }
    forEach { point in
      guard point.state.isSettled else { return }
      let isOver = (point.value(of: metric) ?? 0) > threshold
      share.add(isOver ? 1 : 0, of: 1, plannedFrom: WallTime(microseconds: point.plannedAt))
    }
    return ThresholdFigures(value: threshold, over: share.window(sent(in: time)).interval(history: history))
  }
}

extension PlaceFigures {
  /// - Parameters:
  ///   - history: what earlier windows say.
  ///   - read: the latencies, where they were read from the store; `nil` takes those of the points.
  init(
    _ points: FigurePoints, threshold: Int64?, history: SeriesHistory = .none, read: SeriesStatistics? = nil
  ) {
    guard let time = points.time else {
      self.init(
        summaries: Metric.allCases.map { WindowSummary(metric: $0, count: 0, isExact: true) { _ in nil } },
        beyond: [:])
      return
    }
    let summaries =
      read.map { read in Metric.allCases.map { WindowSummary(metric: $0, read) } }
      ?? (points.hasSums ? points.summariesOfSums(in: time, history) : points.summaries(in: time, history))
    var beyond: [Metric: ThresholdFigures] = [:]
    if let threshold {
      for metric in Metric.allCases {
        let past = history.shares[.within(threshold, of: metric, base: .planned)]
        beyond[metric] = points.beyond(threshold, of: metric, in: time, past)
      }
    }
    self.init(summaries: summaries, beyond: beyond)
  }

  /// Computes the figures of the path from round trips, each of which many notifications may have.
  fileprivate mutating func setPath(_ answers: [PingAnswer], in time: Range<WallTime>) {
    guard !answers.isEmpty else { return }
    setPath(
      WindowSummary(metric: .path, SeriesStatistics(in: time, pings: answers)),
      pings: answers.map { max(0, $0.roundTrip) })
  }
}

extension WindowSummary {
  init(metric: Metric, _ statistics: SeriesStatistics) {
    self.init(
      metric: metric, count: statistics.count(of: metric), isExact: statistics.isExact(metric)
    ) { statistics.quantile($0, of: metric) }
  }
}
