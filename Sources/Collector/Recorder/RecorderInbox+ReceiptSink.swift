import Measurement

/// Receipts go to the recorder, which answers when they are committed; what was turned away is only counted.
extension RecorderInbox: ReceiptSink {
  public func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void
  ) {
    post(Delivery(receipts: receipts, exchanges: exchanges, reply: reply))
  }

  public func refused(_ refusal: ReceiptRefusal) {
    note(refusal)
  }
}
