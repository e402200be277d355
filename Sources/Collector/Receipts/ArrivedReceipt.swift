import Measurement

/// A receipt with a valid MAC, as it reached the listener. The ledger decides whether it is the first one, late, or for an
/// unknown notification.
struct ArrivedReceipt: Sendable, Equatable {
  var id: NotificationID
  /// The device's name, at most 128 bytes of UTF-8; chosen by the device.
  var device: String
  /// When it reached the collector.
  var arrivedAt: MonotonicTime
  /// The device's wall clock when it received the notification.
  var receivedAt: WallTime
  /// The device's boot and its monotonic clock then: the collector's own clock when the boot is the collector's.
  var bootID: String?
  var receivedMonotonic: MonotonicTime?
  /// The last time without a subscription before this, for receipts of subscriptions.
  var gap: ListeningGap?

  var stages = ReceiptStages()
  var context: DeviceContext?

  /// Whether the service sends again what was not acknowledged before a connection ended. The receipt of such a copy, of what was
  /// planned before the end of ``gap``, is no second delivery.
  var mayBeRepeated = false

  /// `received_at_ms` is truncated to milliseconds: the device's clock showed up to this many nanoseconds more.
  static let resolution = Duration.milliseconds(1).nanoseconds

  /// Distinguishes it from other receipts for the same notification.
  var stamp: ReceiptStamp {
    ReceiptStamp(device: device, receivedAt: receivedAt, monotonic: receivedMonotonic?.nanoseconds)
  }
}

/// A time in which a subscription was not open, by the collector's clock. What was published meanwhile waited at the server.
struct ListeningGap: Sendable, Equatable {
  var from: MonotonicTime
  var to: MonotonicTime

  /// How much earlier a notification might have been received without the gap.
  /// - Parameters:
  ///   - planned: when it was planned, monotonic µs.
  ///   - received: when it was received, monotonic µs.
  /// - Returns: µs; 0 when it was planned after the gap or received before it.
  func wait(planned: Int64, received: Int64) -> Int64 {
    guard planned < to.microseconds, received >= from.microseconds else { return 0 }
    return max(0, received - max(planned, from.microseconds))
  }
}

/// The number of receipts in a batch by outcome; the first four are the answer's body (`POST /v1/receipts`).
struct ReceiptOutcome: Sendable, Equatable {
  var accepted = 0
  var duplicate = 0
  var unknown = 0
  var refused = 0
  /// The number of accepted ones that equal a stored receipt, whose answer was lost.
  var repeated = 0
  /// The number that was not stored, because the store could not be read or written.
  var failed = 0
}

/// Receives the receipts of listener and subscriptions: the recorder.
protocol ReceiptSink: Sendable {
  /// Receives 1 to 100 receipts with valid MACs, and the clock exchanges that came with them. Calls `reply` once, from any
  /// thread, when they are stored. The device is answered 202 only then, and posts unanswered receipts again.
  func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void)

  /// Counts rejected receipts; called for every such request.
  func refused(_ refusal: ReceiptRefusal)

  /// Counts failed TLS handshakes with the listener.
  /// - Parameter source: the peer's address.
  func handshakeFailed(_ failure: HandshakeFailure, from source: String)
}

extension ReceiptSink {
  /// Receives receipts without exchanges.
  func receive(_ receipts: [ArrivedReceipt], reply: @escaping @Sendable (ReceiptOutcome) -> Void) {
    receive(receipts, exchanges: [], reply: reply)
  }
}

/// A request, or some of its receipts, that the listener rejected.
struct ReceiptRefusal: Sendable, Equatable {
  enum Kind: Sendable, Hashable, CaseIterable {
    /// The MAC does not match the id, or the id is not one of a collector's.
    case wrongMAC
    /// Invalid JSON, or too large.
    case malformed
    /// The source had sent too many of the above.
    case rateLimited
  }

  var kind: Kind
  /// Receipts for `wrongMAC`, requests otherwise.
  var count: Int
  /// The peer's address.
  var source: String

  init(_ kind: Kind, count: Int = 1, source: String) {
    self.kind = kind
    self.count = count
    self.source = source
  }
}
