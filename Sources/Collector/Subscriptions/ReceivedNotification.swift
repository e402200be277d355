import Measurement
import Providers

/// One of our own notifications that came back over a subscription.
struct ReceivedNotification: Sendable, Equatable {
  var id: NotificationID
  var at: MonotonicTime
}

/// Tells our own notifications from what others send in our format, and stamps them in the order in which they came.
struct NotificationVerifier: Sendable {
  private let authenticator: ReceiptAuthenticator
  /// The stamp of the last notification that came back.
  private var lastReceived: MonotonicTime?
  /// Messages with our format and a wrong MAC since ``drainForged()``.
  private(set) var forged = 0

  init(authenticator: ReceiptAuthenticator) { self.authenticator = authenticator }

  /// - Parameter instant: when the message came.
  /// - Returns: `nil` for one that is not ours.
  mutating func verify(_ ticket: PayloadMember.Ticket, at instant: MonotonicTime) -> ReceivedNotification? {
    guard let mac = ticket.mac, authenticator.verify(mac, for: ticket.id) else {
      forged += 1
      return nil
    }
    return ReceivedNotification(id: ticket.id, at: stamp(from: instant))
  }

  /// The stamp of the next notification: later than that of the one before it in the stream, by a nanosecond at the least. The
  /// kernel stamps a packet once, and equal stamps would hide the order of its messages and make copies repetitions of one
  /// receipt.
  private mutating func stamp(from instant: MonotonicTime) -> MonotonicTime {
    let stamp = lastReceived.map { max(instant, $0 + .nanoseconds(1)) } ?? instant
    lastReceived = stamp
    return stamp
  }

  mutating func drainForged() -> Int {
    defer { forged = 0 }
    return forged
  }
}
