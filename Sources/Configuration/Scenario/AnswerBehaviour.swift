/// How the service answers what is well-formed.
public struct AnswerBehaviour: Sendable, Hashable {
  /// From the complete request to the answer.
  public var delay: DelayDistribution
  /// Tried in this order, together with `faults`; probabilities add up to at most 1.
  public var errors: [ErrorAnswer]
  public var faults: [AnswerFault]

  public init(delay: DelayDistribution = .none, errors: [ErrorAnswer] = [], faults: [AnswerFault] = []) {
    self.delay = delay
    self.errors = errors
    self.faults = faults
  }
}

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

/// Something else than an answer.
public struct AnswerFault: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// RST_STREAM with INTERNAL_ERROR: it may have been processed.
    case reset
    /// RST_STREAM with REFUSED_STREAM: it was certainly not processed.
    case refuse
    /// The request is answered, then GOAWAY ends the connection.
    case goaway
    /// Nothing, ever.
    case silence
    /// The TCP connection is closed, with everything that was under way on it.
    case disconnect
  }

  public var kind: Kind
  public var probability: Double
  /// Whether the device gets the notification. Always with `goaway`, never with `refuse`.
  public var isDelivered: Bool

  public init(kind: Kind, probability: Double, isDelivered: Bool = false) {
    self.kind = kind
    self.probability = probability
    self.isDelivered = isDelivered
  }
}
