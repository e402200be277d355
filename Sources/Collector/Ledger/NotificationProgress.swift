import DequeModule
import Measurement

/// What is known of one notification. Its state is derived from this alone, so the order of observations does not matter: a
/// receipt may come before the provider's answer, or before the observation that the request was sent.
struct NotificationProgress: Sendable, Equatable {
  enum Answer: Sendable, Equatable {
    case accepted
    case rejected
    case failed
  }

  var isSent = false
  var answer: Answer?
  var isMissed = false
  /// The collector stopped or crashed before the end was known.
  var isInterrupted = false
  /// Whether the receipt deadline has passed.
  var isOverdue = false
  /// Whether the first receipt met the deadline, once there is one.
  var receipt: ReceiptTiming?

  enum ReceiptTiming: Sendable, Equatable {
    case inTime
    case late
  }

  /// Restores the progress from a stored row.
  init(_ sample: Sample) {
    isSent = sample.scheduleLag != nil
    switch sample.state {
    case .planned, .inFlight: break
    case .accepted: answer = .accepted
    case .delivered: receipt = .inTime
    case .late: receipt = .late
    case .lost:
      answer = .accepted
      isOverdue = true
    case .rejected: answer = .rejected
    case .failed: answer = .failed
    case .missed: isMissed = true
    case .interrupted: isInterrupted = true
    }
    if answer == nil, sample.acceptLatency != nil { answer = .accepted }
  }

  init() {}

  /// The state (docs/measurement.md). A receipt takes precedence, then that the notification was missed, then the provider's
  /// answer or a failure.
  func state(expectsReceipt: Bool) -> NotificationState {
    switch receipt {
    case .inTime: return .delivered
    case .late: return .late
    case nil: break
    }
    if isMissed { return .missed }
    switch answer {
    case .failed: return .failed
    case .rejected: return .rejected
    case .accepted:
      if !expectsReceipt { return .accepted }
      if isOverdue { return .lost }
    case nil: break
    }
    if isInterrupted { return .interrupted }
    return isSent || answer != nil ? .inFlight : .planned
  }
}

/// What the ledger keeps for one target beside its open notifications: the order of deliveries, and the receipt deadlines
/// still to come.
struct TargetDeliveries: Sendable {
  /// A reload may give it another receipt deadline, for what is planned from then on.
  var target: LedgerTarget
  private var order = DeliveryOrder()
  /// Notifications without a receipt, ascending by when it is due, µs.
  private var awaiting = Deque<(sequence: Int64, due: Int64)>()

  init(target: LedgerTarget) { self.target = target }

  /// Remembers when the receipt for a planned notification is due, if one is expected.
  mutating func await(sequence: Int64, planned: MonotonicTime) {
    guard let deadline = target.receiptDeadline else { return }
    let due = planned.microseconds + deadline
    var place = awaiting.endIndex
    // Later ones are due earlier only where a reload has shortened the deadline.
    while place > awaiting.startIndex, awaiting[place - 1].due > due { place -= 1 }
    awaiting.insert((sequence: sequence, due: due), at: place)
  }

  /// Forgets the plans from a sequence number on.
  mutating func withdraw(from sequence: Int64) { awaiting.removeAll { $0.sequence >= sequence } }

  /// Records the first receipt for a notification.
  /// - Returns: whether a later one had been received earlier.
  mutating func recordReceived(sequence: Int64, at time: MonotonicTime) -> Bool {
    order.record(sequence: sequence, at: time)
  }

  /// The first instant at which a deadline has passed.
  var nextExpiry: MonotonicTime? {
    guard let first = awaiting.first else { return nil }
    return MonotonicTime(microseconds: first.due + 1)
  }

  /// The next sequence number whose deadline has passed by `now`, each once.
  mutating func removeExpired(at now: MonotonicTime) -> Int64? {
    guard let expiry = nextExpiry, expiry <= now else { return nil }
    return awaiting.removeFirst().sequence
  }
}

/// Tells whether a notification of one target was received after one with a later sequence number.
///
/// That depends only on sequences that were received earlier than all later ones, so only these are kept, ascending in sequence
/// and time, and of these the newest 4 096. An older sequence is compared with these, and found out of order.
struct DeliveryOrder: Sendable {
  static let window = 4096

  private var deliveries = Deque<(sequence: Int64, time: MonotonicTime)>()

  /// Deliveries remembered.
  var count: Int { deliveries.count }

  /// Records that `sequence` was received at `time`.
  /// - Returns: whether a later sequence had been received earlier.
  mutating func record(sequence: Int64, at time: MonotonicTime) -> Bool {
    var place = deliveries.endIndex
    while place > deliveries.startIndex, deliveries[place - 1].sequence > sequence { place -= 1 }
    if place < deliveries.endIndex, deliveries[place].time < time { return true }
    var first = place
    while first > deliveries.startIndex, deliveries[first - 1].time >= time { first -= 1 }
    deliveries.replaceSubrange(first..<place, with: CollectionOfOne((sequence: sequence, time: time)))
    if deliveries.count > Self.window { deliveries.removeFirst(deliveries.count - Self.window) }
    return false
  }
}

extension NotificationState {
  /// The event that tells of notifications that ended so; `nil` for states that are no trouble.
  var event: EventKind? {
    switch self {
    case .rejected: .rejected
    case .failed: .failed
    case .missed: .missed
    case .lost: .lost
    case .late: .late
    case .planned, .inFlight, .accepted, .delivered, .interrupted: nil
    }
  }
}
