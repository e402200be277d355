/// Latencies with bounds (``DeliveryRange``): the distributions of the measured values, of the lower bounds and of the
/// upper bounds.
///
/// Each true value is between its low and its high, so the true value of any rank is between the low and the high of
/// that rank. An interval from the lower end of the lows' quantile to the upper end of the highs' quantile therefore
/// has the coverage of an order-statistic interval of exact values.
///
/// Its members are inlinable because they are called for each notification: without knowing the distribution's type they would look
/// it up each time.
public struct RangedLatencies<Distribution> {
  public var values: Distribution
  /// `nil` while every value is exact; then lows and highs are the values.
  @usableFromInline var ends: (lows: Distribution, highs: Distribution)?

  /// Exact values.
  @inlinable
  public init(_ values: Distribution) { self.values = values }

  @inlinable
  public init(_ values: Distribution, lows: Distribution, highs: Distribution) {
    self.values = values
    ends = (lows, highs)
  }

  @inlinable
  public var lows: Distribution { ends?.lows ?? values }
  @inlinable
  public var highs: Distribution { ends?.highs ?? values }

  /// Whether all values are exact.
  @inlinable
  public var isExact: Bool { ends == nil }

  /// The same change made to values, lows and highs.
  @inlinable
  public func map<Other>(_ transform: (Distribution) throws -> Other) rethrows -> RangedLatencies<Other> {
    let values = try transform(values)
    guard let ends else { return RangedLatencies<Other>(values) }
    return RangedLatencies<Other>(values, lows: try transform(ends.lows), highs: try transform(ends.highs))
  }

  /// Changes values, lows and highs, each by its counterpart. Does so once while both sides are exact.
  @inlinable
  public mutating func combine<Other>(
    _ other: RangedLatencies<Other>, _ change: (inout Distribution, Other) throws -> Void
  ) rethrows {
    guard !isExact || !other.isExact else { return try change(&values, other.values) }
    var (lows, highs) = ends ?? (values, values)
    // Avoids copies.
    ends = nil
    try change(&values, other.values)
    try change(&lows, other.lows)
    try change(&highs, other.highs)
    ends = (lows, highs)
  }
}

extension RangedLatencies: Sendable where Distribution: Sendable {}

extension RangedLatencies: Equatable where Distribution: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    a.values == b.values && a.lows == b.lows && a.highs == b.highs
  }
}

extension RangedLatencies {
  /// A quantile of the values, with an interval for the true one.
  public func estimate(_ estimate: (Distribution) -> QuantileEstimate) -> QuantileEstimate {
    guard let ends else { return estimate(values) }
    return estimate(values).spanning(from: estimate(ends.lows), to: estimate(ends.highs))
  }
}

extension RangedLatencies<Int64> {
  /// A delivery latency with its range.
  @inlinable
  public init(_ latency: Int64, _ range: DeliveryRange?) {
    guard let range, !range.isExact else {
      self.init(latency)
      return
    }
    self.init(latency, lows: range.low, highs: range.high)
  }
}

extension RangedLatencies<PackedLatencies> {
  /// Three distributions of the same number of values. They are exact if all are equal.
  public init(counted values: PackedLatencies, lows: PackedLatencies, highs: PackedLatencies) {
    guard values != lows || values != highs else {
      self.init(values)
      return
    }
    self.init(values, lows: lows, highs: highs)
  }
}

extension QuantileEstimate {
  /// The same figure with an interval from the lower end of one estimate to the upper end of another.
  public func spanning(from lows: QuantileEstimate, to highs: QuantileEstimate) -> QuantileEstimate {
    guard case .known(let value, let low, let high) = self, case .known(_, let least, _) = lows,
      case .known(_, _, let most) = highs
    else { return self }
    return .known(value: value, low: min(low, least), high: max(high, most))
  }
}
