import Measurement

/// The quantiles of one metric in one window.
struct WindowSummary: Sendable, Equatable {
  let metric: Metric
  let count: Int
  /// What the figures were read from where the values themselves are not all at hand.
  let histogram: RangedLatencies<LatencyHistogram>?
  private let estimates: [Quantile: QuantileEstimate]

  /// What panels and titles show.
  static let quantiles: [Quantile] = [.p50, .p90, .p99, .p999]

  /// - Parameter values: µs, in any order.
  init(metric: Metric, values: [Int64]) { self.init(metric: metric, ranged: RangedLatencies(values)) }

  /// - Parameter ranged: values in any order, with what they can really have been.
  init(metric: Metric, ranged: RangedLatencies<[Int64]>) {
    self.metric = metric
    count = ranged.values.count
    histogram = nil
    // All values are at hand, so the figures are exact.
    let exact = ranged.map { ExactQuantiles(RadixSort.sorted($0)) }
    var estimates: [Quantile: QuantileEstimate] = [:]
    for quantile in Self.quantiles { estimates[quantile] = exact.estimate { $0.estimate(quantile) } }
    self.estimates = estimates
  }

  /// Of a window of which a part is only known as sums.
  init(_ facts: WindowStatistics, _ snapshot: Snapshot, window: TimeWindow, targets: [Int]) {
    guard !facts.sums.isEmpty else {
      self.init(metric: facts.metric, ranged: facts.ranged)
      return
    }
    // Of another window than the one that was read, as in a replay, as much as the plot itself can tell.
    var histogram =
      snapshot.density?.histogram(of: facts.metric, targets: targets, in: window)
      ?? snapshot.density?.coarseHistogram(
        of: facts.metric, targets: targets, from: window.start, to: window.end)
      ?? RangedLatencies()
    histogram.combine(facts.ranged) { sum, values in for value in values { sum.record(value) } }
    self.init(metric: facts.metric, histogram: histogram)
  }

  private init(metric: Metric, histogram: RangedLatencies<LatencyHistogram>) {
    self.metric = metric
    self.histogram = histogram
    count = histogram.count
    estimates = Dictionary(uniqueKeysWithValues: Self.quantiles.map { ($0, histogram.estimate($0)) })
  }

  subscript(quantile: Quantile) -> QuantileEstimate {
    estimates[quantile] ?? .tooFew(needs: quantile.smallestCount)
  }
}

extension QuantileEstimate {
  /// `812 ms`, or `n too small (needs 368)`: never a number that too few notifications stand for.
  var text: String {
    switch self {
    case .known(let value, _, _): DurationText.text(value)
    case .tooFew(let needs): "n too small (needs \(FixedPoint.grouped(needs)))"
    }
  }

  /// `812 ms`, or `needs 368`: where the word `n` is in sight.
  var shortText: String {
    switch self {
    case .known: text
    case .tooFew(let needs): "needs \(FixedPoint.grouped(needs))"
    }
  }

  /// `[780, 840] ms`: the 95 % interval.
  var interval: String? {
    guard case .known(_, let low, let high) = self else { return nil }
    return DurationText.interval(low, high)
  }

  /// µs.
  var value: Int64? {
    guard case .known(let value, _, _) = self else { return nil }
    return value
  }
}
