import Findings
import Measurement
import Store

/// Collects what the intervals of a series are computed from. Notifications that are not settled yet are only counted.
public struct SeriesAccumulator {
  public private(set) var counts = StateCounts()
  private var latencies: [(metric: Metric, values: RangedLatencies<LatencyCollection>)]
  private var shares: SeriesShares
  private let span: RollupSpan?
  /// When notifications were planned, settled or not.
  private var sent = SentTimeAccumulator()
  /// When PINGs were answered, where they stand for what notifications carry.
  private var answered: SentTimeAccumulator?
  /// When the first notification was planned that carries a round trip, at the latest.
  private var firstPath: WallTime?

  /// - Parameter span: puts everything into bins of this length, so that the result does not depend on how far
  ///   notifications are rolled up; `nil` keeps single ones.
  public init(metrics: Set<Metric>, shares: Set<SeriesShare>, binnedBy span: RollupSpan? = nil) {
    latencies = Metric.allCases.filter(metrics.contains).map { ($0, RangedLatencies(LatencyCollection())) }
    self.shares = SeriesShares(shares)
    self.span = span
  }

  /// The beginning of an instant's bin.
  private func start(of time: WallTime) -> WallTime { span?.start(of: time) ?? time }

  /// Adds a notification.
  public mutating func add(_ row: borrowing SampleRow) {
    sent.insert(row.plannedAt)
    counts.add(row)
    guard row.state.isSettled else { return }
    let plannedAt = start(of: row.plannedAt)
    shares.add(row, plannedAt: plannedAt)
    let isBinned = span != nil
    for index in latencies.indices {
      let metric = latencies[index].metric
      guard let value = row.value(of: metric) else { continue }
      if metric == .path { firstPath = min(firstPath ?? row.plannedAt, row.plannedAt) }
      let ranged = RangedLatencies(value, row.range(of: metric))
      latencies[index].values.combine(ranged) {
        if isBinned {
          $0.add(PackedLatencies([$1]), plannedFrom: plannedAt)
        } else {
          $0.record($1, plannedAt: plannedAt)
        }
      }
    }
  }

  /// Adds a notification in memory, to counts and latencies.
  mutating func add(_ point: SamplePoint) {
    let plannedAt = WallTime(microseconds: point.plannedAt)
    sent.insert(plannedAt)
    counts.add(point)
    guard point.state.isSettled else { return }
    for index in latencies.indices {
      let metric = latencies[index].metric
      guard let value = point.value(of: metric) else { continue }
      let ranged = RangedLatencies(value, point.range(of: metric))
      latencies[index].values.combine(ranged) { $0.record($1, plannedAt: plannedAt) }
    }
  }

  /// Adds latencies that are not those of notifications, such as round trips of PINGs, to a metric's.
  mutating func record(_ latency: Int64, of metric: Metric, at time: WallTime) {
    guard let index = latencies.firstIndex(where: { $0.metric == metric }) else { return }
    sent.insert(time)
    latencies[index].values.combine(RangedLatencies(latency)) { $0.record($1, plannedAt: time) }
  }

  /// Adds a rollup, if it says all that is needed (``SeriesShares/isComplete(_:)``).
  /// - Returns: whether it did.
  mutating func addIfComplete(_ bin: RollupBin) -> Bool {
    guard shares.isComplete(bin) else { return false }
    counts += bin.counts
    sent.insert(bin.plannedFrom..<bin.end, count: bin.counts.planned)
    let start = start(of: bin.plannedFrom)
    shares.add(bin, plannedFrom: start)
    for index in latencies.indices {
      let values = bin.ranged(latencies[index].metric)
      if latencies[index].metric == .path, !values.values.isEmpty {
        firstPath = min(firstPath ?? bin.end, bin.end)
      }
      latencies[index].values.combine(values) { $0.add($1, plannedFrom: start) }
    }
    return true
  }

  /// Counts each PING once, in place of what notifications carry, where the PINGs reach back as far.
  mutating func replacePath(_ roundTrips: RoundTrips) {
    guard let index = latencies.firstIndex(where: { $0.metric == .path }),
      roundTrips.covers(carriedSince: firstPath)
    else { return }
    latencies[index].values = RangedLatencies(roundTrips.collection)
    answered = roundTrips.answered
  }

  /// The part of a window in which the series was sent.
  func sentTime(in window: Range<WallTime>) -> SentTime { sent.time(in: window) }

  /// - Parameters:
  ///   - window: of planned time, in which everything was planned that was added.
  ///   - history: what earlier windows say about dependence.
  public func statistics(in window: Range<WallTime>, history: SeriesHistory) -> SeriesStatistics {
    let sent = sentTime(in: window)
    return SeriesStatistics(
      window: window, counts: counts,
      latencies: Dictionary(
        uniqueKeysWithValues: latencies.map { metric, values in
          let time = metric == .path ? answered?.time(in: window) ?? sent : sent
          return (metric, values.map { $0.window(time) })
        }),
      shares: shares.windows(in: sent), history: history)
  }

  func history(_ plan: HistoryPlan, excluding excluded: [Range<WallTime>]) -> SeriesHistory {
    var history = SeriesHistory(latencies: [:], shares: shares.history(plan, excluding: excluded))
    for (metric, values) in latencies {
      history.latencies[metric] = values.values.history(plan, excluding: excluded)
    }
    return history
  }
}
