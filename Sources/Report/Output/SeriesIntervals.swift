import Analysis
import Findings
import Measurement
import Store

extension SeriesStatistics {
  /// A quantile with an interval of either kind; `nil` without a value.
  func interval(of quantile: Quantile, _ metric: Metric, isIndependent: Bool) -> QuantileInterval? {
    guard let interval = self.quantile(quantile, of: metric) else { return nil }
    guard isIndependent else { return interval }
    return QuantileInterval(
      independent: independentQuantile(quantile, of: metric), value: interval.value, count: interval.count)
  }

  /// A share with an interval of either kind; `nil` where it was not read.
  func interval(of share: SeriesShare, isIndependent: Bool) -> ShareInterval? {
    isIndependent ? independentShare(share) : self.share(share)
  }
}
