import Findings
import Measurement
import Store

/// The figures of a finding in a clause, for evidence.
enum FindingWords {
  /// `p99`.
  static func quantile(_ fraction: Double) -> String {
    let percent = (fraction * 1000).rounded() / 10
    return percent == percent.rounded() ? "p\(Int(percent))" : "p\(percent)"
  }

  /// `p90 41.2 ms → 123 ms`, or `lost 0.5 % → 12 % of accepted`.
  static func effect(_ record: FindingRecord) -> String {
    if let fraction = record.quantile, let before = record.before, let after = record.after {
      return "\(record.metric) \(quantile(fraction)) \(LatencyText.text(before)) → \(LatencyText.text(after))"
    }
    guard let before = record.shareBefore, let after = record.shareAfter else {
      return record.metric.rawValue
    }
    let base = record.metric.word == .lost ? "accepted" : "planned"
    // Not from its verdicts, which this is part of.
    let name = record.metric.title
    return "\(name) \(percent(before)) → \(percent(after)) of \(base)"
  }

  private static func percent(_ share: Double) -> String {
    let percent = share * 100
    return percent < 10 ? "\((percent * 10).rounded() / 10) %" : "\(Int(percent.rounded())) %"
  }
}
