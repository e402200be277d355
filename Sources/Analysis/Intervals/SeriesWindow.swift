import Findings
import Measurement
import Store

/// A stretch of the planned time of a target: in one run or in several, in one variant or in all.
public struct SeriesWindow: Sendable, Hashable {
  public var targets: [TargetID]
  /// `nil` for all.
  public var variants: Set<VariantID>?
  /// The planned times; the end is excluded.
  public var time: Range<WallTime>

  public init(targets: [TargetID], variants: Set<VariantID>? = nil, time: Range<WallTime>) {
    self.targets = targets
    self.variants = variants
    self.time = time
  }

  /// A window as long as the time in which its series was sent, from the first on: what its history is taken for.
  init(_ window: SeriesWindow, _ sent: SentTime) {
    self = window
    let start = sent.bounds.lowerBound
    time = start..<start.advanced(byMicroseconds: sent.length)
  }

  /// Whether the window has notifications of a variant.
  public func includes(_ variant: VariantID) -> Bool { variants?.contains(variant) ?? true }
}

/// A share of notifications that an interval is computed for. Only settled ones count.
public enum SeriesShare: Sendable, Hashable {
  /// Lost, of those that the provider accepted; late ones count as lost.
  case lost
  /// Failed, of all.
  case failed
  /// Not shown by the receipt deadline, of those that were delivered to a device that had reported before that it shows them.
  case unseen
  /// Rejected, and missed for `retry_after`, `backoff`, `provider_limit` or `credential`, of all.
  case refused
  /// Ended well, of all: delivered by the deadline, or accepted where no receipt is expected.
  case inTime
  /// The share that has a value of a metric of at most so many µs. What has no value is not within it.
  ///
  /// Of deliveries that are known within bounds only, the interval's lower end takes the latest that each can have
  /// been received, its upper end the earliest.
  case within(Int64, of: Metric, base: Base)

  /// What a share is of.
  public enum Base: String, Sendable, Hashable {
    /// All that were due.
    case planned
    /// Those that the provider accepted.
    case accepted
  }

  /// What it is a share of, in the words of the states.
  public var baseName: String {
    switch self {
    case .within(_, of: _, let base): base.rawValue
    case .lost: Base.accepted.rawValue
    case .unseen: NotificationState.delivered.name
    case .failed, .refused, .inTime: Base.planned.rawValue
    }
  }

  /// The shares that are watched (docs/findings.md).
  public static let watched = Set(SeriesMetric.allCases.compactMap(\.share))
}

extension SeriesMetric {
  /// What is counted for this share; `nil` of a latency.
  public var share: SeriesShare? {
    switch self {
    case .delivery, .accept, .display: nil
    case .lost: .lost
    case .unseen: .unseen
    case .failed: .failed
    case .refused: .refused
    }
  }
}
