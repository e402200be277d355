import Measurement

extension EventKind {
  /// The word on the axis of time for what happens to a connection or a clock; `nil` for what the plot shows anyway.
  var axisLabel: String? {
    switch self {
    case .connected: "connected"
    case .disconnected: "closed"
    case .goaway: "GOAWAY"
    case .streamLimitChanged: "streams"
    case .tokenRefreshed: "token"
    case .retryAfter: "retry after"
    case .suspended: "suspended"
    case .clockStep: "clock step"
    case .configReloaded: "reloaded"
    case .thresholdCrossed: "threshold"
    case .runStarted, .runStopped, .rejected, .failed, .missed, .lost, .late, .duplicate, .outOfOrder,
      .unknownReceipt, .forgedReceipt, .malformedReceipt, .clockOffset, .configRefused, .thresholdCleared,
      .interrupted,
      .resumed:
      nil
    }
  }

  /// How much it should catch the eye.
  var role: Role {
    switch self {
    case .lost: .lost
    case .failed: .failed
    case .rejected: .rejected
    case .late: .late
    case .missed: .missed
    case .interrupted: .interrupted
    case .disconnected, .goaway, .retryAfter, .suspended, .clockStep, .thresholdCrossed, .duplicate,
      .outOfOrder,
      .unknownReceipt, .malformedReceipt:
      .warning
    case .forgedReceipt, .configRefused: .alarm
    case .connected, .streamLimitChanged, .tokenRefreshed, .runStarted, .runStopped, .resumed,
      .configReloaded,
      .thresholdCleared, .clockOffset:
      .accent
    }
  }
}
