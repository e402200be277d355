import Measurement
import Store

/// What a target sends and what became of it, of one variant, counted since the collector started.
struct SeriesMetrics: Sendable {
  /// A target and one of its variants, by name.
  struct Key: Hashable, Comparable, Sendable {
    var target: String
    /// Name of the variant; empty for the variant of a target that lists none.
    var variant: String

    static func < (a: Self, b: Self) -> Bool { (a.target, a.variant) < (b.target, b.variant) }
  }

  /// How a notification settled.
  struct Verdict: Hashable, Sendable {
    var state: NotificationState
    /// The HTTP status of a rejected one, the reason of a failed or missed one; otherwise empty.
    var reason: String
  }

  struct Correction: Hashable, Comparable, Sendable {
    var from: NotificationState
    var to: NotificationState

    static func < (a: Self, b: Self) -> Bool {
      (a.from.rawValue, a.to.rawValue) < (b.from.rawValue, b.to.rawValue)
    }
  }

  /// Those that came due.
  private(set) var planned: UInt64 = 0
  private(set) var sent: UInt64 = 0
  private(set) var duplicates: UInt64 = 0
  /// Those that were not shown by their receipt deadline.
  private(set) var unseen: UInt64 = 0
  private(set) var verdicts: [Verdict: UInt64]
  private(set) var corrections: [Correction: UInt64] = [:]
  private(set) var distributions: [Interval: LatencyDistribution]

  /// The intervals whose distributions are shown, in their order.
  enum Interval: String, CaseIterable, Sendable {
    case delivery, accept, service
    case scheduleLag = "schedule_lag"
    case path
    case shown
    case deliveryError = "delivery_error"

    var help: String {
      switch self {
      case .delivery: "Time from planned to received by the device."
      case .accept: "Time from planned to accepted by the provider."
      case .service: "Time from sent to accepted by the provider."
      case .scheduleLag: "Time from planned to sent: how late this collector is."
      case .path: "Round trip of the newest PING on the connection when a notification was answered."
      case .shown: "Time from planned to shown by the device."
      case .deliveryError: "Bound of the error of a delivery time; 0 on one clock."
      }
    }
  }

  /// Reasons that are counted from zero, so that the first one is seen as an increase.
  private static let knownVerdicts: [Verdict: UInt64] = {
    var verdicts: [Verdict: UInt64] = [:]
    for state in [NotificationState.accepted, .delivered, .late, .lost, .interrupted] {
      verdicts[Verdict(state: state, reason: "")] = 0
    }
    for reason in FailureReason.allCases { verdicts[Verdict(state: .failed, reason: reason.rawValue)] = 0 }
    for reason in MissedReason.allCases { verdicts[Verdict(state: .missed, reason: reason.rawValue)] = 0 }
    return verdicts
  }()

  init(_ buckets: LatencyBuckets) {
    verdicts = Self.knownVerdicts
    distributions = Dictionary(
      uniqueKeysWithValues: Interval.allCases.map { ($0, LatencyDistribution(buckets)) })
  }

  /// - Parameter onlyPlanned: how many of them come due with this.
  mutating func add(interrupted count: Int, onlyPlanned: Int) {
    verdicts[Verdict(state: .interrupted, reason: ""), default: 0] += UInt64(max(0, count))
    planned += UInt64(max(0, onlyPlanned))
  }

  mutating func add(_ change: SampleChange, at now: WallTime) {
    let sample = change.sample
    if change.isDue { planned += 1 }
    duplicates += UInt64(max(0, change.newDuplicates))
    switch change.verdict {
    case .unchanged: break
    case .settled: verdicts[Verdict(of: sample), default: 0] += 1
    case .corrected(let from): corrections[Correction(from: from, to: sample.state), default: 0] += 1
    }
    let exemplar = (change.notification, now)
    func record(_ interval: Interval, _ value: Int64?) {
      if let value { distributions[interval]?.record(value, exemplar: exemplar) }
    }
    if change.newValues.contains(.scheduleLag) {
      sent += 1
      record(.scheduleLag, sample.scheduleLag)
    }
    if change.newValues.contains(.service) { record(.service, sample.value(of: .service)) }
    if change.newValues.contains(.accept) { record(.accept, sample.acceptLatency) }
    if change.newValues.contains(.path) { record(.path, sample.path) }
    if change.newValues.contains(.unseen) { unseen += 1 }
    if change.newValues.contains(.shown) { record(.shown, sample.shownLatency) }
    if change.newValues.contains(.delivery) {
      record(.delivery, sample.deliveryLatency)
      record(.deliveryError, sample.deliveryError)
    }
  }
}

extension SeriesMetrics.Verdict {
  init(of sample: Sample) {
    state = sample.state
    switch sample.state {
    case .rejected: reason = sample.status.flatMap { (100...999).contains($0) ? String($0) : nil } ?? "none"
    case .failed: reason = sample.reason.flatMap(FailureReason.init(rawValue:))?.rawValue ?? "unknown"
    case .missed: reason = sample.reason.flatMap(MissedReason.init(rawValue:))?.rawValue ?? "unknown"
    default: reason = ""
    }
  }
}
