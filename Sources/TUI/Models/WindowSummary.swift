import Measurement

/// The quantiles of one metric in one window.
struct WindowSummary: Sendable, Equatable {
  let metric: Metric
  let count: Int
  private let estimates: [Quantile: QuantileEstimate]

  /// What panels and titles show.
  static let quantiles: [Quantile] = [.p50, .p90, .p99, .p999]

  /// - Parameter values: µs, in any order.
  init(metric: Metric, values: [Int64]) {
    self.metric = metric
    count = values.count
    // All values are at hand, so the figures are exact.
    let exact = ExactQuantiles(RadixSort.sorted(values))
    var estimates: [Quantile: QuantileEstimate] = [:]
    for quantile in Self.quantiles { estimates[quantile] = exact.estimate(quantile) }
    self.estimates = estimates
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
