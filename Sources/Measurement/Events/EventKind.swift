/// What an event tells of; a closed list that scripts rely on.
public enum EventKind: String, Sendable, Hashable, CaseIterable {
  case runStarted = "run_started"
  case runStopped = "run_stopped"
  case connected
  case disconnected
  case goaway
  case streamLimitChanged = "stream_limit_changed"
  case tokenRefreshed = "token_refreshed"
  case retryAfter = "retry_after"
  case rejected
  case failed
  case missed
  case lost
  case late
  case duplicate
  case outOfOrder = "out_of_order"
  case unknownReceipt = "unknown_receipt"
  case forgedReceipt = "forged_receipt"
  case malformedReceipt = "malformed_receipt"
  case clockOffset = "clock_offset"
  case clockStep = "clock_step"
  case suspended
  case configReloaded = "config_reloaded"
  case configRefused = "config_refused"
  case thresholdCrossed = "threshold_crossed"
  case thresholdCleared = "threshold_cleared"
  case interrupted
  case resumed
}
