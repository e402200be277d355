import Configuration
import Glibc
import HTTPServer
import Measurement
import Providers
import Synchronization
import Transport

/// A push service of which the collector is a user agent, in the protocol that Firefox and Mozilla's service speak.
struct AutopushAgent: SubscribableService {
  /// Subprotocols that are offered, as Firefox does.
  static let protocols = ["push-notification"]

  /// Where its WebSocket is; the scheme `https` stands for `wss`.
  var service: Endpoint
  /// The public key of the sender, to which the subscription is restricted; `nil` for none.
  var senderKey: String?
  var endpoint: SubscribedEndpoint
  var identities: AutopushIdentityFile
  /// The time without a sign of life after which the service is asked for one by a Ping; it has ``pongTimeout`` for the answer.
  var pingInterval = Duration.seconds(60)
  var pongTimeout = Duration.seconds(10)
  /// How long the service may take to open a WebSocket, and for each answer until the subscription is open.
  var answerTimeout = Duration.seconds(10)
  /// A connection is renewed after so long: the service keeps a user agent for 60 days after its last hello.
  var longest = Duration.seconds(7 * 86_400)

  var repeatsUnacknowledged: Bool { true }

  func makeListener(on loop: SubscriptionLoop) -> any SubscriptionListener {
    AutopushListener(self, on: loop)
  }
}

/// The identity of a target's user agent, in a file of mode 0600: whoever has it is the user agent.
struct AutopushIdentityFile: Sendable {
  var path: String

  private static let maximumBytes = 64 * 1024

  /// - Parameters:
  ///   - store: path of the store, beside which it is.
  ///   - target: the target's name.
  init(besideStore store: String, target: String) { path = "\(store)-\(target).subscription.json" }

  /// - Returns: `nil` where there is none, or one that cannot be read; the service gives a new one then.
  func read() -> AutopushIdentity? {
    (try? PlainFile(path: path, maximumBytes: Self.maximumBytes).read()).flatMap(AutopushIdentity.init(json:))
  }

  /// Whether there is a file, whatever is in it.
  var exists: Bool { access(path, F_OK) == 0 }

  func write(_ identity: AutopushIdentity) throws(HTTPServerError) {
    try PrivateFile.write(identity.json, to: path, mode: 0o600, isSynced: true)
  }
}

/// Subscribes on one connection after another: says who it is, decrypts what comes, and acknowledges what is stored.
private final class AutopushListener: SubscriptionListener {
  /// What may be acknowledged or forgotten; filled by the thread that stores receipts.
  private final class Answers: Sendable {
    let waiting = Mutex<[(notification: AutopushEvent.Notification, isStored: Bool)]>([])
  }

  private let agent: AutopushAgent
  private unowned let loop: SubscriptionLoop
  private var identity: AutopushIdentity?
  private var verifier: NotificationVerifier
  private var deliveries = AutopushDeliveries()
  private let answers = Answers()
  private var received: [(notification: AutopushEvent.Notification, receipt: ReceivedNotification)] = []
  private var acknowledgments: [AutopushRequest.Acknowledgment] = []
  private var unreadable = UnreadableNotifications()

  /// What answers to notifications said of the endpoint, and what was done about it.
  private var reactions: ExponentialDelay
  private var nextReaction = MonotonicTime.zero
  /// The subscription was renewed, or a hello was said, because of a refusal since a notification came last.
  private var hasReacted = false
  private var mustRegister = false
  /// Connections in a row that the service ended as if another user agent had the same identity.
  private var displacements = 0

  private static let reactionPause = Duration.seconds(60)
  /// How long answers of the former endpoint may still come.
  private static let lateAnswers = Duration.seconds(10)
  private static let longestReactionPause = Duration.seconds(3600)
  private static let acknowledgmentsAtOnce = 50

  init(_ agent: AutopushAgent, on loop: SubscriptionLoop) {
    self.agent = agent
    self.loop = loop
    identity = agent.identities.read()
    verifier = NotificationVerifier(authenticator: loop.subject.authenticator)
    reactions = ExponentialDelay(
      first: Self.reactionPause, longest: Self.longestReactionPause, seed: loop.subject.seed)
    if identity == nil, agent.identities.exists {
      loop.log(
        "\"\(agent.identities.path.visiblePath)\" is no identity at a push service: another subscription takes its place",
        level: .warning)
    }
    agent.endpoint.onRefusal(loop.wakeUp)
    // Until the service says something else, notifications go where they went before.
    if let identity,
      identity.isUsable(at: agent.service.url, origin: agent.endpoint.origin, senderKey: agent.senderKey)
    {
      agent.endpoint.set(identity.subscription)
    }
  }

  func listen() -> SubscriptionLoss {
    defer { agent.endpoint.record(isOpen: false) }
    do throws(SubscriptionLoss) {
      return try connect()
    } catch {
      passReceipts()
      return error
    }
  }

  /// What is known of the connection that stands.
  private struct Course {
    var session: AutopushSession
    /// When the next answer is due, until the subscription is open.
    var answerDue: MonotonicTime
    var openedAt: MonotonicTime?
    var isPinged = false
  }

  private func connect() throws(SubscriptionLoss) -> SubscriptionLoss {
    guard let connection = WebSocketConnection(loop, maximumBytes: AutopushEvent.maximumBytes) else {
      return .noHandle
    }
    try connection.open(
      agent.service, protocols: AutopushAgent.protocols, by: loop.clock.monotonicNow() + agent.answerTimeout)
    let session = AutopushSession(
      service: agent.service.url, origin: agent.endpoint.origin, senderKey: agent.senderKey,
      identity: identity, mustRegister: mustRegister)
    try connection.send(session.greeting.text)
    var course = Course(session: session, answerDue: loop.clock.monotonicNow() + agent.answerTimeout)
    loop.recordHeard()
    // Those of a connection that broke: their notifications come again.
    acknowledgments = []
    while !loop.isStopping {
      if loop.isFull {
        loop.restForStore()
        continue
      }
      let isMore = try connection.read { (message, instant) throws(SubscriptionLoss) in
        loop.recordHeard()
        course.isPinged = false
        switch message {
        case .text(let text): try receive(text, connection, &course, at: instant)
        case .close(let code, let reason): throw loss(code, reason, course.openedAt)
        case .ping, .pong: break
        }
      }
      passReceipts()
      try acknowledge(connection)
      let rest = try maintain(connection, &course)
      if !isMore { _ = connection.waitForBytes(atMost: min(.seconds(1), rest)) }
    }
    passReceipts()
    try? acknowledge(connection)
    connection.close(1001)
    return .stopped
  }

  private func receive(
    _ text: [UInt8], _ connection: WebSocketConnection, _ course: inout Course, at instant: MonotonicTime
  ) throws(SubscriptionLoss) {
    guard let event = AutopushEvent.parse(text) else { return }
    let step = course.session.step
    for effect in try course.session.receive(event) { try apply(effect, connection, at: instant) }
    let now = loop.clock.monotonicNow()
    if course.session.step != step { course.answerDue = now + agent.answerTimeout }
    if course.session.step == .open, course.openedAt == nil { course.openedAt = now }
  }

  /// Checks answers that are due, Pings, refused endpoints and the renewal.
  /// - Returns: the time until the next check.
  /// - Throws: why the connection ends.
  private func maintain(
    _ connection: WebSocketConnection, _ course: inout Course
  ) throws(SubscriptionLoss) -> Duration {
    let now = loop.clock.monotonicNow()
    guard let openedAt = course.openedAt else {
      guard now < course.answerDue else {
        let what = course.session.step == .greeting ? "hello" : "a subscription"
        throw SubscriptionLoss(
          reason: "the push service did not answer \(what) within \(LengthText.text(agent.answerTimeout))")
      }
      return course.answerDue - now
    }
    if let loss = loop.timeoutLoss(
      after: agent.pingInterval + agent.pongTimeout, missing: "an answer to a Ping")
    {
      throw loss
    }
    if loop.silence >= agent.pingInterval, !course.isPinged {
      course.isPinged = true
      try connection.ping()
    }
    if let loss = reaction(at: now) {
      connection.close(1001)
      throw loss
    }
    // In a pause between notifications, if there is one.
    let age = now - openedAt
    if age >= agent.longest, loop.silence >= .seconds(1) || age >= agent.longest + agent.longest {
      connection.close(1001)
      throw SubscriptionLoss(reason: "the connection is renewed after \(LengthText.text(now - openedAt))")
    }
    return agent.pingInterval / 2
  }

  private func loss(_ code: Int?, _ reason: String, _ openedAt: MonotonicTime?) -> SubscriptionLoss {
    let code = code ?? 1005
    let words = reason.isEmpty ? "" : " \(String(reason.prefix(64)).debugDescription)"
    var loss = SubscriptionLoss(reason: "the push service closed the connection with \(code)\(words)")
    // By this code the legacy push service asks user agents not to come back by themselves.
    if code == 4774 { loss.isFinal = true }
    let wasSoon = openedAt.map { loop.clock.monotonicNow() - $0 < .seconds(60) } ?? false
    displacements = code == 1011 && reason == "SM" && wasSoon ? displacements + 1 : 0
    if displacements > 1 {
      loss.reason += "; another collector may use the same identity: \(agent.identities.path)"
    }
    return loss
  }

  // MARK: Effects

  private func apply(
    _ effect: AutopushSession.Effect, _ connection: WebSocketConnection, at instant: MonotonicTime
  ) throws(SubscriptionLoss) {
    switch effect {
    case .say(let request): try connection.send(request.text)
    case .adopt(let new):
      let isFirst = identity == nil
      do throws(HTTPServerError) {
        try agent.identities.write(new)
      } catch {
        loop.log(
          "the identity at the push service cannot be stored, so the next start subscribes anew: \(error)")
      }
      identity = new
      mustRegister = false
      agent.endpoint.set(new.subscription)
      if !isFirst {
        // Answers that are on their way are about the former one.
        nextReaction = max(nextReaction, instant + Self.lateAnswers)
        loop.log(
          "the subscription is a new one: what was sent to the former one and has not arrived is lost",
          level: .notice)
      }
    case .opened:
      agent.endpoint.record(isOpen: true)
      loop.opened()
    case .received(let notification, let plaintext): receive(notification, plaintext, at: instant)
    }
  }

  private func receive(
    _ notification: AutopushEvent.Notification, _ plaintext: [UInt8]?, at instant: MonotonicTime
  ) {
    guard let plaintext else {
      acknowledgments.append(notification.acknowledgment(.notDecrypted))
      if let line = unreadable.record(at: loop.clock.monotonicNow()) { loop.log(line) }
      return
    }
    hasReacted = false
    displacements = 0
    reactions.reset()
    switch deliveries.receive(notification.version) {
    case .waiting: return
    case .stored: acknowledgments.append(notification.acknowledgment(.delivered))
    case .new:
      if let ticket = PayloadMember.ticket(in: plaintext), let receipt = verifier.verify(ticket, at: instant)
      {
        received.append((notification, receipt))
      } else {
        deliveries.record(notification.version, isStored: true)
        acknowledgments.append(notification.acknowledgment(.delivered))
      }
    }
  }

  private func passReceipts() {
    loop.refuse(forged: verifier.drainForged(), from: "the subscription of \(loop.subject.name)")
    let notifications = received.map(\.notification)
    loop.pass(received.map(\.receipt)) { [answers, wakeUp = loop.wakeUp] isStored in
      answers.waiting.withLock { $0 += notifications.map { ($0, isStored) } }
      wakeUp()
    }
    received.removeAll(keepingCapacity: true)
  }

  /// Acknowledges what is stored: after a crash before that it comes again.
  private func acknowledge(_ connection: WebSocketConnection) throws(SubscriptionLoss) {
    let answered = answers.waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (notification, isStored) in answered {
      deliveries.record(notification.version, isStored: isStored)
      if isStored { acknowledgments.append(notification.acknowledgment(.delivered)) }
    }
    // What is not acknowledged comes again on the next connection.
    if answered.contains(where: { !$0.isStored }) {
      throw SubscriptionLoss(reason: "receipts could not be stored; the push service sends them again")
    }
    while !acknowledgments.isEmpty {
      try connection.send(
        AutopushRequest.acknowledge(Array(acknowledgments.prefix(Self.acknowledgmentsAtOnce))).text)
      acknowledgments.removeFirst(min(Self.acknowledgmentsAtOnce, acknowledgments.count))
    }
  }

  // MARK: Refused endpoints

  /// Why the connection ends because of what answers say of the endpoint. On a connection that stands the service may know a user
  /// agent that is forgotten elsewhere, so a new hello is needed; one that is answered with the same `uaid` and does not help is
  /// followed by another subscription.
  private func reaction(at now: MonotonicTime) -> SubscriptionLoss? {
    // Soon after a reaction, late answers are still about the former endpoint.
    guard let refusal = agent.endpoint.consumeRefusal(), now >= nextReaction else { return nil }
    nextReaction = now + reactions.next()
    mustRegister = refusal == .sender || hasReacted
    hasReacted = true
    return SubscriptionLoss(
      reason: refusal == .unknown
        ? "the push service does not know the endpoint any more" : "the push service refuses the sender's key"
    )
  }
}

/// Notifications that could not be decrypted.
private struct UnreadableNotifications {
  private var count = 0
  private var loggedAt: MonotonicTime?

  private static let interval = Duration.seconds(3600)

  /// - Returns: the line of the log, within an hour only one.
  mutating func record(at now: MonotonicTime) -> String? {
    count += 1
    if let loggedAt, now - loggedAt < Self.interval { return nil }
    loggedAt = now
    defer { count = 0 }
    return "\(CountText.text(count, "notification")) of the subscription cannot be decrypted"
  }
}
