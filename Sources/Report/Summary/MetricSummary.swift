import Measurement

/// A metric's quantiles, and what share of the planned notifications they speak for.
public struct MetricSummary: Sendable, Equatable {
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
    public let estimate: QuantileEstimate
  }

  public let metric: Metric
  public let share: ShareOfPlanned
  /// µs; `nil` without values.
  public let minimum: Int64?
  public let maximum: Int64?
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  init(_ metric: Metric, _ values: QuantileAccumulator, planned: Int) {
    self.metric = metric
    share = ShareOfPlanned(counted: values.count, planned: planned)
    minimum = values.count > 0 ? values.minimum : nil
    maximum = values.count > 0 ? values.maximum : nil
    isExact = values.method == .exact
    let estimates = values.estimates(Quantile.standard)
    figures = zip(Quantile.standard, estimates).map { Figure(quantile: $0, estimate: $1) }
  }
}
