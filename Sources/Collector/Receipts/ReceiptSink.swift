import Measurement

/// Where the listener's receipts go: the recorder.
public protocol ReceiptSink: Sendable {
  /// Takes receipts whose MAC was right, 1 to 100 of them, and the clock exchanges that came with them. `reply`
  /// is to be called once, from any thread, when they are stored: the device is told 202 only then, and posts
  /// again what was not answered.
  func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void)

  /// Hears of what was turned away, so that it can be counted; called for every request of the kind.
  func refused(_ refusal: ReceiptRefusal)
}

extension ReceiptSink {
  /// Takes receipts without exchanges.
  public func receive(_ receipts: [ArrivedReceipt], reply: @escaping @Sendable (ReceiptOutcome) -> Void) {
    receive(receipts, exchanges: [], reply: reply)
  }
}
