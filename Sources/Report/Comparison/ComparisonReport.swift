import Analysis
import Findings
import Measurement
import Store

/// What is compared.
public struct ComparisonPlan: Sendable {
  /// `nil`: `delivery` and `accept`, where both sides have values.
  public var metrics: Set<Metric>?
  /// The shares to compare, among `lost`, `unseen`, `failed` and `refused`.
  public var shares: Set<SeriesMetric>
  public var quantiles: [Quantile]
  /// The largest change of a latency that counts as the same: 0.1 is 10 %.
  public var tolerance: Double
  /// Whether probes are taken for independent.
  public var isIndependent: Bool

  /// Differences of shares of up to one point are the same.
  public static let shareTolerance = 0.01

  public init(
    metrics: Set<Metric>? = nil, shares: Set<SeriesMetric> = [.lost, .unseen, .failed, .refused],
    quantiles: [Quantile] = [.p50, .p95, .p99], tolerance: Double = 0.1, isIndependent: Bool = false
  ) {
    self.metrics = metrics
    self.shares = shares
    self.quantiles = quantiles
    self.tolerance = tolerance
    self.isIndependent = isIndependent
  }
}

/// Quantiles and shares of two runs, targets, variants or stretches of time, and how they differ.
public struct ComparisonReport: Sendable {
  struct LatencyRow: Sendable {
    let metric: Metric
    let quantile: Quantile
    let comparison: QuantileComparison
    let verdict: ComparisonVerdict
  }

  struct ShareRow: Sendable {
    let share: SeriesMetric
    let comparison: ShareComparison
    let verdict: ComparisonVerdict
  }

  /// A series of each side.
  struct Pair: Sendable {
    let first: String
    let second: String
    /// Whether both were sent over the same time, so that what disturbed both cancels.
    let isPaired: Bool
    let settled: (first: Int, second: Int)
    let latencies: [LatencyRow]
    let shares: [ShareRow]
    /// The variants that each side takes together; empty where it is one.
    var mixed: (first: [String], second: [String]) = ([], [])
    /// Single notifications planned before are deleted, and a side begins before it; `nil` where none are missing.
    var prunedTo: WallTime?
  }

  public let first: ComparisonSide
  public let second: ComparisonSide
  public let plan: ComparisonPlan
  let pairs: [Pair]
  let onlyFirst: [String]
  let onlySecond: [String]

  /// - Throws: ``ReportError`` where nothing can be compared, `StoreError`.
  public init(
    _ first: ComparisonSide, _ second: ComparisonSide, _ plan: ComparisonPlan = ComparisonPlan(),
    in reader: any SampleSource
  ) throws {
    let matched = try ComparisonPairs(first, second)
    self.first = first
    self.second = second
    self.plan = plan
    (onlyFirst, onlySecond) = (matched.onlyFirst, matched.onlySecond)
    let reading = ComparisonReading(reader: reader, plan: plan)
    pairs = try matched.pairs.map { one, other in
      var pair = try reading.pair(
        one, first.since, first.until, with: other, second.since, second.until)
      pair.mixed = (one.mixed, other.mixed)
      return pair
    }
    for (side, count) in [(first, \(first: Int, second: Int).first), (second, \.second)]
    where pairs.allSatisfy({ $0.settled[keyPath: count] == 0 }) {
      throw ReportError(
        .nothingSettled, "nothing is settled in \(side.title)",
        remedy: "name another run or time, or wait until timeouts and receipt deadlines have passed")
    }
  }

  /// What `--fail-if` asks for.
  public enum Failure: String, Sendable, CaseIterable {
    /// A quantile rose.
    case slower
    /// More are lost, failed or refused.
    case lossier
  }

  /// `breached` where any figure is worse; `undecided` where one metric says nothing at all, in any of its quantiles.
  public func decision(_ failure: Failure) -> GateDecision {
    var groups: [[ComparisonVerdict]] = []
    for pair in pairs {
      switch failure {
      case .slower:
        for rows in Dictionary(grouping: pair.latencies, by: \.metric).values {
          groups.append(rows.map(\.verdict))
        }
      case .lossier: groups += pair.shares.map { [$0.verdict] }
      }
    }
    if groups.contains(where: { $0.contains(.higher) }) { return .breached }
    return groups.isEmpty || groups.contains { $0.allSatisfy { $0 == .cannotTell } } ? .undecided : .met
  }
}

/// Reads what a comparison needs.
private struct ComparisonReading {
  let reader: any SampleSource
  let plan: ComparisonPlan
  /// Series with more notifications than this are not compared in pairs, which takes every single one of them.
  private static let mostPaired = 1_000_000

  func pair(
    _ first: ComparisonSide.Series, _ firstSince: WallTime?, _ firstUntil: WallTime?,
    with second: ComparisonSide.Series, _ secondSince: WallTime?, _ secondUntil: WallTime?
  ) throws -> ComparisonReport.Pair {
    let series = SeriesReader(reader)
    let one = try series.window(
      of: first.targets, variants: first.variants, since: firstSince, until: firstUntil)
    let other = try series.window(
      of: second.targets, variants: second.variants, since: secondSince, until: secondUntil)
    guard var one, var other else {
      let settled = try (one.map(settled) ?? 0, other.map(settled) ?? 0)
      return ComparisonReport.Pair(
        first: first.title, second: second.title, isPaired: false, settled: settled, latencies: [], shares: []
      )
    }
    // Sent side by side: over the time that both have.
    let isSideBySide = first.run != nil && first.run == second.run && one.time.overlaps(other.time)
    if isSideBySide {
      one.time = one.time.clamped(to: other.time)
      other.time = one.time
    }
    let (before, after) = (try statistics(of: one), try statistics(of: other))
    var isPaired = false
    var latencies: [ComparisonReport.LatencyRow] = []
    for metric in plan.metrics.map({ wanted in Metric.allCases.filter(wanted.contains) }) ?? [
      .delivery, .accept,
    ] {
      let inPairs =
        isSideBySide && !plan.isIndependent ? try paired(metric, one, other, before, after) : nil
      for quantile in plan.quantiles {
        guard let low = before.shownInterval(of: quantile, metric, isIndependent: plan.isIndependent),
          let high = after.shownInterval(of: quantile, metric, isIndependent: plan.isIndependent)
        else { continue }
        // Pairs make intervals sharper, but not of too few values.
        let paired = min(low.count, high.count) < quantile.smallestCount ? nil : inPairs
        let comparison =
          paired?.comparison(
            of: quantile, history: (before.history.latencies[metric], after.history.latencies[metric]))
          ?? QuantileComparison(from: low, to: high)
        isPaired = isPaired || paired != nil
        latencies.append(
          ComparisonReport.LatencyRow(
            metric: metric, quantile: quantile, comparison: comparison,
            verdict: comparison.verdict(tolerance: plan.tolerance)))
      }
    }
    let pruned = try reader.pruned().samples
    return ComparisonReport.Pair(
      first: first.title, second: second.title, isPaired: isPaired,
      settled: (before.counts.settled, after.counts.settled), latencies: latencies,
      shares: shareRows(before, after),
      prunedTo: pruned.flatMap { min(one.time.lowerBound, other.time.lowerBound) < $0 ? $0 : nil })
  }

  private func settled(_ window: SeriesWindow) throws -> Int {
    try SeriesReader(reader).statistics(
      of: window, metrics: [], shares: [], usesHistory: false
    ).counts
      .settled
  }

  private func shareRows(
    _ before: SeriesStatistics, _ after: SeriesStatistics
  ) -> [ComparisonReport.ShareRow] {
    SeriesMetric.allCases.filter(plan.shares.contains).compactMap { share in
      guard let name = share.share,
        let low = before.interval(of: name, isIndependent: plan.isIndependent),
        let high = after.interval(of: name, isIndependent: plan.isIndependent), low.count > 0, high.count > 0
      else { return nil }
      let comparison = ShareComparison(from: low, to: high)
      return ComparisonReport.ShareRow(
        share: share, comparison: comparison,
        verdict: comparison.verdict(tolerance: ComparisonPlan.shareTolerance))
    }
  }

  private func statistics(of window: SeriesWindow) throws -> SeriesStatistics {
    try SeriesReader(reader).statistics(
      of: window, metrics: plan.metrics ?? [.delivery, .accept],
      shares: Set(plan.shares.compactMap(\.share)), usesHistory: !plan.isIndependent)
  }

  /// `nil` where there are too many values, where deliveries are not exact, whose errors pairs do not know, and of the path,
  /// whose values are not those of notifications.
  private func paired(
    _ metric: Metric, _ one: SeriesWindow, _ other: SeriesWindow, _ before: SeriesStatistics,
    _ after: SeriesStatistics
  ) throws -> PairedLatencies? {
    guard metric != .path, max(before.counts.planned, after.counts.planned) <= Self.mostPaired,
      let first = try exact(metric, one), let second = try exact(metric, other)
    else { return nil }
    return PairedLatencies(one.time, first: first, second: second)
  }

  private func exact(_ metric: Metric, _ window: SeriesWindow) throws -> [TimedLatency]? {
    // The others of a window of which retention has deleted some would be paired with the wrong ones.
    if try reader.pruned().hasPruned(samplesFrom: window.time.lowerBound) { return nil }
    var isExact = true
    var values: [TimedLatency] = []
    for target in window.targets {
      try reader.forEachSample(
        of: target, plannedFrom: window.time.lowerBound, to: window.time.upperBound
      ) { row in
        guard window.variants?.contains(row.variant) ?? true, row.state.isSettled,
          let value = row.value(of: metric)
        else { return }
        if metric == .delivery, row.deliveryCertainty != .exact { isExact = false }
        values.append(TimedLatency(plannedAt: row.plannedAt, latency: value))
      }
    }
    return isExact ? values : nil
  }
}
