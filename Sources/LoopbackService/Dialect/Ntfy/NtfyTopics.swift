import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// ntfy's topics: who listens, and what was said. Lives on the service's event loop.
final class NtfyTopics {
  /// Subscriptions at the same time.
  static let maximumSubscribers = 1000
  /// Messages kept for those who come later; the oldest go first.
  private static let room = 1000

  private let behavior: SubscriptionBehavior
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private var subscribers: [Int: NtfySubscriber] = [:]
  private var lastSubscriber = 0
  private var kept = CircularBuffer<NtfyMessage>()
  /// Whether the service stands still, so that nothing is said.
  var isFrozen: () -> Bool = { false }

  init(behavior: SubscriptionBehavior, clock: any HostClock, eventLoop: any EventLoop) {
    self.behavior = behavior
    self.clock = clock
    self.eventLoop = eventLoop
  }

  var count: Int { subscribers.count }

  /// Begins the stream: `open`, then what was kept and is asked for, then what comes.
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
    // Its connection may have ended in the meantime.
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

  /// Tells everybody who listens; keeps it for those who do not when its publisher allows.
  func publish(_ message: NtfyMessage) {
    if message.isKept, !kept.contains(where: { $0.id == message.id }) {
      kept.append(message)
      if kept.count > Self.room { kept.removeFirst() }
    }
    for subscriber in subscribers.values where subscriber.topics.contains(message.topic) {
      subscriber.send(message.json)
    }
  }

  private func messages(_ request: NtfySubscriber.Request) -> [NtfyMessage] {
    let now = clock.wallNow().microseconds / 1_000_000
    let topics = Set(request.topics)
    let mine = Array(kept).filter { topics.contains($0.topic) && $0.time + NtfyMessage.keptSeconds > now }
    switch request.since {
    case .nothing: return []
    case .everything: return mine
    case .latest: return Array(mine.suffix(1))
    case .time(let seconds): return mine.filter { $0.time >= seconds }
    case .message(let id):
      // An id that is not known any more stands for the beginning, as at ntfy.
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
    let time = clock.wallNow().microseconds / 1_000_000
    return "{\"id\":\"\(NtfyID.random())\",\"time\":\(time),\"event\":\"\(name)\",\"topic\":\"\(topics)\"}"
  }
}
