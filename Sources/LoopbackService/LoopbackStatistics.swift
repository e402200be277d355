/// Counts of the service since its start.
public struct LoopbackStatistics: Sendable, Equatable {
  public var connections = 0
  public var requests = 0
  /// Responses 200, or 201 for Web Push.
  public var accepted = 0
  /// Error responses by reason: violations and the scenario's errors.
  public var refused: [String: Int] = [:]
  /// Faults by kind.
  public var faults: [String: Int] = [:]
  /// Deliveries, duplicates included.
  public var deliveries = 0
  public var lost = 0
  public var duplicated = 0
  /// Issued access tokens and refused assertions.
  public var tokens = 0
  public var refusedAssertions = 0
  /// Open ntfy subscriptions.
  public var subscribers = 0
  public var receipts = ReceiptStatistics()

  public init() {}
}

/// Counts of the device's receipts.
public struct ReceiptStatistics: Sendable, Equatable {
  /// Notifications without a valid `pushscope` member.
  public var unreportable = 0
  /// Queued for posting.
  public var queued = 0
  /// In batches answered 202, with the collector's counts.
  public var posted = 0
  public var accepted = 0
  public var duplicate = 0
  public var unknown = 0
  public var refused = 0
  /// In batches answered 4xx.
  public var rejected = 0
  /// Dropped from a full queue.
  public var dropped = 0
  /// Repeated posts: no connection, no response, 429 or 5xx.
  public var retries = 0

  public init() {}
}
