/// An answer with an error status.
public struct ErrorAnswer: Sendable, Hashable {
  /// The provider's word for it, like `ServiceUnavailable`.
  public var reason: String
  public var status: Int
  public var probability: Double
  /// Told in a `retry-after` header, in whole seconds.
  public var retryAfter: Duration?
  /// Whether the device gets the notification nevertheless.
  public var isDelivered: Bool

  public init(
    reason: String, status: Int, probability: Double, retryAfter: Duration? = nil, isDelivered: Bool = false
  ) {
    self.reason = reason
    self.status = status
    self.probability = probability
    self.retryAfter = retryAfter
    self.isDelivered = isDelivered
  }
}
