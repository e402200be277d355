import Measurement
import Providers

/// Parses a subscription's stream: splits it into lines, reads them as events and verifies the MACs of our messages.
struct NtfyStream: Sendable {
  private var verifier: NotificationVerifier
  private var lines = LineSplitter()
  /// Whether the server has opened the stream on this connection: from then on it delivers.
  private(set) var isOpen = false
  /// When the last event came, by the server's clock, Unix seconds: where the next connection starts.
  private(set) var lastTime: Int64?
  /// The ids of the last messages, and those of earlier connections: a connection that starts from a second repeats what came
  /// earlier in that second.
  private var messages: [String] = []
  private var earlier: Set<String> = []
  /// Valid events, keepalives and other senders' messages included: signs that the stream is alive.
  private(set) var events = 0

  init(authenticator: ReceiptAuthenticator) { verifier = NotificationVerifier(authenticator: authenticator) }

  /// Prepares for a new connection.
  mutating func restart() {
    lines = LineSplitter()
    isOpen = false
    earlier = Set(messages.suffix(Self.maximumMessages))
  }

  /// - Parameter instant: when the bytes came.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, at instant: MonotonicTime) -> [ReceivedNotification]
  {
    var heard: [ReceivedNotification] = []
    for line in lines.append(bytes) {
      let event = NtfyEvent.parse(line)
      if event != nil { events += 1 }
      switch event {
      case .open(let time):
        isOpen = true
        // Messages that waited for this connection come after it.
        if lastTime == nil { record(time: time) }
      case .message(let message):
        record(time: message.time)
        guard !earlier.contains(message.id) else { continue }
        record(id: message.id)
        // Other senders' messages have no ticket.
        if let ticket = message.ticket, let received = verifier.verify(ticket, at: instant) {
          heard.append(received)
        }
      case .keepalive(let time): record(time: time)
      case .other, nil: break
      }
    }
    return heard
  }

  private mutating func record(time: Int64?) {
    if let time, time > 0 { lastTime = time }
  }

  private mutating func record(id: String) {
    messages.append(id)
    if messages.count >= 2 * Self.maximumMessages { messages.removeFirst(Self.maximumMessages) }
  }

  private static let maximumMessages = 1024

  /// How many messages with our format had a wrong MAC since the last call.
  mutating func drainForged() -> Int { verifier.drainForged() }
}
