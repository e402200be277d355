import Measurement

/// A clock exchange that a device reported together with a receipt whose MAC was right.
public struct ArrivedExchange: Sendable, Equatable {
  /// As in its receipts.
  public var device: String
  /// The boot that its clock belongs to, where the device tells.
  public var bootID: String?
  public var exchange: ClockExchange
  /// When the report reached the collector.
  public var arrivedAt: MonotonicTime

  public init(device: String, bootID: String?, exchange: ClockExchange, arrivedAt: MonotonicTime) {
    self.device = device
    self.bootID = bootID
    self.exchange = exchange
    self.arrivedAt = arrivedAt
  }
}
