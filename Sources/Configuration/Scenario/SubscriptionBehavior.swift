/// How the ntfy dialect treats subscribers and publishers.
public struct SubscriptionBehavior: Sendable, Hashable {
  /// A bucket of requests that refills one by one; an empty one is answered 429.
  public struct RequestLimit: Sendable, Hashable {
    public var burst: Int
    public var every: Duration

    public init(burst: Int, every: Duration) {
      self.burst = burst
      self.every = every
    }
  }

  /// From one keepalive event to the next.
  public var keepalive: Duration
  /// How long after its beginning a subscription is reset, as by a proxy that lost patience.
  public var cutAfter: Duration?
  /// How long after its beginning nothing comes any more, not even keepalives, while the connection stands.
  public var muteAfter: Duration?
  /// How many requests a publisher's address may make; `nil`: as many as it likes.
  public var requests: RequestLimit?

  public init(
    keepalive: Duration = .seconds(45), cutAfter: Duration? = nil, muteAfter: Duration? = nil,
    requests: RequestLimit? = nil
  ) {
    self.keepalive = keepalive
    self.cutAfter = cutAfter
    self.muteAfter = muteAfter
    self.requests = requests
  }
}
