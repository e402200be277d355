import Analysis
import Configuration
import Measurement

/// A requirement that a recording meets, breaches, or leaves undecided.
public struct Gate: Sendable, Hashable {
  /// What has to hold.
  public enum Requirement: Sendable, Hashable {
    /// A share of at least so much, whose value of the metric is at most so much.
    case share(Double, within: Duration, of: SeriesShare.Base)
    /// A share that is watched, such as ``SeriesMetric/lost``, is below so much.
    case watched(SeriesMetric, below: Double)
    /// This quantile of the metric is below so much.
    case quantile(Quantile, below: Duration)

    /// The same with its limit cut to whole µs, as latencies are.
    fileprivate var inWholeMicroseconds: Self {
      switch self {
      case .share(let share, let limit, let base):
        .share(share, within: .microseconds(limit.microseconds), of: base)
      case .quantile(let quantile, let limit): .quantile(quantile, below: .microseconds(limit.microseconds))
      case .watched: self
      }
    }
  }

  /// What a share is of.
  public typealias Base = SeriesShare.Base

  /// What a gate looks at in a target.
  enum Subject: Sendable, Hashable {
    case metric(Metric)
    case share(SeriesMetric)

    /// The word in the column `metric`, as findings have it.
    var name: String {
      switch self {
      case .metric(let metric): metric.rawValue
      case .share(let share): share.rawValue
      }
    }
  }

  /// `nil`: `delivery` of targets that expect receipts, else `accept`. A share that is watched has none.
  public var metric: Metric?
  public let requirement: Requirement

  public init(_ metric: Metric?, _ requirement: Requirement) {
    self.metric = metric
    self.requirement = requirement.inWholeMicroseconds
  }

  /// What a target is judged by; `nil` where it can have no values of it.
  func subject(expectsReceipts: Bool) -> Subject? {
    if case .watched(let share, _) = requirement {
      return share.needsReceipts && !expectsReceipts ? nil : .share(share)
    }
    let metric = metric ?? .judged(expectsReceipts: expectsReceipts)
    return metric.isAvailable(expectsReceipts: expectsReceipts) ? .metric(metric) : nil
  }

  /// The gate as it can be written: `delivery.p99<250ms`, `lost<1%`, `delivery within 2s share 99%`.
  ///
  /// - Parameter subject: what it looks at; `nil` names the metric only where the gate does.
  func text(of subject: Subject?) -> String {
    let name = subject?.name ?? metric?.rawValue
    switch requirement {
    case .quantile(let quantile, let limit):
      return "\(name ?? "?").\(quantile.label)<\(DurationText.format(limit))"
    case .watched(let share, let limit): return "\(share.rawValue)<\(ShareText.format(limit))"
    case .share(let share, let limit, let base):
      return (name.map { "\($0) " } ?? "")
        + "within \(DurationText.format(limit)) share \(ShareText.format(share))"
        + (base == .planned ? "" : " over \(base.rawValue)")
    }
  }

  /// The gate as it can be written.
  public func text() -> String { text(of: nil) }
}
