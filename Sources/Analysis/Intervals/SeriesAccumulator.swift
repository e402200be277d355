import Findings
import Measurement
import Store

/// Collects what the intervals of a series are computed from. Notifications that are not settled yet are only counted.
struct SeriesAccumulator {
  private(set) var counts = StateCounts()
  private var latencies: [(metric: Metric, values: RangedLatencies<LatencyCollection>)]
  private var shares: SeriesShares

  init(metrics: Set<Metric>, shares: Set<SeriesShare>) {
    latencies = Metric.allCases.filter(metrics.contains).map { ($0, RangedLatencies(LatencyCollection())) }
    self.shares = SeriesShares(shares)
  }

  mutating func add(_ row: borrowing SampleRow) {
    counts.add(row.state, isSent: row.scheduleLag != nil, isAccepted: row.acceptLatency != nil)
    guard row.state.isSettled else { return }
    shares.add(row)
    let plannedAt = row.plannedAt
    for index in latencies.indices {
      let metric = latencies[index].metric
      guard let value = row.value(of: metric) else { continue }
      let ranged = RangedLatencies(value, metric == .delivery ? row.deliveryRange : nil)
      latencies[index].values.combine(ranged) { $0.record($1, plannedAt: plannedAt) }
    }
  }

  /// Adds a rollup, if it says all that is needed (``SeriesShares/canTake(_:)``).
  /// - Returns: whether it did.
  mutating func take(_ bin: RollupBin) -> Bool {
    guard shares.canTake(bin) else { return false }
    counts += bin.counts
    shares.add(bin)
    let start = bin.start
    for index in latencies.indices {
      latencies[index].values.combine(bin.ranged(latencies[index].metric)) {
        $0.add($1, plannedFrom: start)
      }
    }
    return true
  }

  func statistics(in window: Range<WallTime>, history: SeriesHistory) -> SeriesStatistics {
    SeriesStatistics(
      window: window, counts: counts,
      latencies: Dictionary(
        uniqueKeysWithValues: latencies.map { ($0.metric, $0.values.map { $0.window(window) }) }),
      shares: shares.windows(in: window), history: history)
  }

  func history(_ plan: HistoryPlan, excluding excluded: [Range<WallTime>]) -> SeriesHistory {
    var history = SeriesHistory(latencies: [:], shares: shares.history(plan, excluding: excluded))
    for (metric, values) in latencies {
      history.latencies[metric] = values.values.history(plan, excluding: excluded)
    }
    return history
  }
}
