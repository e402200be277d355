import Measurement
import Providers

/// What a subscription's bytes come to, as a value: cut into lines, read as events, checked for being ours.
struct NtfyStream: Sendable {
  /// One of our own notifications, as it came back.
  struct ReceivedNotification: Sendable, Equatable {
    var id: NotificationID
    var at: MonotonicTime
  }

  let authenticator: ReceiptAuthenticator
  private var lines = LineSplitter()
  /// Whether the server said `open` on this connection: from then on it delivers.
  private(set) var isOpen = false
  /// When the last event came, by the server's clock, Unix seconds: to go on from.
  private(set) var lastTime: Int64?
  /// The messages that came last, by the server's ids, and those of earlier connections: what is asked for from a second on
  /// contains what came in it before.
  private var messages: [String] = []
  private var earlier: Set<String> = []
  /// When each of the notifications that came lately was heard last.
  private var recent: [NotificationID: MonotonicTime] = [:]
  /// Messages of ours whose MAC was wrong since the last look.
  private(set) var forged = 0
  /// Events that could be read, keepalives and other people's messages included: what shows that the stream lives.
  private(set) var events = 0

  init(authenticator: ReceiptAuthenticator) { self.authenticator = authenticator }

  /// A new connection begins; what to go on from stays known.
  mutating func restart() {
    lines = LineSplitter()
    isOpen = false
    earlier = Set(messages.suffix(Self.mostMessages))
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
        // What waited for this connection comes after it.
        if lastTime == nil { note(time: time) }
      case .message(let message):
        note(time: message.time)
        guard !earlier.contains(message.id) else { continue }
        note(id: message.id)
        // Somebody else's message, or one of another run, is none of ours.
        guard let ticket = message.ticket else { continue }
        guard let mac = ticket.mac, authenticator.verify(mac, for: ticket.id) else {
          forged += 1
          continue
        }
        heard.append(distinct(ReceivedNotification(id: ticket.id, at: instant)))
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
    if messages.count >= 2 * Self.mostMessages { messages.removeFirst(Self.mostMessages) }
  }

  private static let mostMessages = 1024

  /// Copies that came with one packet are as many all the same, also where they are handed on one by one: they have one
  /// stamp from the kernel, and by different stamps they are told from a receipt that is sent again.
  private mutating func distinct(_ heard: ReceivedNotification) -> ReceivedNotification {
    var heard = heard
    if let last = recent[heard.id], last >= heard.at { heard.at = last + .nanoseconds(1) }
    if recent.count >= Self.mostRecent { recent = recent.filter { $0.value >= heard.at } }
    recent[heard.id] = heard.at
    return heard
  }

  private static let mostRecent = 256

  mutating func takeForged() -> Int {
    defer { forged = 0 }
    return forged
  }
}
