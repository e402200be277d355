import Measurement

/// The quantiles of some intervals, and what share of the planned notifications they speak for.
public struct ValueSummary: Sendable, Equatable {
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
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
  /// Whether ``maximum`` may be but an upper limit.
  public let maximumIsLimit: Bool
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  /// - Parameter limits: where the values lie that are but upper limits.
  init(_ values: QuantileAccumulator, planned: Int, limits: LatencyHistogram? = nil) {
    share = ShareOfPlanned(counted: values.count, planned: planned)
    minimum = values.count > 0 ? values.minimum : nil
    maximum = values.count > 0 ? values.maximum : nil
    maximumIsLimit = values.count > 0 && limits?.hasValues(from: values.maximum, to: values.maximum) == true
    isExact = values.method == .exact
    figures = zip(Quantile.standard, values.estimates(Quantile.standard)).map { quantile, estimate in
      Figure(
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
