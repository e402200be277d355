import Configuration
import FoundationEssentials
import Measurement
import Providers

/// What a user agent of a push service says and does on one connection, as a value: whom it says it is, which subscription it
/// makes, and what becomes of notifications.
struct AutopushSession: Sendable {
  enum Step: Sendable, Equatable {
    /// Nothing was answered yet.
    case greeting
    /// A subscription is being made, which has no endpoint yet.
    case registering(AutopushIdentity)
    case open
  }

  enum Effect: Sendable, Equatable {
    case say(AutopushRequest)
    /// The service assigned a new identity and endpoint.
    case adopt(AutopushIdentity)
    case opened
    /// A notification of its subscription; `plaintext` is `nil` for one that it cannot decrypt.
    case received(AutopushEvent.Notification, plaintext: [UInt8]?)
  }

  private(set) var step = Step.greeting
  private(set) var identity: AutopushIdentity?
  /// Scheme, host and port that endpoints must have: the requests of a target go to one server, which the configuration names.
  private let origin: String
  private let service: String
  private let senderKey: String?
  private let mustRegister: Bool
  private var receiver: WebPushReceiver?

  /// - Parameters:
  ///   - identity: who it was before, at this service or another.
  ///   - senderKey: the public key to which a subscription is restricted; `nil` for none.
  ///   - mustRegister: the identity's subscription is of no use.
  init(
    service: String, origin: String, senderKey: String?, identity: AutopushIdentity?,
    mustRegister: Bool = false
  ) {
    self.service = service
    self.origin = origin
    self.senderKey = senderKey
    self.mustRegister = mustRegister
    // One of another service is not known here.
    self.identity = identity.flatMap { $0.service == service ? $0 : nil }
  }

  /// The first message.
  var greeting: AutopushRequest { .hello(uaid: identity?.uaid) }

  /// - Throws: why the connection is of no use.
  mutating func receive(_ event: AutopushEvent) throws(SubscriptionLoss) -> [Effect] {
    switch (event, step) {
    case (.hello(let uaid, let status), .greeting): return try hello(uaid, status)
    case (.registered(let channelID, let status, let endpoint), .registering(let draft))
    where channelID == draft.channelID:
      return try registered(draft, status, endpoint)
    case (.notification(let notification), _): return receive(notification)
    default: return []
    }
  }

  private mutating func hello(_ uaid: String, _ status: Int) throws(SubscriptionLoss) -> [Effect] {
    guard status == 200 else {
      throw SubscriptionLoss(reason: "the push service answers hello with \(status)", status: status)
    }
    let isKnown = identity?.uaid == uaid
    if isKnown, !mustRegister, let identity,
      identity.isUsable(at: service, origin: origin, senderKey: senderKey), let receiver = identity.receiver
    {
      self.receiver = receiver
      step = .open
      return [.opened]
    }
    // With another `uaid` all subscriptions of the former one are gone.
    let former: [Effect] =
      isKnown ? (identity.map { [.say(.unregister(channelID: $0.channelID))] } ?? []) : []
    let draft = AutopushIdentity(
      service: service, uaid: uaid, channelID: UUID().uuidString.lowercased(), endpoint: "",
      senderKey: senderKey, receiver: .random())
    identity = nil
    step = .registering(draft)
    return former + [.say(.register(channelID: draft.channelID, key: senderKey))]
  }

  private mutating func registered(
    _ draft: AutopushIdentity, _ status: Int, _ endpoint: String
  ) throws(SubscriptionLoss) -> [Effect] {
    guard status == 200 else {
      throw SubscriptionLoss(
        reason: "the push service refuses a subscription with \(status)", status: status)
    }
    guard let given = AutopushEvent.origin(ofEndpoint: endpoint) else {
      throw SubscriptionLoss(
        reason: "the push service gives an endpoint that is not an https URL", isFinal: true)
    }
    guard given == origin else {
      throw SubscriptionLoss(
        reason: "the push service gives endpoints at \(given), and the target's are at \(origin); "
          + "if that is right, add a line: endpoint: \(given)", isFinal: true)
    }
    var identity = draft
    identity.endpoint = endpoint
    self.identity = identity
    receiver = identity.receiver
    step = .open
    return [.adopt(identity), .opened]
  }

  private func receive(_ notification: AutopushEvent.Notification) -> [Effect] {
    guard step == .open, let identity, notification.channelID == identity.channelID else {
      return [.say(.acknowledge([notification.acknowledgment(.notDelivered)]))]
    }
    return [.received(notification, plaintext: receiver?.open(notification.body))]
  }
}

extension AutopushEvent.Notification {
  func acknowledgment(_ outcome: AutopushRequest.Outcome) -> AutopushRequest.Acknowledgment {
    AutopushRequest.Acknowledgment(channelID: channelID, version: version, outcome: outcome)
  }
}

/// Which notifications were taken, by the version that the service gives each: a copy of one that was not acknowledged is sent
/// again, and is no second delivery.
struct AutopushDeliveries: Sendable {
  enum State: Sendable, Equatable {
    case new
    /// Its receipt is not stored yet; its acknowledgment will follow.
    case waiting
    case stored
  }

  private var isStored: [String: Bool] = [:]
  private var order: [String] = []

  static let capacity = 1000

  /// Receives a notification, and says what is known of it.
  mutating func receive(_ version: String) -> State {
    if let isStored = isStored[version] { return isStored ? .stored : .waiting }
    isStored[version] = false
    order.append(version)
    if order.count > 2 * Self.capacity {
      for old in order.prefix(Self.capacity) { isStored[old] = nil }
      order.removeFirst(Self.capacity)
    }
    return .new
  }

  /// Its receipt is stored, or could not be; then the copy that the service sends is taken as the first.
  mutating func record(_ version: String, isStored stored: Bool) {
    guard isStored[version] != nil else { return }
    if stored {
      isStored[version] = true
    } else {
      isStored[version] = nil
      order.removeAll { $0 == version }
    }
  }
}
