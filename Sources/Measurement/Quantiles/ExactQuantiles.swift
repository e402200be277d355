/// Quantiles of values that are all at hand.
public struct ExactQuantiles: Sendable {
  private let sorted: [Int64]

  /// - Parameter values: µs, in any order.
  public init(_ values: [Int64]) { sorted = values.sorted() }

  public var count: Int { sorted.count }

  /// The value at a quantile's rank, µs, however few values there are; `nil` when there is none at all.
  public func value(_ quantile: Quantile) -> Int64? {
    sorted.isEmpty ? nil : sorted[quantile.rank(among: count) - 1]
  }

  /// The quantile with its 95 % interval.
  public func estimate(_ quantile: Quantile) -> QuantileEstimate {
    guard let ranks = OrderStatistics.ranks(count: count, quantile: quantile) else {
      return .tooFew(needs: quantile.smallestCount)
    }
    return .known(
      value: sorted[quantile.rank(among: count) - 1], low: sorted[ranks.lowerBound - 1],
      high: sorted[ranks.upperBound - 1])
  }
}
