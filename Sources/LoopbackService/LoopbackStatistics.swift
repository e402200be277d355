/// What the service has done so far.
public struct LoopbackStatistics: Sendable, Equatable {
  public var connections = 0
  public var requests = 0
  /// Answered 200.
  public var accepted = 0
  /// Answered with an error status, by reason: the dialect's rules and the scenario's errors.
  public var refused: [String: Int] = [:]
  /// Reset, refused, left unanswered or cut off, by kind.
  public var faults: [String: Int] = [:]
  /// What reached the device, duplicates included.
  public var deliveries = 0
  public var lost = 0
  public var duplicated = 0
  public var receipts = ReceiptStatistics()

  public init() {}
}

/// What became of the device's receipts.
public struct ReceiptStatistics: Sendable, Equatable {
  /// Notifications without a `pushscope` member to report.
  public var unreportable = 0
  /// Handed to the poster.
  public var queued = 0
  /// In batches that were answered 202, and what the collector said of them.
  public var posted = 0
  public var accepted = 0
  public var duplicate = 0
  public var unknown = 0
  public var refused = 0
  /// In batches that the collector will not have (4xx).
  public var turnedAway = 0
  /// Pushed out by newer ones while the collector was away.
  public var dropped = 0
  /// Posts that had to be repeated: no connection, no answer, 429 or 5xx.
  public var retries = 0

  public init() {}
}
