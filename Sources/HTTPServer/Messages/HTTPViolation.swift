/// Why the server itself turns a request away, before anyone looked at it. The responder words the answer, so that
/// each service keeps its own dialect.
public enum HTTPViolation: Sendable, Hashable {
  /// The body is larger than ``HTTPServerLimits/bodyBytes``: 413.
  case bodyTooLarge
  /// The request did not arrive completely within ``HTTPServerLimits/requestTimeout``: 408.
  case requestTimedOut
  /// All connections together hold ``HTTPServerLimits/bufferedBytes``: 503.
  case overloaded

  /// The status that says so (RFC 9110 section 15).
  public var status: Int {
    switch self {
    case .bodyTooLarge: 413
    case .requestTimedOut: 408
    case .overloaded: 503
    }
  }
}
