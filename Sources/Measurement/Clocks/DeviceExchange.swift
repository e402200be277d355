/// An exchange that a device reported together with a receipt whose MAC was right: a row of the `clock_exchange` table.
public struct DeviceExchange: Sendable, Hashable {
  /// The device's own name for itself, bounded and escaped at sinks.
  public var device: String
  /// The boot its clock belongs to, where the device tells.
  public var bootID: String?
  public var exchange: ClockExchange
  /// How long this host had slept since its boot, as far as that had been noticed: our monotonic clock stood still
  /// meanwhile and the device's did not, so an exchange tells nothing of what comes after another sleep.
  public var hostSlept: Duration

  public init(device: String, bootID: String?, exchange: ClockExchange, hostSlept: Duration = .zero) {
    self.device = device
    self.bootID = bootID
    self.exchange = exchange
    self.hostSlept = hostSlept
  }
}
