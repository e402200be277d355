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
