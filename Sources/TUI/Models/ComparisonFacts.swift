import Measurement

/// How the quantiles of two windows compare.
struct ComparisonFacts: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    let quantile: Quantile
    let first: QuantileEstimate
    let second: QuantileEstimate
    let difference: QuantileDifference
  }

  let metric: Metric
  let counts: [Int]
  let rows: [Row]

  init(first: WindowFacts, second: WindowFacts) {
    metric = first.metric
    counts = [first.values.count, second.values.count]
    let sorted = [RadixSort.sorted(first.values), RadixSort.sorted(second.values)]
    let exact = sorted.map { ExactQuantiles($0) }
    rows = WindowSummary.quantiles.map { quantile in
      Row(
        quantile: quantile, first: exact[0].estimate(quantile), second: exact[1].estimate(quantile),
        difference: QuantileDifference(quantile, from: sorted[0], to: sorted[1]))
    }
  }
}
