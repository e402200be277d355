import Configuration
import Cryptography
import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// The push service's side for user agents, as Mozilla's has it for Firefox: they connect by WebSocket, subscribe, and get what is
/// posted to their endpoints. Used on the service's event loop.
final class AutopushService {
  private static let tokenBytes = 102

  private let behavior: AgentBehavior
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private var subscriptions: AutopushSubscriptions
  private var sessions: [String: AutopushSession] = [:]
  private let origins: ServiceOrigins
  /// Whether a freeze is active, in which nothing is sent or heard.
  var isFrozen: () -> Bool = { false }
  /// Runs what is to be done unless a freeze is active, and then at its end.
  var whenThawed: (@escaping () -> Void) -> Void = { $0() }

  init(
    behavior: AgentBehavior, origins: ServiceOrigins, clock: any HostClock, eventLoop: any EventLoop
  ) {
    self.behavior = behavior
    self.origins = origins
    self.clock = clock
    self.eventLoop = eventLoop
    subscriptions = AutopushSubscriptions(behavior)
  }

  func subscription(_ token: String) -> AutopushSubscriptions.Subscription? {
    subscriptions.subscription(token)
  }

  func hasEnded(_ token: String) -> Bool { subscriptions.hasEnded(token) }

  /// Makes a connection that of a user agent.
  func open(_ exchange: HTTPExchange) {
    exchange.upgrade(
      to: AutopushSession(
        service: self, origin: origins.origin(of: exchange.request), behavior: behavior, clock: clock,
        eventLoop: eventLoop))
  }

  /// Sends a notification to its user agent, or keeps it until that connects.
  func deliver(_ notification: AutopushNotification) {
    guard let uaid = subscriptions.subscription(notification.token)?.uaid else { return }
    let session = sessions[uaid]
    if subscriptions.accept(notification, isConnected: session != nil, at: clock.wallNow().seconds) {
      session?.end(1000, "SM")
    } else {
      session?.send(.notification(notification))
    }
  }

  // MARK: - Sessions

  /// A user agent has said who it is.
  /// - Returns: who it is from now on.
  fileprivate func hello(_ uaid: String?, _ session: AutopushSession) -> String {
    let isKnown = uaid.map(subscriptions.knows) ?? false
    let uaid = isKnown ? uaid ?? "" : HexText.random(bytes: 16)
    sessions[uaid]?.end(1011, "SM")
    sessions[uaid] = session
    subscriptions.connect(uaid)
    return uaid
  }

  fileprivate func register(_ channelID: String, key text: String?, uaid: String, origin: String)
    -> AutopushAnswer
  {
    var key: P256.PublicKey?
    if let text {
      key = Base64URLText.decode(text.replacing("=", with: ""))
        .flatMap { try? P256.PublicKey(x963Representation: Array($0)) }
      guard key != nil else {
        return .registered(
          channelID: channelID, status: 400, endpoint: "key is no point of P-256 in base64url")
      }
    }
    let token = LoopbackCredentials.randomText(bytes: Self.tokenBytes)
    let subscription = AutopushSubscriptions.Subscription(uaid: uaid, channelID: channelID, key: key)
    guard subscriptions.register(subscription, token: token) else {
      return .registered(channelID: channelID, status: 500, endpoint: "too many subscriptions")
    }
    let path = key == nil ? WebPushService.openPath : WebPushErrorStyle.mozilla.path
    return .registered(channelID: channelID, status: 200, endpoint: origin + path + token)
  }

  fileprivate func unregister(_ channelID: String, of uaid: String) {
    subscriptions.unregister(channelID, of: uaid)
  }

  fileprivate func acknowledge(_ versions: [String], by uaid: String) {
    subscriptions.acknowledge(versions, by: uaid)
  }

  fileprivate func nextBatch(of uaid: String) -> [AutopushNotification] {
    subscriptions.nextBatch(of: uaid, at: clock.wallNow().seconds)
  }

  fileprivate func forget(_ uaid: String) { subscriptions.forget(uaid) }

  fileprivate func closed(_ session: AutopushSession, of uaid: String) {
    if sessions[uaid] === session { sessions[uaid] = nil }
  }
}

/// The connection of a user agent.
final class AutopushSession {
  private static let helloTimeout = TimeAmount.seconds(5)
  private static let pongTimeout = TimeAmount.seconds(4)
  /// What a user agent may say during a freeze, with what each message takes.
  private static let unheardLimit = 256 * 1024
  private static let messageBytes = 64
  /// User agents may say `ping` so often.
  private static let pingInterval = Duration.seconds(45)

  private let service: AutopushService
  private let origin: String
  private let behavior: AgentBehavior
  private let clock: any HostClock
  private let eventLoop: any EventLoop
  private var socket: WebSocket?
  private var uaid: String?
  /// What was said during a freeze.
  private var unheard: [String] = []
  private var unheardBytes = 0
  private var hasEnded = false
  private var isMute = false
  private var lastPing: MonotonicTime?
  private var timers: [Scheduled<Void>] = []
  private var pings: RepeatedTask?
  private var helloDeadline: Scheduled<Void>?
  private var pongDeadline: Scheduled<Void>?

  init(
    service: AutopushService, origin: String, behavior: AgentBehavior, clock: any HostClock,
    eventLoop: any EventLoop
  ) {
    self.service = service
    self.origin = origin
    self.behavior = behavior
    self.clock = clock
    self.eventLoop = eventLoop
  }

  func send(_ answer: AutopushAnswer) {
    if !isMute { socket?.send(answer.text) }
  }

  func end(_ code: Int, _ reason: String) {
    hasEnded = true
    socket?.close(code, reason: reason)
  }

  private func after(_ time: TimeAmount, _ action: @escaping (AutopushSession) -> Void) -> Scheduled<Void> {
    let bound = NIOLoopBound((session: self, action: action), eventLoop: eventLoop)
    return eventLoop.scheduleTask(in: time) { bound.value.action(bound.value.session) }
  }

  /// Does something after a time, or at the end of the freeze that contains it.
  private func afterThaw(_ time: Duration, _ action: @escaping (AutopushSession) -> Void) {
    timers.append(
      after(TimeAmount(time)) { session in
        session.service.whenThawed {
          // It may have gone during the freeze.
          if session.socket != nil { action(session) }
        }
      })
  }

  /// Handles, in order, what was said during a freeze.
  private func catchUp() {
    let texts = unheard
    unheard = []
    unheardBytes = 0
    for text in texts where !hasEnded { handle(text) }
  }

  private func handle(_ text: String) {
    guard socket != nil else { return }
    guard let request = AutopushRequest(text) else { return end(1011, "Json") }
    guard let uaid else {
      guard case .hello(let uaid) = request else { return end(1011, "SM") }
      return hello(uaid)
    }
    switch request {
    case .hello: end(1011, "SM")
    case .register(let channelID, let key):
      guard Self.isChannelID(channelID) else { return end(1011, "SM") }
      send(service.register(channelID, key: key, uaid: uaid, origin: origin))
    case .unregister(let channelID):
      service.unregister(channelID, of: uaid)
      send(.unregistered(channelID: channelID))
    case .ack(let versions):
      service.acknowledge(versions, by: uaid)
      sendKept(uaid)
    case .ping:
      let now = clock.monotonicNow()
      if let lastPing, now - lastPing < Self.pingInterval { return end(1011, "SM") }
      lastPing = now
      send(.pong)
    case .ignored: break
    }
  }

  private func hello(_ known: String?) {
    let uaid = service.hello(known, self)
    self.uaid = uaid
    stopTimers()
    send(.hello(uaid: uaid))
    sendKept(uaid)
    let ping = TimeAmount(behavior.ping)
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    pings = eventLoop.scheduleRepeatedTask(initialDelay: ping, delay: ping) { _ in bound.value.ping() }
    if let time = behavior.muteAfter { afterThaw(time) { $0.isMute = true } }
    if let time = behavior.closeAfter { afterThaw(time) { $0.end($0.behavior.closeCode, "") } }
    if let time = behavior.forgetAfter { afterThaw(time) { $0.service.forget(uaid) } }
  }

  private func sendKept(_ uaid: String) {
    for notification in service.nextBatch(of: uaid) { send(.notification(notification)) }
  }

  private func ping() {
    guard !isMute, !service.isFrozen() else { return }
    socket?.ping()
    pongDeadline?.cancel()
    pongDeadline = after(Self.pongTimeout) { $0.end(1011, "PongTimeout") }
  }

  private func stopTimers() {
    for timer in timers { timer.cancel() }
    timers = []
    pings?.cancel()
    helloDeadline?.cancel()
    pongDeadline?.cancel()
  }

  /// A UUID in lower case with hyphens.
  private static func isChannelID(_ text: String) -> Bool {
    UUID(uuidString: text)?.uuidString.lowercased() == text
  }
}

extension AutopushSession: WebSocketResponder {
  func opened(_ socket: WebSocket) {
    self.socket = socket
    helloDeadline = after(Self.helloTimeout) { $0.end(1011, "HandshakeTimeout") }
  }

  func received(_ text: String, on socket: WebSocket) {
    // It has spoken in time, whenever that is heard.
    helloDeadline?.cancel()
    guard service.isFrozen() || !unheard.isEmpty else { return handle(text) }
    unheardBytes += text.utf8.count + Self.messageBytes
    guard unheardBytes <= Self.unheardLimit else { return end(1008, "Overflow") }
    unheard.append(text)
    if unheard.count == 1 { service.whenThawed { [self] in catchUp() } }
  }

  func receivedPong(on socket: WebSocket) { pongDeadline?.cancel() }

  func closed(_ socket: WebSocket) {
    self.socket = nil
    stopTimers()
    if let uaid { service.closed(self, of: uaid) }
  }
}
