/// A device's word that a notification arrived, as the collector judged it: a row of the `receipts` table.
public struct Receipt: Sendable, Equatable {
  public var sample: SampleID
  /// The device's own name for itself, bounded and escaped at sinks.
  public var device: String
  /// When the device says it received it, on its own clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, when it told.
  public var monotonic: Int64?
  /// When the receipt reached the collector.
  public var arrivedAt: WallTime
  /// Whether the device shares the collector's monotonic clock (same boot).
  public var isSameClock: Bool
  /// The device's clock minus ours and the bound on it, µs, when exchanges told.
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
