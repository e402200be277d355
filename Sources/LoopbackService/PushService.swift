import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHTTP2

/// The push service: validates requests, draws their outcomes, and responds and delivers when due. Used on one event
/// loop; all times are from its clock.
final class PushService {
  private let scenario: Scenario
  private let services: DialectServices
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private let script: ScriptRecorder
  private let poster: ReceiptPoster?
  private var counts = LoopbackStatistics()
  private var firstRequest: MonotonicTime?
  /// Number of the next valid request, by dialect.
  private var nextIndex: [ScenarioDialect: Int] = [:]
  private var connections: [Int: Peer] = [:]
  /// Outstanding deliveries of messages that a sender can delete.
  private var withdrawable: [String: Int] = [:]
  /// Outstanding responses and deliveries.
  private var pending = 0
  private var waiting: [Waiting] = []

  /// A connection, and whether a request on it has been accepted.
  private struct Peer {
    var connection: HTTPConnection
    var isTrusted = false
  }

  /// A waiter of ``settle(mindingDeliveries:)``.
  private struct Waiting {
    var promise: EventLoopPromise<Void>
    var mindsDeliveries: Bool
  }

  init(
    scenario: Scenario, services: DialectServices, clock: any HostClock, eventLoop: any EventLoop,
    script: ScriptRecorder, poster: ReceiptPoster?
  ) {
    self.scenario = scenario
    self.services = services
    self.clock = clock
    self.eventLoop = eventLoop
    self.script = script
    self.poster = poster
    poster?.onIdle = { [weak self] in self?.settleIfIdle() }
    services.ntfy.topics.isFrozen = { [weak self] in self?.isFrozen ?? false }
    services.agents.isFrozen = { [weak self] in self?.isFrozen ?? false }
    services.agents.whenThawed = { [weak self] action in self?.whenThawed(action) }
  }

  var statistics: LoopbackStatistics {
    var counts = counts
    counts.tokens = services.fcm.tokenEndpoint.issued
    counts.refusedAssertions = services.fcm.tokenEndpoint.refused
    counts.subscribers = services.ntfy.topics.count
    if let poster {
      let unreportable = counts.receipts.unreportable
      counts.receipts = poster.statistics
      counts.receipts.unreportable = unreportable
    }
    return counts
  }

  /// The scenario's.
  var seed: UInt64 { scenario.seed }

  var recordedEntries: [ScriptEntry] { script.entries }

  func listen(on port: Int) { services.listen(on: port) }

  /// Succeeds when all responses, deliveries and receipts are complete; without `mindingDeliveries`, when all receipts
  /// are.
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
    connections[connection.id] = Peer(connection: connection)
    if isDropped(connection) { connection.disconnect() }
  }

  func closed(_ connection: HTTPConnection) {
    connections[connection.id] = nil
    services.closed(connection: connection.id)
  }

  /// Whether the scenario closes a connection now. The number drawn depends on the seed and the connection's number alone.
  private func isDropped(_ connection: HTTPConnection) -> Bool {
    let share = scenario.connections(at: now).dropped
    guard share > 0 else { return false }
    var generator = SeededGenerator(seed: scenario.seed, stream: UInt64(connection.id) | 7 << 56)
    let isDropped = generator.unit() < share
    if isDropped { counts.faults["drop", default: 0] += 1 }
    return isDropped
  }

  /// Time from a connection's start to its TLS handshake.
  func handshakeDelay(ofConnection id: Int) -> Duration {
    var generator = SeededGenerator(seed: scenario.seed, stream: UInt64(id) | 6 << 56)
    return scenario.connections(at: now).handshake.sample(using: &generator)
  }

  /// Delay of what comes from a client now.
  func pathDelay(using generator: inout SeededGenerator) -> Duration {
    scenario.connections(at: now).path.sample(using: &generator)
  }

  /// Raises the stream limit of a connection to the scenario's.
  private func trust(_ connection: HTTPConnection) {
    guard connections[connection.id]?.isTrusted == false else { return }
    connections[connection.id]?.isTrusted = true
    connection.setMaximumConcurrentStreams(scenario.streamLimit(at: now))
  }

  /// Scenario time.
  private var now: Duration { firstRequest.map { clock.monotonicNow() - $0 } ?? .zero }

  private var isFrozen: Bool { scenario.thaw(now) > now }

  private func whenThawed(_ action: @escaping () -> Void) {
    guard isFrozen, let firstRequest else { return action() }
    let bound = NIOLoopBound(action, eventLoop: eventLoop)
    at(firstRequest + scenario.thaw(now)) { _ in bound.value() }
  }

  /// Sends the stream limit to all trusted connections and closes open ones whenever an episode says so.
  private func scheduleConnectionChange(after time: Duration, start: MonotonicTime) {
    guard let change = scenario.nextConnectionChange(after: time) else { return }
    let limitBefore = scenario.streamLimit(at: time)
    let droppedBefore = scenario.connections(at: time).dropped
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let wait = start + change - clock.monotonicNow()
    // Not counted as pending: it repeats for the lifetime of the service.
    eventLoop.scheduleTask(in: TimeAmount(max(wait, .zero))) {
      let service = bound.value
      let limit = service.scenario.streamLimit(at: change)
      if limit != limitBefore {
        for peer in service.connections.values where peer.isTrusted {
          peer.connection.setMaximumConcurrentStreams(limit)
        }
      }
      if service.scenario.connections(at: change).dropped > droppedBefore {
        let dropped = service.connections.values.map(\.connection).filter(service.isDropped)
        for connection in dropped { connection.disconnect() }
      }
      service.scheduleConnectionChange(after: change, start: start)
    }
  }

  // MARK: Requests

  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse {
    counts.requests += 1
    let context = RequestContext(
      connection: 0, source: "", now: clock.wallNow(), monotonic: clock.monotonicNow(), time: now)
    let refusal = services.service(for: path).refusal(of: violation, path: path, context)
    counts.refused[refusal.reason, default: 0] += 1
    return refusal.response
  }

  func respond(to exchange: HTTPExchange) {
    let request = exchange.request
    let start = begin(at: request.arrivedAt)
    counts.requests += 1
    let service = services.service(for: request)
    if service.dialect == .apns {
      // APNs requires HTTP/2.
      guard request.version == .http2 else { return exchange.connection.disconnect() }
    } else {
      // The others allow many streams from the start.
      trust(exchange.connection)
    }
    let time = request.arrivedAt - start
    let context = RequestContext(
      connection: exchange.connection.id, source: exchange.connection.source,
      hasCertificate: exchange.connection.hasCertificate, now: clock.wallNow(),
      monotonic: request.arrivedAt, time: time)
    let thawed = scenario.thaw(time)
    let result = service.check(request, context)
    if case .refused = result {} else { exchange.connection.setAuthenticated() }
    switch result {
    case .refused(let refusal, let id):
      record(
        ScriptedRequest(
          dialect: service.dialect, id: id, connection: exchange.connection.id,
          arrivedAt: request.arrivedAt, at: time,
          answer: .refused(status: refusal.status, reason: refusal.reason), answerAfter: thawed - time,
          deliveries: [], isLost: false, isReordered: false))
      at(start + thawed) { $0.refuse(exchange, refusal) }
    case .notification(let notification):
      let index = nextIndex[service.dialect, default: 0]
      nextIndex[service.dialect] = index + 1
      let scripted = ScriptedOutcome(
        index: index, of: service.dialect, to: notification.device, at: time, in: scenario)
      act(on: scripted, index: index, service.dialect, notification, exchange, start: start, time: time)
    case .answered(let response):
      at(start + thawed) { _ in exchange.answer(response) }
    case .subscription(let wanted):
      at(start + thawed) { $0.services.ntfy.topics.subscribe(wanted, exchange) }
    case .userAgent:
      at(start + thawed) { $0.services.agents.open(exchange) }
    case .withdrawal(let messageID):
      at(start + thawed) { $0.withdraw(messageID, exchange) }
    }
  }

  /// Starts scenario time with the first request.
  private func begin(at arrival: MonotonicTime) -> MonotonicTime {
    if let firstRequest { return firstRequest }
    firstRequest = arrival
    scheduleConnectionChange(after: .zero, start: arrival)
    return arrival
  }

  private func act(
    on scripted: ScriptedOutcome, index: Int, _ dialect: ScenarioDialect,
    _ notification: IncomingNotification,
    _ exchange: HTTPExchange, start: MonotonicTime, time: Duration
  ) {
    let begin = scenario.thaw(time)
    let answerAt = scenario.thaw(begin + scripted.answerDelay)
    let delays = notification.isForADevice ? scripted.deliveryDelays : []
    let deliveries = delays.map { delay in
      let due = scenario.thaw(begin + delay)
      return scripted.asleep?.wake(due) ?? due
    }
    let stages = delays.map { delay in
      let due = scenario.thaw(begin + delay)
      return DeviceStages(scripted, isAsleep: scripted.asleep.map { $0.wake(due) > due } ?? false)
    }
    let isLost = scripted.isLost && notification.isForADevice
    record(
      ScriptedRequest(
        dialect: dialect, index: index, id: notification.id, connection: exchange.connection.id,
        arrivedAt: exchange.request.arrivedAt, at: time,
        answer: scripted.scriptedAnswer { notification.refusal($0, clock.wallNow()) },
        answerAfter: answerAt - time, deliveries: deliveries.map { $0 - time }, isLost: isLost,
        isReordered: scripted.isReordered, episode: scripted.episode))
    if isLost { counts.lost += 1 }
    if deliveries.count > 1 { counts.duplicated += 1 }
    if let messageID = notification.messageID, !deliveries.isEmpty {
      withdrawable[messageID] = deliveries.count
    }
    at(start + answerAt) { $0.answer(exchange, as: scripted.outcome, notification) }
    for (due, stages) in zip(deliveries, stages) {
      at(start + due) { $0.deliver(notification, dialect, index: index, stages) }
    }
  }

  private func answer(
    _ exchange: HTTPExchange, as outcome: ScriptedOutcome.Outcome, _ notification: IncomingNotification
  ) {
    switch outcome {
    case .accepted:
      accept(exchange, notification)
    case .error(let error):
      refuse(exchange, notification.refusal(error, clock.wallNow()))
    case .fault(let fault):
      counts.faults[fault.kind.rawValue, default: 0] += 1
      switch fault.kind {
      case .reset: exchange.reset(.internalError)
      case .refuse: exchange.reset(.refusedStream)
      case .goaway:
        accept(exchange, notification)
        exchange.connection.goAway(.noError, debugData: "{\"reason\":\"Shutdown\"}")
      case .goawayUnprocessed: exchange.goAwayUnprocessed(debugData: "{\"reason\":\"Shutdown\"}")
      case .silence: break
      case .disconnect: exchange.connection.disconnect()
      }
    }
  }

  private func accept(_ exchange: HTTPExchange, _ notification: IncomingNotification) {
    counts.accepted += 1
    exchange.answer(notification.acceptance)
    // APNs allows more than one stream only after an accepted request.
    trust(exchange.connection)
  }

  private func refuse(_ exchange: HTTPExchange, _ refusal: Refusal) {
    counts.refused[refusal.reason, default: 0] += 1
    exchange.answer(refusal.response)
  }

  /// Deletes a message (RFC 8030, section 7.3): 204 before its delivery, 404 afterwards.
  private func withdraw(_ messageID: String, _ exchange: HTTPExchange) {
    let isWithdrawn = withdrawable.removeValue(forKey: messageID) != nil
    exchange.answer(HTTPResponse(status: isWithdrawn ? 204 : 404))
  }

  private func deliver(
    _ notification: IncomingNotification, _ dialect: ScenarioDialect, index: Int, _ stages: DeviceStages
  ) {
    if let messageID = notification.messageID {
      guard let left = withdrawable[messageID] else { return }
      withdrawable[messageID] = left > 1 ? left - 1 : nil
    }
    let now = clock.monotonicNow()
    counts.deliveries += 1
    if let message = notification.message { services.ntfy.topics.publish(message) }
    if script.isRecording {
      script.record(
        .delivery(
          ScriptedDelivery(
            dialect: dialect, index: index, id: notification.id, receivedAt: now,
            shownAfter: stages.shownAfter)))
    }
    // Subscribers are the devices and report by themselves.
    if let push = notification.push { return services.agents.deliver(push) }
    guard dialect != .ntfy else { return }
    guard let receipt = notification.receipt else {
      counts.receipts.unreportable += 1
      return
    }
    poster?.add(
      DeviceReceipt(
        id: receipt.id, mac: receipt.mac, device: notification.device, receivedAt: clock.wallNow(),
        receivedMonotonic: now, stages: stages))
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
}

extension ScriptedOutcome {
  fileprivate func scriptedAnswer(_ word: (ErrorAnswer) -> Refusal) -> ScriptedRequest.Answer {
    switch outcome {
    case .accepted: return .accepted
    case .error(let error):
      let refusal = word(error)
      return .refused(status: refusal.status, reason: refusal.reason)
    case .fault(let fault): return .fault(fault.kind)
    }
  }
}

/// Forwards the server's calls to the service on the same event loop.
struct PushResponder: HTTPResponder {
  let service: NIOLoopBound<PushService>

  func opened(_ connection: HTTPConnection) { service.value.opened(connection) }

  func closed(_ connection: HTTPConnection) { service.value.closed(connection) }

  func respond(to exchange: HTTPExchange) { service.value.respond(to: exchange) }

  func answer(to violation: HTTPViolation) -> HTTPResponse { answer(to: violation, path: "") }

  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse {
    service.value.answer(to: violation, path: path)
  }
}
