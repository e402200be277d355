import Measurement

/// The quantiles of some intervals, and what share of the planned notifications they speak for.
public struct ValueSummary: Sendable, Equatable {
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
    /// Of deliveries that are not exact, the interval reaches from the lower end of what the shortest they can have been
    /// gives to the upper end of what the longest give.
    public let estimate: QuantileEstimate
    /// Whether there are values among those that it rests on, the ones within its interval, that are but upper limits
    /// (``DeliveryCertainty/limit``).
    public let restsOnLimits: Bool
  }

  public let share: ShareOfPlanned
  /// µs; `nil` without values. From rollups: the lower end of the bucket it lies in.
  public let minimum: Int64?
  /// From rollups: the upper end of the bucket it lies in.
  public let maximum: Int64?
  /// Between which ends the largest true value lies; both are ``maximum`` where all values are exact.
  public let maximumRange: ClosedRange<Int64>?
  /// Whether ``maximum`` may be but an upper limit.
  public let maximumIsLimit: Bool
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  /// - Parameter limits: where the values lie that are but upper limits.
  init(_ values: QuantileAccumulator, of counts: StateTally, limits: LatencyHistogram? = nil) {
    self.init(RangedLatencies(values), of: counts, limits: limits)
  }

  /// - Parameter limits: where the values lie that are but upper limits.
  init(_ ranged: RangedLatencies<QuantileAccumulator>, of counts: StateTally, limits: LatencyHistogram? = nil)
  {
    let values = ranged.values
    share = ShareOfPlanned(
      counted: values.count, planned: counts.planned, stillToBeSent: counts[.planned])
    minimum = values.count > 0 ? values.minimum : nil
    maximum = values.count > 0 ? values.maximum : nil
    if values.count == 0 {
      maximumRange = nil
    } else if ranged.isExact {
      maximumRange = values.maximum...values.maximum
    } else {
      maximumRange =
        min(ranged.lows.maximumLowerEnd, values.maximum)...max(ranged.highs.maximum, values.maximum)
    }
    maximumIsLimit = values.count > 0 && limits?.hasValues(from: values.maximum, to: values.maximum) == true
    isExact = values.method == .exact
    let lows = ranged.isExact ? nil : ranged.lows.estimates(Quantile.standard)
    let highs = ranged.isExact ? nil : ranged.highs.estimates(Quantile.standard)
    figures = zip(Quantile.standard, values.estimates(Quantile.standard)).enumerated().map { index, known in
      let (quantile, measured) = known
      let estimate =
        if let lows, let highs { measured.spanning(from: lows[index], to: highs[index]) } else { measured }
      return Figure(
        quantile: quantile, estimate: estimate,
        restsOnLimits: estimate.known.map { limits?.hasValues(from: $0.low, to: $0.high) == true } ?? false)
    }
  }
}

extension LatencyHistogram {
  /// Whether a bucket with any values has a part in a stretch of values, both ends included.
  fileprivate func hasValues(from low: Int64, to high: Int64) -> Bool {
    buckets.contains { $0.upper >= low && $0.lower <= high }
  }
}
