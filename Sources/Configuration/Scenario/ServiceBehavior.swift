import Measurement

/// Validity of access tokens.
public struct TokenBehavior: Sendable, Hashable {
  /// Maximum age of an APNs provider token, by its `iat`, and lifetime of an FCM access token.
  public var lifetime = Duration.seconds(3600)
  /// Minimum time between two provider tokens on one APNs connection; a violation is TooManyProviderTokenUpdates.
  public var leastInterval = Duration.seconds(1200)
  /// Scenario times at which all tokens signed or issued so far become invalid. ntfy's token, a password, remains valid.
  public var revoked: [Duration] = []
  /// Share of access token requests that are answered 503.
  public var unavailable: Double = 0
}

extension TokenBehavior {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["lifetime", "least_interval", "revoked", "unavailable"]) else {
      return nil
    }
    self.init()
    if let time = map["lifetime"]?.duration(in: .seconds(1)...DelayDistribution.longest) { lifetime = time }
    if let time = map["least_interval"]?.duration(in: .zero...DelayDistribution.longest) {
      leastInterval = time
    }
    if let value = map["revoked"] {
      let list = value.isSequence ? value.sequence() ?? [] : [value]
      revoked = list.compactMap { $0.duration(in: .zero...DelayDistribution.longest) }
    }
    if let share = map["unavailable"]?.fraction() { unavailable = share }
  }
}

/// Behavior of the ntfy dialect for subscribers and publishers.
public struct SubscriptionBehavior: Sendable, Hashable {
  /// Token bucket of requests; 429 when it is empty.
  public struct RequestLimit: Sendable, Hashable {
    public var burst: Int
    public var every: Duration
  }

  /// Interval between keepalive events.
  public var keepalive = Duration.seconds(45)
  /// Time after which a subscription is reset, as by a proxy's timeout.
  public var cutAfter: Duration?
  /// Time after which a subscription receives nothing more, not even keepalives, while the connection stays open.
  public var muteAfter: Duration?
  /// Limit of requests for each publisher address; `nil`: none.
  public var requests: RequestLimit?
}

extension SubscriptionBehavior {
  static let keys = ["keepalive", "cut_after", "mute_after", "requests"]

  /// Applies the keys of the `ntfy` section beside `answers` and `deliveries`.
  mutating func apply(_ map: YAMLMapping) {
    let range = Duration.milliseconds(10)...DelayDistribution.longest
    if let time = map["keepalive"]?.duration(in: range) { keepalive = time }
    if let time = map["cut_after"]?.duration(in: range) { cutAfter = time }
    if let time = map["mute_after"]?.duration(in: range) { muteAfter = time }
    if let value = map["requests"] { requests = RequestLimit(value) }
  }
}

extension SubscriptionBehavior.RequestLimit {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["burst", "every"]),
      let burst = map.required("burst", example: "burst: 60"),
      let every = map.required("every", example: "every: 5s")
    else { return nil }
    guard let burst = burst.integer(in: 1...1_000_000),
      let every = every.duration(in: .milliseconds(1)...DelayDistribution.longest)
    else { return nil }
    self.init(burst: burst, every: every)
  }
}

/// Behavior of the Web Push dialect for user agents, which connect by WebSocket.
public struct AgentBehavior: Sendable, Hashable {
  /// Interval between WebSocket Pings; one that is not answered within 4 s ends the connection.
  public var ping = Duration.seconds(300)
  /// Time after which a connection is closed.
  public var closeAfter: Duration?
  /// The code that it is closed with (RFC 6455, section 7.4).
  public var closeCode = 1001
  /// Time after which a user agent is forgotten while its connection stands: its endpoints are answered 410.
  public var forgetAfter: Duration?
  /// Time after which a connection gets nothing more while it stays open.
  public var muteAfter: Duration?
  /// How many notifications are kept for a user agent; it is forgotten when there are more.
  public var stored = 150
}

extension AgentBehavior {
  static let keys = ["ping", "close_after", "close_code", "forget_after", "mute_after", "stored"]

  /// Applies the keys of the `webpush` section beside `answers` and `deliveries`.
  mutating func apply(_ map: YAMLMapping) {
    let range = Duration.milliseconds(10)...DelayDistribution.longest
    if let time = map["ping"]?.duration(in: range) { ping = time }
    if let time = map["close_after"]?.duration(in: range) { closeAfter = time }
    if let value = map["close_code"], let code = value.integer(in: 1000...4999) {
      if WebSocketCloseCode.maySend(code) {
        closeCode = code
      } else {
        value.report(
          "\(code) is no code that a Close frame may have", remedy: "write \(WebSocketCloseCode.range)")
      }
    }
    if let time = map["forget_after"]?.duration(in: range) { forgetAfter = time }
    if let time = map["mute_after"]?.duration(in: range) { muteAfter = time }
    if let count = map["stored"]?.integer(in: 1...100_000) { stored = count }
  }
}

/// Behavior of connections, and of the way to the service.
public struct ConnectionBehavior: Sendable, Hashable {
  /// Share of connections that are closed right after the TLS handshake. Those that are open when an episode raises it
  /// are closed at its start by the same rule.
  public var dropped: Double = 0
  /// Time for which the service does not begin a connection's TLS handshake. One of more than 10 s ends the connection.
  public var handshake = DelayDistribution.none
  /// Time by which everything from the client is late, from the handshake to PING; in order.
  public var path = DelayDistribution.none
}

extension ConnectionBehavior {
  static let keys = ["connections", "path"]

  /// Applies a mapping's `connections` and `path`, the keys that are given.
  mutating func apply(_ map: YAMLMapping) {
    if let own = map["connections"]?.mapping(keys: ["dropped", "handshake"]) {
      if let share = own["dropped"]?.fraction() { dropped = share }
      if let delay = own["handshake"].flatMap({ DelayDistribution($0) }) { handshake = delay }
    }
    if let own = map["path"]?.mapping(keys: ["delay"]),
      let delay = own.required("delay", example: "delay: 80ms").flatMap({ DelayDistribution($0) })
    {
      path = delay
    }
  }

  /// Adopts what `own` changes of `base`.
  mutating func adopt(_ own: ConnectionBehavior, differingFrom base: ConnectionBehavior) {
    if own.dropped != base.dropped { dropped = own.dropped }
    if own.handshake != base.handshake { handshake = own.handshake }
    if own.path != base.path { path = own.path }
  }
}
