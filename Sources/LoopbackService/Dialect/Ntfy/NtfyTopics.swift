import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP2

/// ntfy's subscribers and stored messages. Used on the service's event loop.
final class NtfyTopics {
  /// Limit of concurrent subscriptions.
  static let maximumSubscribers = 1000
  /// Limit of stored messages; the oldest are removed first.
  private static let capacity = 1000

  private let behavior: SubscriptionBehavior
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private var subscribers: [Int: NtfySubscriber] = [:]
  private var lastSubscriber = 0
  private var kept = CircularBuffer<NtfyMessage>()
  /// Whether a freeze is active, in which nothing is sent.
  var isFrozen: () -> Bool = { false }

  init(behavior: SubscriptionBehavior, clock: any HostClock, eventLoop: any EventLoop) {
    self.behavior = behavior
    self.clock = clock
    self.eventLoop = eventLoop
  }

  var count: Int { subscribers.count }

  /// Starts the stream: `open`, the requested stored messages, then new ones.
  func subscribe(_ request: NtfySubscriber.Request, _ exchange: HTTPExchange) {
    let old = messages(request)
    if request.isPoll {
      let text = old.map { $0.json + "\n" }.joined()
      var response = HTTPResponse(status: 200, headers: Self.headers)
      response.body = ByteBuffer(string: text)
      return exchange.answer(response)
    }
    lastSubscriber += 1
    let number = lastSubscriber
    let subscriber = NtfySubscriber(topics: request.topics, exchange: exchange)
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    subscribers[number] = subscriber
    let names = request.topics.joined(separator: ",")
    var response = HTTPResponse(status: 200, headers: Self.headers)
    response.body = ByteBuffer(string: event("open", names) + "\n")
    exchange.begin(response) { bound.value.gone(number) }
    // The connection may have closed in the meantime.
    guard subscribers[number] != nil else { return }
    for message in old { subscriber.send(message.json) }
    let keepalive = TimeAmount(behavior.keepalive)
    subscriber.timers.append(
      eventLoop.scheduleRepeatedTask(initialDelay: keepalive, delay: keepalive) { _ in
        bound.value.keepalive(number, names)
      })
    if let mute = behavior.muteAfter {
      subscriber.deadlines.append(
        eventLoop.scheduleTask(in: TimeAmount(mute)) { bound.value.subscribers[number]?.isMute = true })
    }
    if let cut = behavior.cutAfter {
      subscriber.deadlines.append(
        eventLoop.scheduleTask(in: TimeAmount(cut)) { bound.value.subscribers[number]?.cut() })
    }
  }

  private static let headers: HPACKHeaders = [
    "content-type": "application/x-ndjson; charset=utf-8", "access-control-allow-origin": "*",
    "cache-control": "no-cache",
  ]

  /// Sends a message to all subscribers of its topic, and stores it if its publisher allows.
  func publish(_ message: NtfyMessage) {
    if message.isKept, !kept.contains(where: { $0.id == message.id }) {
      kept.append(message)
      if kept.count > Self.capacity { kept.removeFirst() }
    }
    for subscriber in subscribers.values where subscriber.topics.contains(message.topic) {
      subscriber.send(message.json)
    }
  }

  private func messages(_ request: NtfySubscriber.Request) -> [NtfyMessage] {
    let now = clock.wallNow().seconds
    let topics = Set(request.topics)
    let mine = Array(kept).filter { topics.contains($0.topic) && $0.time + NtfyMessage.keptSeconds > now }
    switch request.since {
    case .nothing: return []
    case .everything: return mine
    case .latest: return Array(mine.suffix(1))
    case .time(let seconds): return mine.filter { $0.time >= seconds }
    case .message(let id):
      // An unknown id returns all messages, as in ntfy.
      guard let index = mine.lastIndex(where: { $0.id == id }) else { return mine }
      return Array(mine[(index + 1)...])
    }
  }

  private func keepalive(_ number: Int, _ names: String) {
    guard !isFrozen() else { return }
    subscribers[number]?.send(event("keepalive", names))
  }

  private func gone(_ number: Int) {
    subscribers.removeValue(forKey: number)?.stopTimers()
  }

  private func event(_ name: String, _ topics: String) -> String {
    let time = clock.wallNow().seconds
    return "{\"id\":\"\(NtfyID.random())\",\"time\":\(time),\"event\":\"\(name)\",\"topic\":\"\(topics)\"}"
  }
}

/// A subscription to topics: a streamed response.
final class NtfySubscriber {
  /// Which stored messages to send first.
  enum Since: Sendable, Equatable {
    case nothing
    case everything
    case latest
    /// Unix seconds.
    case time(Int64)
    case message(id: String)
  }

  /// A subscribe request.
  struct Request: Sendable {
    var topics: [String]
    var since: Since
    /// Only stored messages, without a stream.
    var isPoll: Bool
  }

  let topics: Set<String>
  private let exchange: HTTPExchange
  fileprivate var timers: [RepeatedTask] = []
  fileprivate var deadlines: [Scheduled<Void>] = []
  /// Nothing more is sent, though the stream stays open.
  fileprivate var isMute = false

  init(topics: [String], exchange: HTTPExchange) {
    self.topics = Set(topics)
    self.exchange = exchange
  }

  func send(_ line: String) {
    guard !isMute else { return }
    exchange.send(ByteBuffer(string: line + "\n"))
  }

  /// Ends it as a proxy would that has lost timeout.
  func cut() { exchange.reset(.cancel) }

  func stopTimers() {
    for timer in timers { timer.cancel() }
    for deadline in deadlines { deadline.cancel() }
    timers = []
    deadlines = []
  }
}
