/// Something that happened during a run: a row of the `events` table.
public struct Event: Sendable, Equatable, Codable {
  public var at: WallTime
  public var kind: EventKind
  /// The target it concerns; `nil` for the run as a whole.
  public var target: TargetID?
  public var connectionID: Int64?
  public var sequence: Int64?
  /// How many occurrences the row stands for: rows of one kind are limited, further occurrences are only counted.
  public var count: Int
  /// Free text; it may come from outside, so sinks escape it.
  public var detail: String

  public init(
    at: WallTime, kind: EventKind, target: TargetID? = nil, connectionID: Int64? = nil,
    sequence: Int64? = nil, count: Int = 1, detail: String = ""
  ) {
    self.at = at
    self.kind = kind
    self.target = target
    self.connectionID = connectionID
    self.sequence = sequence
    self.count = count
    self.detail = detail
  }
}

/// The kind of an event: a closed list that scripts rely on.
public enum EventKind: String, Sendable, Hashable, Codable, CaseIterable {
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
  /// What a person noted about a moment.
  case annotation
  case findingOpened = "finding_opened"
  case findingClosed = "finding_closed"
  /// Retention has deleted the rows that something refers to, or had to delete early.
  case pruned
  /// TLS handshakes with the receipt listener failed.
  case handshakeFailed = "handshake_failed"
  /// Retention deletes less than it is asked to: the write-ahead log cannot be emptied, or the wall clock came too far at once.
  case retentionWaiting = "retention_waiting"
  /// A part that works on what was recorded (``CollectorPart``) failed, or the process of all of them.
  case partFailed = "part_failed"
  /// The push service of a device that joined does not know its subscription any more.
  case deviceGone = "device_gone"
}

/// A line of the collector's log: a row of the `log` table.
public struct LogLine: Sendable, Equatable, Codable {
  /// How much a line matters, ascending; the raw value is its name in the store and in CSV.
  public enum Level: String, Sendable, Hashable, Codable, CaseIterable {
    case debug, info, notice, warning, error
  }

  public var at: WallTime
  public var level: Level
  public var target: TargetID?
  /// The component: `transport`, `receipts`, `store`, ….
  public var label: String
  public var message: String

  public init(at: WallTime, level: Level, target: TargetID? = nil, label: String, message: String) {
    self.at = at
    self.level = level
    self.target = target
    self.label = label
    self.message = message
  }
}
