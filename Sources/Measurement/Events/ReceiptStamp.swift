/// What one receipt differs by from another one for the same notification. A device that posts again because no answer
/// came says the same again; a notification that reached it twice has another time.
public struct ReceiptStamp: Sendable, Hashable {
  public var device: String
  /// When the device says it received it, on its own clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, when it told.
  public var monotonic: Int64?

  public init(device: String, receivedAt: WallTime, monotonic: Int64?) {
    self.device = device
    self.receivedAt = receivedAt
    self.monotonic = monotonic
  }
}
