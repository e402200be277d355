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
