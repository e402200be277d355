import Findings
import Measurement
import Store

extension SeriesStatistics {
  /// A quantile with an interval of either kind; `nil` without a value.
  public func interval(of quantile: Quantile, _ metric: Metric, isIndependent: Bool) -> QuantileInterval? {
    guard let interval = self.quantile(quantile, of: metric) else { return nil }
    guard isIndependent else { return interval }
    return QuantileInterval(
      independent: independentQuantile(quantile, of: metric), value: interval.value, count: interval.count)
  }

  /// The same, open at both ends where n is too small, as in a summary.
  public func shownInterval(of quantile: Quantile, _ metric: Metric, isIndependent: Bool) -> QuantileInterval?
  {
    interval(of: quantile, metric, isIndependent: isIndependent).map {
      $0.shown(for: quantile) ?? $0.undetermined
    }
  }

  /// A share with an interval of either kind; `nil` where it was not read.
  public func interval(of share: SeriesShare, isIndependent: Bool) -> ShareInterval? {
    isIndependent ? independentShare(share) : self.share(share)
  }
}

extension QuantileInterval {
  /// The same without its ends.
  fileprivate var undetermined: QuantileInterval {
    var open = self
    (open.low, open.high) = (nil, nil)
    return open
  }

  /// The value, where it may be shown, µs.
  public var shownValue: Int64? { isUndetermined ? nil : value }
}
