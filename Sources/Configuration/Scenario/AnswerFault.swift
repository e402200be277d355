/// Something else than an answer.
public struct AnswerFault: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// RST_STREAM with INTERNAL_ERROR: it may have been processed.
    case reset
    /// RST_STREAM with REFUSED_STREAM: it was certainly not processed.
    case refuse
    /// The request is answered, then GOAWAY ends the connection.
    case goaway
    /// GOAWAY whose last stream lies before the request, at once: it was certainly not processed.
    case goawayUnprocessed = "goaway_unprocessed"
    /// Nothing, ever.
    case silence
    /// The TCP connection is closed, with everything that was under way on it.
    case disconnect
  }

  public var kind: Kind
  public var probability: Double
  /// Whether the device gets the notification. Always with `goaway`, never with `refuse` and `goaway_unprocessed`.
  public var isDelivered: Bool

  public init(kind: Kind, probability: Double, isDelivered: Bool = false) {
    self.kind = kind
    self.probability = probability
    self.isDelivered = isDelivered
  }
}
