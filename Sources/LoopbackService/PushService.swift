import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHTTP2
import Providers

/// The push service itself: checks requests, draws their fates, answers and delivers when they are due. Lives on one
/// event loop; the only time it knows is the clock's.
final class PushService {
  private let scenario: Scenario
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private let script: ScriptRecorder
  private let poster: ReceiptPoster?
  private var counts = LoopbackStatistics()
  private var firstRequest: MonotonicTime?
  private var nextIndex = 0
  /// Whether a connection has had its good request, by number.
  private var isTrusted: [Int: Bool] = [:]
  /// Answers and deliveries that are not due yet.
  private var pending = 0
  private var waiting: [Waiting] = []

  /// Somebody who wants to know when nothing is under way any more.
  private struct Waiting {
    var promise: EventLoopPromise<Void>
    var mindsDeliveries: Bool
  }

  init(
    scenario: Scenario, clock: any HostClock, eventLoop: any EventLoop, script: ScriptRecorder,
    poster: ReceiptPoster?
  ) {
    self.scenario = scenario
    self.clock = clock
    self.eventLoop = eventLoop
    self.script = script
    self.poster = poster
    poster?.whenIdle = { [weak self] in self?.settleIfIdle() }
  }

  var statistics: LoopbackStatistics {
    var counts = counts
    if let poster {
      let unreportable = counts.receipts.unreportable
      counts.receipts = poster.statistics
      counts.receipts.unreportable = unreportable
    }
    return counts
  }

  var recordedEntries: [ScriptEntry] { script.entries }

  /// Succeeds when nothing is under way: all answers given, all deliveries made, all receipts answered for. Without
  /// `mindingDeliveries` only the receipts of what has reached the device count.
  func settle(mindingDeliveries: Bool = true) -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: Void.self)
    waiting.append(Waiting(promise: promise, mindsDeliveries: mindingDeliveries))
    settleIfIdle()
    return promise.futureResult
  }

  func close() {
    poster?.close()
    script.flush()
    for waiting in waiting { waiting.promise.succeed() }
    waiting = []
  }

  // MARK: Connections

  func opened(_ connection: HTTPConnection) {
    counts.connections += 1
    isTrusted[connection.id] = false
  }

  func closed(_ connection: HTTPConnection) {
    isTrusted[connection.id] = nil
  }

  func answer(to violation: HTTPViolation) -> HTTPResponse {
    let reason: APNsReason =
      switch violation {
      case .bodyTooLarge: .payloadTooLarge
      case .requestTimedOut: .idleTimeout
      case .overloaded: .serviceUnavailable
      }
    counts.requests += 1
    counts.refused[reason.rawValue, default: 0] += 1
    return APNsAnswer.refused(
      status: reason.status, reason: reason.rawValue, id: nil, now: clock.wallNow())
  }

  // MARK: Requests

  func respond(to exchange: HTTPExchange) {
    let arrivedAt = exchange.request.arrivedAt
    let start = firstRequest ?? arrivedAt
    firstRequest = start
    counts.requests += 1
    let time = arrivedAt - start
    switch APNsRequestCheck.check(exchange.request, freshID: Self.freshID) {
    case .refused(let reason, let id):
      let due = scenario.thaw(time)
      record(
        ScriptedRequest(
          id: id, connection: exchange.connection.id, arrivedAt: arrivedAt, at: time,
          answer: .refused(status: reason.status, reason: reason.rawValue), answerAfter: due - time,
          deliveries: [], isLost: false, isReordered: false))
      at(start + due) { service in
        service.refuse(exchange, status: reason.status, reason: reason.rawValue, id: id)
      }
    case .accepted(let notification):
      let fate = Fate(index: nextIndex, at: time, in: scenario)
      nextIndex += 1
      act(on: fate, index: nextIndex - 1, notification, exchange, start: start, time: time)
    }
  }

  private func act(
    on fate: Fate, index: Int, _ notification: APNsRequestCheck.Notification, _ exchange: HTTPExchange,
    start: MonotonicTime, time: Duration
  ) {
    let begin = scenario.thaw(time)
    let answerAt = scenario.thaw(begin + fate.answerDelay)
    let deliveries = fate.deliveryDelays.map { scenario.thaw(begin + $0) }
    record(
      ScriptedRequest(
        index: index, id: notification.id, connection: exchange.connection.id,
        arrivedAt: exchange.request.arrivedAt, at: time,
        answer: fate.scriptedAnswer, answerAfter: answerAt - time, deliveries: deliveries.map { $0 - time },
        isLost: fate.isLost, isReordered: fate.isReordered, episode: fate.episode))
    if fate.isLost { counts.lost += 1 }
    if deliveries.count > 1 { counts.duplicated += 1 }
    at(start + answerAt) { $0.answer(exchange, as: fate.outcome, id: notification.id) }
    for due in deliveries {
      at(start + due) { $0.deliver(notification, index: index) }
    }
  }

  private func answer(_ exchange: HTTPExchange, as outcome: Fate.Outcome, id: String) {
    switch outcome {
    case .accepted:
      accept(exchange, id: id)
    case .error(let error):
      refuse(exchange, status: error.status, reason: error.reason, id: id, retryAfter: error.retryAfter)
    case .fault(let fault):
      counts.faults[fault.kind.rawValue, default: 0] += 1
      switch fault.kind {
      case .reset: exchange.reset(.internalError)
      case .refuse: exchange.reset(.refusedStream)
      case .goaway:
        accept(exchange, id: id)
        exchange.connection.goAway(.noError, debugData: "{\"reason\":\"Shutdown\"}")
      case .silence: break
      case .disconnect: exchange.connection.disconnect()
      }
    }
  }

  private func accept(_ exchange: HTTPExchange, id: String) {
    counts.accepted += 1
    exchange.answer(APNsAnswer.accepted(id: id))
    // APNs trusts a connection with more than one stream only once a good request has been seen on it.
    if isTrusted[exchange.connection.id] == false {
      isTrusted[exchange.connection.id] = true
      exchange.connection.setMaximumConcurrentStreams(scenario.streamLimit)
    }
  }

  private func refuse(
    _ exchange: HTTPExchange, status: Int, reason: String, id: String, retryAfter: Duration? = nil
  ) {
    counts.refused[reason, default: 0] += 1
    exchange.answer(
      APNsAnswer.refused(
        status: status, reason: reason, id: id, retryAfter: retryAfter, now: clock.wallNow()))
  }

  private func deliver(_ notification: APNsRequestCheck.Notification, index: Int) {
    let now = clock.monotonicNow()
    counts.deliveries += 1
    if script.isRecording {
      script.record(.delivery(ScriptedDelivery(index: index, id: notification.id, receivedAt: now)))
    }
    guard let receipt = notification.payload.receipt else {
      counts.receipts.unreportable += 1
      return
    }
    poster?.add(
      DeviceReceipt(
        id: receipt.id, mac: receipt.mac, receivedAt: clock.wallNow(), receivedMonotonic: now))
  }

  private func record(_ request: ScriptedRequest) {
    if script.isRecording { script.record(.request(request)) }
  }

  // MARK: Time

  /// Does something when it is due; at once when it already is.
  private func at(_ due: MonotonicTime, _ action: @escaping @Sendable (PushService) -> Void) {
    let wait = due - clock.monotonicNow()
    guard wait > .zero else { return action(self) }
    pending += 1
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    eventLoop.scheduleTask(in: TimeAmount(wait)) {
      let service = bound.value
      service.pending -= 1
      action(service)
      service.settleIfIdle()
    }
  }

  private func settleIfIdle() {
    guard !waiting.isEmpty, poster?.isIdle ?? true else { return }
    script.flush()
    let done = waiting.filter { pending == 0 || !$0.mindsDeliveries }
    waiting.removeAll { pending == 0 || !$0.mindsDeliveries }
    for waiting in done { waiting.promise.succeed() }
  }

  private static func freshID() -> String { UUIDText.random() }
}

extension Fate {
  fileprivate var scriptedAnswer: ScriptedRequest.Answer {
    switch outcome {
    case .accepted: .accepted
    case .error(let error): .refused(status: error.status, reason: error.reason)
    case .fault(let fault): .fault(fault.kind)
    }
  }
}
