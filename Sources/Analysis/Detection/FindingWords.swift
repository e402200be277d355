import Findings
import Measurement
import Store

/// A finding in a sentence, for events and the log.
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
    guard let before = record.shareBefore, let after = record.shareAfter else { return record.metric }
    let base = record.metric == SeriesMetric.lost.rawValue ? "accepted" : "planned"
    // Not from its verdicts, which this is part of.
    let name = SeriesMetric(rawValue: record.metric)?.title ?? record.metric
    return "\(name) \(percent(before)) → \(percent(after)) of \(base)"
  }

  /// - Parameter isEnd: whether it says that the finding is over.
  static func sentence(_ record: FindingRecord, isEnd: Bool) -> String {
    let variant = record.variant.isEmpty ? "" : " (\(record.variant))"
    let status = record.isProvisional ? ", provisional" : ""
    var text = "\(effect(record))\(variant)"
    if isEnd {
      if record.isWithdrawn {
        text += " is withdrawn: later receipts took its ground away"
      } else if record.isNewNormal {
        text += " is the new normal"
      } else {
        text += " ended"
        if let end = record.endedAt { text += " at \(end.rfc3339)" }
      }
    } else {
      let about = record.isGradual ? "getting worse since about" : "since"
      text += " \(about) \(record.startedAt.rfc3339)\(status)"
    }
    if !record.cause.isEmpty, !record.isWithdrawn {
      let scope = record.scope.map { " (\($0))" } ?? ""
      text += "; \(record.cause)\(scope)"
      if !record.evidence.isEmpty, record.evidence != effect(record) { text += ": \(record.evidence)" }
    }
    return text + "; finding \(record.id)"
  }

  private static func percent(_ share: Double) -> String {
    let percent = share * 100
    return percent < 10 ? "\((percent * 10).rounded() / 10) %" : "\(Int(percent.rounded())) %"
  }
}
