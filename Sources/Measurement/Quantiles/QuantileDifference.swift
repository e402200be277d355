/// By how much a quantile of one group of values differs from that of another, with an interval that assumes nothing
/// about either distribution.
///
/// Each group gets the order-statistic interval of its quantile at 97.5 %; the difference then lies between
/// `second.low - first.high` and `second.high - first.low` with at least 95 % (Bonferroni). That holds whether the groups
/// are independent of each other or not, and is wider than need be: two quantiles whose difference has an interval
/// without 0 differ indeed, while an interval with 0 in it proves nothing.
public enum QuantileDifference: Sendable, Hashable {
  /// µs, all three: second minus first.
  case known(value: Int64, low: Int64, high: Int64)
  /// One of the groups, or each, is too small: this many values are needed in both.
  case tooFew(needs: Int)

  /// The confidence of each group's interval.
  static let confidence = 1 - (1 - OrderStatistics.confidence) / 2

  /// - Parameters:
  ///   - first: µs, ascending.
  ///   - second: µs, ascending.
  public init(_ quantile: Quantile, from first: [Int64], to second: [Int64]) {
    guard
      let ranks = OrderStatistics.ranks(
        count: first.count, quantile: quantile, confidence: Self.confidence),
      let otherRanks = OrderStatistics.ranks(
        count: second.count, quantile: quantile, confidence: Self.confidence)
    else {
      self = .tooFew(
        needs: OrderStatistics.smallestCount(for: quantile, confidence: Self.confidence))
      return
    }
    func value(_ values: [Int64]) -> Int64 { values[quantile.rank(among: values.count) - 1] }
    self = .known(
      value: value(second) - value(first),
      low: second[otherRanks.lowerBound - 1] - first[ranks.upperBound - 1],
      high: second[otherRanks.upperBound - 1] - first[ranks.lowerBound - 1])
  }

  /// Of groups that are counted in buckets: the interval is widened to whole buckets.
  public init(_ quantile: Quantile, from first: LatencyHistogram, to second: LatencyHistogram) {
    func bounds(_ histogram: LatencyHistogram) -> [ClosedRange<Int64>]? {
      OrderStatistics.ranks(count: histogram.count, quantile: quantile, confidence: Self.confidence).map {
        histogram.bounds(atRanks: [$0.lowerBound, quantile.rank(among: histogram.count), $0.upperBound])
      }
    }
    guard let first = bounds(first), let second = bounds(second) else {
      self = .tooFew(
        needs: OrderStatistics.smallestCount(for: quantile, confidence: Self.confidence))
      return
    }
    self = .known(
      value: second[1].upperBound - first[1].upperBound, low: second[0].lowerBound - first[2].upperBound,
      high: second[2].upperBound - first[0].lowerBound)
  }

  /// Whether the interval leaves out that there is no difference.
  public var isProven: Bool {
    guard case .known(_, let low, let high) = self else { return false }
    return low > 0 || high < 0
  }
}
