/// The difference of a quantile between two groups of values, with a distribution-free confidence interval.
///
/// Each group gets the order-statistic interval of its quantile at 97.5 %; the difference then lies between `second.low
/// - first.high` and `second.high - first.low` with at least 95 % (Bonferroni). That holds whether the groups are
/// independent of each other or not, and is wider than need be: two quantiles whose difference has an interval without
/// 0 differ indeed, while an interval with 0 in it proves nothing.
public enum QuantileDifference: Sendable, Hashable {
  /// µs, all three: second minus first.
  case known(value: Int64, low: Int64, high: Int64)
  /// A group is too small: both need this many values.
  case tooFew(needs: Int)

  /// The confidence of each group's interval.
  static let confidence = 1 - (1 - OrderStatistics.confidence) / 2

  /// - Parameters:
  ///   - first: µs, ascending.
  ///   - second: µs, ascending.
  public init(_ quantile: Quantile, from first: [Int64], to second: [Int64]) {
    self.init(quantile, from: RangedLatencies(first), to: RangedLatencies(second))
  }

  /// For groups of ranged values; each list is ascending.
  public init(_ quantile: Quantile, from first: RangedLatencies<[Int64]>, to second: RangedLatencies<[Int64]>)
  {
    self.init(quantile, first.values.count, second.values.count) { isFirst, rank in
      let group = isFirst ? first : second
      return Ends(lowest: group.lows[rank - 1], value: group.values[rank - 1], highest: group.highs[rank - 1])
    }
  }

  /// For histograms: the interval is widened to whole buckets.
  public init(_ quantile: Quantile, from first: LatencyHistogram, to second: LatencyHistogram) {
    self.init(quantile, from: RangedLatencies(first), to: RangedLatencies(second))
  }

  /// For histograms of ranged values.
  public init(
    _ quantile: Quantile, from first: RangedLatencies<LatencyHistogram>,
    to second: RangedLatencies<LatencyHistogram>
  ) {
    self.init(quantile, first.values.count, second.values.count) { isFirst, rank in
      let group = isFirst ? first : second
      func bounds(_ histogram: LatencyHistogram) -> ClosedRange<Int64> {
        histogram.bounds(atRanks: [rank]).first ?? 0...0
      }
      return Ends(
        lowest: bounds(group.lows).lowerBound, value: bounds(group.values).upperBound,
        highest: bounds(group.highs).upperBound)
    }
  }

  /// The value at a rank and its bounds.
  private struct Ends {
    var lowest: Int64
    var value: Int64
    var highest: Int64
  }

  private init(
    _ quantile: Quantile, _ count: Int, _ otherCount: Int, _ ends: (_ isFirst: Bool, _ rank: Int) -> Ends
  ) {
    guard
      let ranks = OrderStatistics.ranks(count: count, quantile: quantile, confidence: Self.confidence),
      let otherRanks = OrderStatistics.ranks(
        count: otherCount, quantile: quantile, confidence: Self.confidence)
    else {
      self = .tooFew(
        needs: OrderStatistics.smallestCount(for: quantile, confidence: Self.confidence))
      return
    }
    self = .known(
      value: ends(false, quantile.rank(among: otherCount)).value
        - ends(true, quantile.rank(among: count)).value,
      low: ends(false, otherRanks.lowerBound).lowest - ends(true, ranks.upperBound).highest,
      high: ends(false, otherRanks.upperBound).highest - ends(true, ranks.lowerBound).lowest)
  }

  /// Whether the interval excludes 0.
  public var isProven: Bool {
    guard case .known(_, let low, let high) = self else { return false }
    return low > 0 || high < 0
  }
}
