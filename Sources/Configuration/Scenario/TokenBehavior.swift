/// How long the service believes in what proves who is sending.
public struct TokenBehavior: Sendable, Hashable {
  /// How old an APNs provider token may be, by its `iat`, and how long an FCM access token is good for.
  public var lifetime: Duration
  /// The least time between two provider tokens on one APNs connection; quicker ones are TooManyProviderTokenUpdates.
  public var leastInterval: Duration
  /// Instants of scenario time at which all signed and handed-out tokens so far become worthless. A password, like
  /// ntfy's token, stays what it is.
  public var revoked: [Duration]
  /// The share of requests for an access token that are answered 503.
  public var unavailable: Double

  public init(
    lifetime: Duration = .seconds(3600), leastInterval: Duration = .seconds(1200), revoked: [Duration] = [],
    unavailable: Double = 0
  ) {
    self.lifetime = lifetime
    self.leastInterval = leastInterval
    self.revoked = revoked
    self.unavailable = unavailable
  }
}
