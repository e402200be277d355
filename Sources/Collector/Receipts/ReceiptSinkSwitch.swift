import Measurement
import Synchronization

/// Passes receipts to the run that is recorded. Between runs nothing is taken: devices are answered that they shall post again.
final class ReceiptSinkSwitch: ReceiptSink {
  private let current = Mutex<(any ReceiptSink)?>(nil)

  /// - Parameter sink: the run's; `nil` for none.
  func set(_ sink: (any ReceiptSink)?) { current.withLock { $0 = sink } }

  /// Whether a run takes receipts.
  var isOpen: Bool { current.withLock { $0 != nil } }

  func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void
  ) {
    guard let sink = current.withLock({ $0 }) else {
      return reply(ReceiptOutcome(failed: receipts.count))
    }
    sink.receive(receipts, exchanges: exchanges, reply: reply)
  }

  func refused(_ refusal: ReceiptRefusal) { current.withLock { $0 }?.refused(refusal) }

  func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
    current.withLock { $0 }?.handshakeFailed(failure, from: source)
  }
}
