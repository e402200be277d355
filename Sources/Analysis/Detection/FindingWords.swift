import Findings
import Measurement
import Store

/// The figures of a finding in a clause, for evidence.
enum FindingWords {
  /// `p90 41.2 ms → 123 ms`, or `lost 0.50 % → 12.0 % of accepted`.
  static func effect(_ record: FindingRecord) -> String {
    if let fraction = record.quantile, let before = record.before, let after = record.after {
      return
        "\(record.metric) \(Quantile.label(of: fraction)) \(LatencyText.text(before)) → \(LatencyText.text(after))"
    }
    guard let before = record.shareBefore, let after = record.shareAfter else {
      return record.metric.rawValue
    }
    let base =
      switch record.metric.word {
      case .lost: "accepted"
      case .unseen: "delivered"
      default: "planned"
      }
    // Not from its verdicts, which this is part of.
    return "\(record.metric.title) \(PercentText.fine(before)) → \(PercentText.fine(after)) of \(base)"
  }
}
