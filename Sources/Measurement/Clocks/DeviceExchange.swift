/// An exchange as a device reported it: a row of the `clock_exchange` table.
public struct DeviceExchange: Sendable, Hashable {
  /// The device's own name for itself, bounded and escaped at sinks.
  public var device: String
  /// The boot its clock belongs to, where the device tells.
  public var bootID: String?
  public var exchange: ClockExchange
  /// When the report reached the collector.
  public var arrivedAt: WallTime

  public init(device: String, bootID: String?, exchange: ClockExchange, arrivedAt: WallTime) {
    self.device = device
    self.bootID = bootID
    self.exchange = exchange
    self.arrivedAt = arrivedAt
  }
}
