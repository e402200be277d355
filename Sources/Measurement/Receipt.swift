/// A device's report that a notification arrived, as the collector accepted it: a row of the `receipts` table.
public struct Receipt: Sendable, Equatable {
  public var sample: SampleID
  /// The device's name for itself: bounded, and escaped at sinks.
  public var device: String
  /// The time of arrival on the device's clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, if reported.
  public var monotonic: Int64?
  /// When the receipt reached the collector.
  public var arrivedAt: WallTime
  /// Whether the device shares the collector's monotonic clock (same boot).
  public var isSameClock: Bool
  /// The device's clock minus ours and the bound on it, µs; `nil` without clock exchanges.
  public var offset: Int64?
  public var offsetError: Int64?
  public var isDuplicate: Bool

  public init(
    sample: SampleID, device: String, receivedAt: WallTime, arrivedAt: WallTime, isSameClock: Bool,
    monotonic: Int64? = nil, offset: Int64? = nil, offsetError: Int64? = nil, isDuplicate: Bool = false
  ) {
    self.sample = sample
    self.device = device
    self.receivedAt = receivedAt
    self.monotonic = monotonic
    self.arrivedAt = arrivedAt
    self.isSameClock = isSameClock
    self.offset = offset
    self.offsetError = offsetError
    self.isDuplicate = isDuplicate
  }
}

/// What distinguishes two receipts for the same notification. A device that posts again because no answer came reports
/// the same stamp; a notification that reached it twice has two.
public struct ReceiptStamp: Sendable, Hashable {
  public var device: String
  /// The time of arrival on the device's clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, if reported.
  public var monotonic: Int64?

  public init(device: String, receivedAt: WallTime, monotonic: Int64?) {
    self.device = device
    self.receivedAt = receivedAt
    self.monotonic = monotonic
  }
}
