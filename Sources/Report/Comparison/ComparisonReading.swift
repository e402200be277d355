import Analysis
import Findings
import Measurement
import Store

/// Reads what a comparison needs.
struct ComparisonReading {
  let reader: any SampleSource
  let plan: ComparisonPlan
  private let directory: TargetDirectory

  init(reader: any SampleSource, plan: ComparisonPlan) throws {
    (self.reader, self.plan) = (reader, plan)
    directory = try TargetDirectory(reader, RowSelection())
  }

  /// Series with more notifications than this are not compared in pairs, which takes every single one of them.
  private static let mostPaired = 1_000_000

  /// What is compared of two series.
  struct Windows {
    var first: (title: String, window: SeriesWindow?)
    var second: (title: String, window: SeriesWindow?)
    /// Both were sent in one run over the same time, to which both windows are clamped.
    var isSideBySide = false
  }

  func windows(
    _ one: ComparisonSide.Series, of first: ComparisonSide, _ other: ComparisonSide.Series,
    of second: ComparisonSide
  ) throws -> Windows {
    var windows = Windows(
      first: (one.title, try window(one, of: first)), second: (other.title, try window(other, of: second)))
    guard let before = windows.first.window?.time, let after = windows.second.window?.time else {
      return windows
    }
    windows.isSideBySide = one.run != nil && one.run == other.run && before.overlaps(after)
    if windows.isSideBySide {
      let time = before.clamped(to: after)
      windows.first.window?.time = time
      windows.second.window?.time = time
    }
    return windows
  }

  private func window(_ series: ComparisonSide.Series, of side: ComparisonSide) throws -> SeriesWindow? {
    try SeriesReader(reader).window(
      of: series.targets, variants: series.variants, since: side.since, until: side.until)
  }

  func pair(_ windows: Windows) throws -> ComparisonReport.Pair {
    guard let one = windows.first.window, let other = windows.second.window else {
      let settled = try (windows.first.window.map(settled) ?? 0, windows.second.window.map(settled) ?? 0)
      return ComparisonReport.Pair(
        first: windows.first.title, second: windows.second.title, isPaired: false, settled: settled,
        latencies: [], shares: [])
    }
    let (before, after) = (try statistics(of: one), try statistics(of: other))
    var pairs: [Metric: PairedLatencies] = [:]
    if windows.isSideBySide, !plan.isIndependent {
      for metric in metrics { pairs[metric] = try paired(metric, one, other, before, after) }
    }
    var pair = pair(windows, before, after, pairs)
    pair.prunedTo = try prunedTo(one, other)
    return pair
  }

  /// A pair for each value that is on both sides.
  func pairs(
    within by: BreakdownKeys, _ windows: Windows
  ) throws -> (pairs: [ComparisonReport.Pair], onlyFirst: [String], onlySecond: [String]) {
    guard let one = windows.first.window, let other = windows.second.window else {
      return ([try pair(windows)], [], [])
    }
    let targets = try (
      one.targets.map { try directory.entry(for: $0).target },
      other.targets.map { try directory.entry(for: $0).target }
    )
    let division = try BreakdownDivision(
      by, reader, targets: targets.0 + targets.1,
      in: min(one.time.lowerBound, other.time.lowerBound)..<max(one.time.upperBound, other.time.upperBound))
    let before = try groups(targets.0, one, division, by)
    let after = try groups(targets.1, other, division, by)
    let prunedTo = try prunedTo(one, other)
    var result: (pairs: [ComparisonReport.Pair], onlyFirst: [String], onlySecond: [String]) = ([], [], [])
    for value in Set(before.keys).union(after.keys).sorted(by: division.isBefore) {
      let texts = division.texts(of: value)
      let name = zip(by.keys, texts).map { "\($0.name) \($1)" }.joined(separator: ", ")
      switch (before[value], after[value]) {
      case (let first?, let second?):
        var pair = pair(
          windows, first.statistics(in: one.time, history: .none),
          second.statistics(in: other.time, history: .none), [:])
        (pair.values, pair.prunedTo) = (texts, prunedTo)
        result.pairs.append(pair)
      case (nil, _): result.onlySecond.append("\(windows.second.title), \(name)")
      case (_, nil): result.onlyFirst.append("\(windows.first.title), \(name)")
      }
    }
    return result
  }

  private func groups(
    _ targets: [TargetRecord], _ window: SeriesWindow, _ division: BreakdownDivision, _ by: BreakdownKeys
  ) throws -> [BreakdownDivision.Value: SeriesAccumulator] {
    var groups: [BreakdownDivision.Value: SeriesAccumulator] = [:]
    do {
      for target in targets {
        try division.forEach(of: target, in: window.time) { value, row in
          guard window.includes(row.variant) else { return }
          try BreakdownDivision.add(
            row, of: value, to: &groups, SeriesAccumulator(metrics: Set(metrics), shares: shares))
        }
      }
    } catch let error as BreakdownDivision.TooManyValues {
      throw ReportError.tooManyValues(of: by.keys, error)
    }
    return groups
  }

  /// Compares what is counted of both sides.
  private func pair(
    _ windows: Windows, _ before: SeriesStatistics, _ after: SeriesStatistics,
    _ pairs: [Metric: PairedLatencies]
  ) -> ComparisonReport.Pair {
    var isPaired = false
    var latencies: [ComparisonReport.LatencyRow] = []
    for metric in metrics {
      for quantile in plan.quantiles {
        guard let low = before.shownInterval(of: quantile, metric, isIndependent: plan.isIndependent),
          let high = after.shownInterval(of: quantile, metric, isIndependent: plan.isIndependent)
        else { continue }
        // Pairs make intervals sharper, but not of too few values.
        let paired = min(low.count, high.count) < quantile.smallestCount ? nil : pairs[metric]
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
    return ComparisonReport.Pair(
      first: windows.first.title, second: windows.second.title, isPaired: isPaired,
      settled: (before.counts.settled, after.counts.settled), latencies: latencies,
      shares: shareRows(before, after))
  }

  /// What is compared, in the order in which it is listed.
  private var metrics: [Metric] {
    plan.metrics.map { wanted in Metric.allCases.filter(wanted.contains) } ?? [.delivery, .accept]
  }

  private var shares: Set<SeriesShare> { Set(plan.comparedShares.compactMap(\.share)) }

  private func prunedTo(_ one: SeriesWindow, _ other: SeriesWindow) throws -> WallTime? {
    try reader.pruned().samples.flatMap { min(one.time.lowerBound, other.time.lowerBound) < $0 ? $0 : nil }
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
    SeriesMetric.allCases.filter(plan.comparedShares.contains).compactMap { share in
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
      of: window, metrics: Set(metrics), shares: shares, usesHistory: !plan.isIndependent)
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
        of: target, plannedFrom: window.time.lowerBound, to: window.time.upperBound, columns: .figures
      ) { row in
        guard window.includes(row.variant), row.state.isSettled,
          let value = row.value(of: metric)
        else { return }
        if metric == .delivery, row.deliveryCertainty != .exact { isExact = false }
        values.append(TimedLatency(plannedAt: row.plannedAt, latency: value))
      }
    }
    return isExact ? values : nil
  }
}
