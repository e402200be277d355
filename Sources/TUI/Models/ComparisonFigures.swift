import Measurement

/// How the quantiles of two windows compare.
struct ComparisonFigures: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    let quantile: Quantile
    let first: QuantileEstimate
    let second: QuantileEstimate
    let difference: QuantileDifference
  }

  let metric: Metric
  let counts: [Int]
  let rows: [Row]

  init(_ first: PlotContent, _ second: PlotContent) {
    guard let other = Self(sums: first, second) else {
      self.init(first: first.facts, second: second.facts)
      return
    }
    self = other
  }

  /// `nil` when neither of the two has any sums.
  private init?(sums first: PlotContent, _ second: PlotContent) {
    guard first.summary.histogram != nil || second.summary.histogram != nil else { return nil }
    metric = first.facts.metric
    let histograms = [first, second].map { content in
      if let histogram = content.summary.histogram { return histogram }
      var histogram = RangedLatencies<LatencyHistogram>()
      histogram.combine(content.facts.ranged) { sum, values in for value in values { sum.record(value) } }
      return histogram
    }
    counts = histograms.map(\.count)
    rows = WindowSummary.quantiles.map { quantile in
      Row(
        quantile: quantile, first: histograms[0].estimate(quantile), second: histograms[1].estimate(quantile),
        difference: QuantileDifference(quantile, from: histograms[0], to: histograms[1]))
    }
  }

  private init(first: WindowStatistics, second: WindowStatistics) {
    metric = first.metric
    counts = [first.values.count, second.values.count]
    let sorted = [first, second].map { $0.ranged.map { RadixSort.sorted($0) } }
    let exact = sorted.map { $0.map { ExactQuantiles($0) } }
    rows = WindowSummary.quantiles.map { quantile in
      Row(
        quantile: quantile, first: exact[0].estimate { $0.estimate(quantile) },
        second: exact[1].estimate { $0.estimate(quantile) },
        difference: QuantileDifference(quantile, from: sorted[0], to: sorted[1]))
    }
  }
}
