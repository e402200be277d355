import Measurement

/// The quantiles of some intervals, and what share of the planned notifications they speak for.
public struct ValueSummary: Sendable, Equatable {
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
    public let estimate: QuantileEstimate
  }

  public let share: ShareOfPlanned
  /// µs; `nil` without values.
  public let minimum: Int64?
  public let maximum: Int64?
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  init(_ values: QuantileAccumulator, planned: Int) {
    share = ShareOfPlanned(counted: values.count, planned: planned)
    minimum = values.count > 0 ? values.minimum : nil
    maximum = values.count > 0 ? values.maximum : nil
    isExact = values.method == .exact
    let estimates = values.estimates(Quantile.standard)
    figures = zip(Quantile.standard, estimates).map { Figure(quantile: $0, estimate: $1) }
  }
}
