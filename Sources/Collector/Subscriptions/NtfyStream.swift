import Measurement
import Providers

/// Parses a subscription's stream: splits it into lines, reads them as events and verifies the MACs of our messages.
struct NtfyStream: Sendable {
  /// One of our own notifications that came back.
  struct ReceivedNotification: Sendable, Equatable {
    var id: NotificationID
    var at: MonotonicTime
  }

  let authenticator: ReceiptAuthenticator
  private var lines = LineSplitter()
  /// Whether the server has opened the stream on this connection: from then on it delivers.
  private(set) var isOpen = false
  /// When the last event came, by the server's clock, Unix seconds: where the next connection starts.
  private(set) var lastTime: Int64?
  /// The ids of the last messages, and those of earlier connections: a connection that starts from a second repeats what came
  /// earlier in that second.
  private var messages: [String] = []
  private var earlier: Set<String> = []
  /// The stamp of the last notification that came back.
  private var lastReceived: MonotonicTime?
  /// Messages with our format and a wrong MAC since ``takeForged()``.
  private(set) var forged = 0
  /// Valid events, keepalives and other senders' messages included: signs that the stream is alive.
  private(set) var events = 0

  init(authenticator: ReceiptAuthenticator) { self.authenticator = authenticator }

  /// Prepares for a new connection.
  mutating func restart() {
    lines = LineSplitter()
    isOpen = false
    earlier = Set(messages.suffix(Self.maximumMessages))
  }

  /// - Parameter instant: when the bytes came.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicTime) -> [ReceivedNotification] {
    var heard: [ReceivedNotification] = []
    for line in lines.append(bytes) {
      let event = NtfyEvent.parse(line)
      if event != nil { events += 1 }
      switch event {
      case .open(let time):
        isOpen = true
        // Messages that waited for this connection come after it.
        if lastTime == nil { note(time: time) }
      case .message(let message):
        note(time: message.time)
        guard !earlier.contains(message.id) else { continue }
        note(id: message.id)
        // Other senders' messages have no ticket.
        guard let ticket = message.ticket else { continue }
        guard let mac = ticket.mac, authenticator.verify(mac, for: ticket.id) else {
          forged += 1
          continue
        }
        heard.append(ReceivedNotification(id: ticket.id, at: stamp(from: instant)))
      case .keepalive(let time): note(time: time)
      case .other, nil: break
      }
    }
    return heard
  }

  private mutating func note(time: Int64?) {
    if let time, time > 0 { lastTime = time }
  }

  private mutating func note(id: String) {
    messages.append(id)
    if messages.count >= 2 * Self.maximumMessages { messages.removeFirst(Self.maximumMessages) }
  }

  private static let maximumMessages = 1024

  /// The stamp of the next notification: later than that of the one before it in the stream, by a nanosecond at the least. The
  /// kernel stamps a packet once, and equal stamps would hide the order of its messages and make copies repetitions of one
  /// receipt.
  private mutating func stamp(from instant: MonotonicTime) -> MonotonicTime {
    let stamp = lastReceived.map { max(instant, $0 + .nanoseconds(1)) } ?? instant
    lastReceived = stamp
    return stamp
  }

  mutating func takeForged() -> Int {
    defer { forged = 0 }
    return forged
  }
}
