import Measurement

/// What has happened to one notification so far. Its state follows from these and from nothing else, in whatever order they came to light, which is why a receipt may come before the
/// provider's answer, or even before we noted that we sent it.
struct NotificationProgress: Sendable, Equatable {
  enum Answer: Sendable, Equatable {
    case accepted
    case rejected
    case failed
  }

  var isSent = false
  var answer: Answer?
  var isMissed = false
  /// The collector stopped listening, or died, before the end was known.
  var isInterrupted = false
  /// Whether the receipt deadline has passed.
  var isOverdue = false
  /// How the first receipt stands to the deadline, once there is one.
  var receipt: ReceiptTiming?

  enum ReceiptTiming: Sendable, Equatable {
    case inTime
    case late
  }

  /// The facts a stored row tells of: how a notification that left memory is taken up again.
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

  /// The state these facts make (docs/measurement.md). A receipt is the strongest witness; what was
  /// missed was never sent; then the provider's word counts, or that no connection to it was to be had.
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
