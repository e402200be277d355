/// What the service has done so far.
public struct LoopbackStatistics: Sendable, Equatable {
  public var connections = 0
  public var requests = 0
  /// Answered 200, or 201 where Web Push does.
  public var accepted = 0
  /// Answered with an error status, by reason: the dialect's rules and the scenario's errors.
  public var refused: [String: Int] = [:]
  /// Reset, refused, left unanswered or cut off, by kind.
  public var faults: [String: Int] = [:]
  /// What reached the device, duplicates included.
  public var deliveries = 0
  public var lost = 0
  public var duplicated = 0
  /// Access tokens handed out, and assertions that were none.
  public var tokens = 0
  public var refusedAssertions = 0
  /// ntfy's subscriptions that stand.
  public var subscribers = 0
  public var receipts = ReceiptStatistics()

  public init() {}
}
