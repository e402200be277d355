import Findings
import Measurement
import Store

/// Reads windows of series from a store, with what lies before them. Stretches in which something was wrong, as closed
/// findings say, are no part of what is usual: they are left out of histories.
public struct SeriesReader {
  /// What a window is read from.
  public enum Depth: Sendable, Hashable {
    /// Reads up to so many notifications, and rollups where there are more.
    case upTo(Int)
    /// Every notification.
    case samples
    /// Rollups, and notifications only where there are none.
    case rollups

    public static let standard = Depth.upTo(100_000)
  }

  private let reader: any SampleSource
  private let excluded: (SeriesWindow) throws -> [Range<WallTime>]

  /// - Parameter excluded: stretches that are no part of a series' history, instead of those of the store's closed
  ///   findings; asked with the time before a window.
  public init(
    _ reader: any SampleSource, excluding excluded: ((SeriesWindow) throws -> [Range<WallTime>])? = nil
  ) {
    self.reader = reader
    self.excluded =
      excluded ?? { try reader.closedFindings(of: $0.targets, variants: $0.variants, in: $0.time) }
  }

  /// How far retention has deleted what a window is read from.
  /// - Throws: ``StoreError``.
  public func pruned() throws -> PrunedSpans { try reader.pruned() }

  /// The window of a target's planned times so far.
  ///
  /// - Parameters:
  ///   - variants: `nil` for all.
  ///   - since: `nil`, like until, for no limit.
  ///   - until: excluded.
  /// - Returns: `nil` when nothing was due.
  /// - Throws: ``StoreError``.
  public func window(
    of targets: [TargetID], variants: Set<VariantID>? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) throws -> SeriesWindow? {
    guard let planned = try reader.plannedTimes(of: targets, from: since, to: until) else { return nil }
    var time = Self.time(planned)
    if let since { time = max(since, time.lowerBound)..<time.upperBound }
    if let until { time = time.lowerBound..<min(until, time.upperBound) }
    return SeriesWindow(targets: targets, variants: variants, time: time)
  }

  /// A range in whole seconds, as rollups have them.
  private static func time(_ planned: ClosedRange<WallTime>) -> Range<WallTime> {
    let second = RollupSpan.second
    return second.start(of: planned.lowerBound)..<second.start(of: planned.upperBound) + second.length
  }

  /// Reads a window and its history.
  ///
  /// - Throws: ``StoreError``.
  public func statistics(
    of window: SeriesWindow, metrics: Set<Metric> = Set(Metric.allCases),
    shares: Set<SeriesShare> = SeriesShare.watched, depth: Depth = .standard, usesHistory: Bool = true
  ) throws -> SeriesStatistics {
    var accumulator = SeriesAccumulator(metrics: metrics, shares: shares)
    let span = try span(of: window, depth)
    try forEach(
      in: window, from: span, figures: Self.figures(metrics, shares),
      rollup: { accumulator.addIfComplete($0) }, row: { accumulator.add($0) })
    let sent = accumulator.sentTime(in: window.time)
    if let finer = Self.finer(window, sent, span) {
      return try statistics(
        of: finer, metrics: metrics, shares: shares, depth: depth, usesHistory: usesHistory)
    }
    if metrics.contains(.path) { accumulator.replacePath(try roundTrips(in: window)) }
    let past = SeriesWindow(window, sent)
    return accumulator.statistics(
      in: window.time,
      history: usesHistory ? try history(of: past, metrics: metrics, shares: shares) : .none)
  }

  /// Reads a long window from rollups of hours: enough for its quantiles and shares, not for their intervals.
  ///
  /// - Throws: ``StoreError``.
  public func coarseStatistics(of window: SeriesWindow, metrics: Set<Metric>, shares: Set<SeriesShare>) throws
    -> SeriesStatistics
  {
    var accumulator = SeriesAccumulator(metrics: metrics, shares: shares, binnedBy: .hour)
    try forEach(
      in: window, from: .hour, figures: Self.figures(metrics, shares),
      rollup: { accumulator.addIfComplete($0) }, row: { accumulator.add($0) })
    return accumulator.statistics(in: window.time, history: .none)
  }

  /// The part of a window in which it was sent, where it is so much shorter that the window's rollups are too coarse for it.
  ///
  /// - Parameter span: of the rollups that were read; `nil` of notifications.
  public static func finer(_ window: SeriesWindow, _ sent: SentTime, _ span: RollupSpan?) -> SeriesWindow? {
    guard let span, sent.stretches.count == 1, sent.bounds != window.time,
      BinLength(sent).span?.rawValue ?? 0 < span.rawValue
    else { return nil }
    var own = window
    own.time = sent.bounds
    return own
  }

  /// What the time before a window says about dependence in it, from rollups of all runs that measured the same.
  ///
  /// - Throws: ``StoreError``.
  public func history(of window: SeriesWindow, metrics: Set<Metric>, shares: Set<SeriesShare>) throws
    -> SeriesHistory
  {
    try histories(of: window, metrics: metrics, shares: shares, isByVariant: false)[.none] ?? .none
  }

  /// The histories of each variant of a window by itself.
  ///
  /// - Parameter sent: when each variant was sent, by which the lengths of earlier windows are chosen.
  /// - Throws: ``StoreError``.
  public func historiesByVariant(
    of window: SeriesWindow, sent: [VariantID: SentTime], metrics: Set<Metric>, shares: Set<SeriesShare>
  ) throws -> [VariantID: SeriesHistory] {
    let length = window.time.upperBound - window.time.lowerBound
    // Those that were sent nearly all the time are read together.
    var result: [VariantID: SeriesHistory] = [:]
    let partly = sent.filter { .microseconds($0.value.length) < length - length / 8 }
    if partly.count < sent.count {
      result = try histories(of: window, metrics: metrics, shares: shares, isByVariant: true)
    }
    for (variant, time) in partly {
      var own = SeriesWindow(window, time)
      own.variants = [variant]
      result[variant] = try history(of: own, metrics: metrics, shares: shares)
    }
    return result
  }

  private func histories(
    of window: SeriesWindow, metrics: Set<Metric>, shares: Set<SeriesShare>, isByVariant: Bool
  ) throws -> [VariantID: SeriesHistory] {
    let plan = HistoryPlan(window: window.time)
    let stretches = try reader.targets(sameAs: window.targets, recordedFrom: plan.start, to: plan.end)
    guard let first = stretches.first, first.startedAt <= plan.latestStart else { return [:] }
    var past = window
    past.targets = stretches.map(\.target)
    past.time = max(plan.start, first.startedAt - plan.windowLength)..<plan.end
    var groups: [VariantID: SeriesAccumulator] = [:]
    let empty = SeriesAccumulator(metrics: metrics, shares: shares, binnedBy: plan.span)
    try forEach(
      in: past, from: plan.span, figures: Self.figures(metrics, shares),
      rollup: { groups[isByVariant ? $0.variant : .none, default: empty].addIfComplete($0) },
      row: { groups[isByVariant ? $0.variant : .none, default: empty].add($0) })
    if metrics.contains(.path) {
      let pings = try roundTrips(
        of: past.targets, RoundTrips(past.time, span: plan.span, most: 0), in: past.time)
      for variant in groups.keys { groups[variant]?.replacePath(pings) }
    }
    var histories: [VariantID: SeriesHistory] = [:]
    for (variant, values) in groups {
      if isByVariant { past.variants = [variant] }
      histories[variant] = values.history(plan, excluding: try excluded(past))
    }
    return histories
  }

  func forEachPing(of targets: [TargetID], in time: Range<WallTime>, _ body: (PingAnswer) -> Void) throws {
    try reader.forEachPing(of: targets, in: time, body)
  }

  private static func figures(_ metrics: Set<Metric>, _ shares: Set<SeriesShare>) -> Set<RollupFigure> {
    var metrics = metrics
    for case .within(_, of: let metric, base: _) in shares { metrics.insert(metric) }
    return RollupFigure.ranged(metrics)
  }

  /// The rollups to read a window from; `nil` where single notifications are to be read. Never `nil` where retention has
  /// deleted some of them.
  ///
  /// - Throws: ``StoreError``.
  public func span(of window: SeriesWindow, _ depth: Depth) throws -> RollupSpan? {
    let pruned = try reader.pruned()
    if pruned.hasPruned(samplesFrom: window.time.lowerBound) {
      // Of a short window at least what there is.
      return BinLength(window: window.time).span ?? pruned.finestSpan(from: window.time.lowerBound)
    }
    guard let span = BinLength(window: window.time).span else { return nil }
    switch depth {
    case .samples: return nil
    case .rollups: return span
    case .upTo(let rows):
      let count = try reader.pointCount(
        of: window.targets, from: window.time.lowerBound, to: window.time.upperBound, atMost: rows + 1)
      return count > rows ? span : nil
    }
  }

  /// Visits rollups, and single notifications where there are none and where a rollup is not taken. Their rows have the columns of
  /// figures.
  ///
  /// - Parameters:
  ///   - span: of the rollups to visit; `nil` for single notifications only.
  ///   - figures: to read of rollups.
  ///   - rollup: returns whether it counts; otherwise its notifications are visited.
  /// - Returns: the range of planned time that is covered by rollups; `nil` when none is.
  /// - Throws: ``StoreError``, and what `row` throws.
  @discardableResult
  public func forEach(
    in window: SeriesWindow, from span: RollupSpan?, figures: Set<RollupFigure>,
    rollup: (RollupBin) -> Bool, row: (borrowing SampleRow) throws -> Void
  ) throws -> Range<WallTime>? {
    var open: [BinPlace] = []
    var covered: Range<WallTime>?
    if let span {
      covered = try reader.forEachRollup(
        of: window.targets, plannedFrom: window.time.lowerBound, to: window.time.upperBound, span: span,
        figures: figures
      ) { bin in
        let bin = bin.counted(from: window.time.lowerBound)
        if window.includes(bin.variant), !rollup(bin) { open.append(BinPlace(bin)) }
      }
    }
    let whole = covered ?? window.time.lowerBound..<window.time.lowerBound
    for target in window.targets {
      for part in [window.time.lowerBound..<whole.lowerBound, whole.upperBound..<window.time.upperBound]
      where !part.isEmpty {
        try reader.forEachSample(
          of: target, plannedFrom: part.lowerBound, to: part.upperBound, columns: .figures
        ) {
          if window.includes($0.variant) { try row($0) }
        }
      }
    }
    for (target, places) in Dictionary(grouping: open, by: \.target).sorted(by: { $0.key < $1.key }) {
      try forEach(of: target, in: places, row)
    }
    return covered
  }

  /// Reads the notifications of some rollups of a target, which are ascending by time.
  private func forEach(
    of target: TargetID, in places: [BinPlace], _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    var next = 0
    while next < places.count {
      // Adjacent ones in one go.
      let first = next
      var end = places[first].time.upperBound
      while next < places.count, places[next].time.lowerBound <= end {
        end = max(end, places[next].time.upperBound)
        next += 1
      }
      let some = places[first..<next]
      try reader.forEachSample(
        of: target, plannedFrom: places[first].time.lowerBound, to: end, columns: .figures
      ) { row in
        let (variant, plannedAt) = (row.variant, row.plannedAt)
        // Few variants share a stretch, and places are in the order of time.
        var place = some.partitioningIndex { $0.time.upperBound > plannedAt }
        while place < some.endIndex, some[place].time.lowerBound <= plannedAt {
          if some[place].variant == variant, some[place].time.contains(plannedAt) {
            try body(row)
            return
          }
          place += 1
        }
      }
    }
  }
}

/// Which notifications a rollup has counted.
private struct BinPlace {
  let target: TargetID
  let variant: VariantID
  let time: Range<WallTime>

  init(_ bin: RollupBin) {
    target = bin.target
    variant = bin.variant
    time = bin.start..<bin.end
  }
}

extension SampleColumns {
  /// What counts, latencies and shares are computed from.
  public static let figures = SampleColumns([
    .reason, .scheduleLag, .serviceTime, .acceptLatency, .deliveryLatency, .deliveryError, .deliveryHigh,
    .path, .shown, .display, .duplicates, .outOfOrder, .freshConnection,
  ])
}
