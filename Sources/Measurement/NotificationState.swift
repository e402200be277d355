/// The one state a planned notification is in. Raw values are the store's; the names are the CSV's.
public enum NotificationState: Int, Sendable, Hashable, CaseIterable {
  /// The notification is in a committed block of the schedule and not sent yet.
  case planned = 0
  /// Sent; no answer yet, or accepted and waiting for its receipt.
  case inFlight = 1
  /// The provider answered 2xx; no receipt is expected for this target. Final.
  case accepted = 2
  /// A receipt came within the target's deadline. Final.
  case delivered = 3
  /// A receipt came after the deadline. Final.
  case late = 4
  /// The provider accepted, the deadline passed, no receipt. Until a receipt makes it `late`.
  case lost = 5
  /// The provider answered with an error status. Until a receipt.
  case rejected = 6
  /// No answer: transport error or timeout, or no connection to be sent on before `max_lag`. Until a receipt.
  case failed = 7
  /// Planned but not sent, for another cause than having no connection. Final.
  case missed = 8
  /// The collector died before its end was known; marked at the next start. Until a receipt.
  case interrupted = 9

  /// The word in CSV, JSON and panels.
  public var name: String {
    switch self {
    case .planned: "planned"
    case .inFlight: "in_flight"
    case .accepted: "accepted"
    case .delivered: "delivered"
    case .late: "late"
    case .lost: "lost"
    case .rejected: "rejected"
    case .failed: "failed"
    case .missed: "missed"
    case .interrupted: "interrupted"
    }
  }

  /// The longer name for legends. "accepted" alone would also mean everything that the provider accepted.
  public var title: String {
    switch self {
    case .planned: "still to be sent"
    case .inFlight: "in flight"
    case .accepted: "accepted, no receipt expected"
    default: name
    }
  }

  /// Whether only a receipt can still change it.
  public var isSettled: Bool { self != .planned && self != .inFlight }

  public static let settled = allCases.filter(\.isSettled)

  /// The settled states as columns of a table in which `accepted` counts all that the provider accepted.
  public static let settledColumns = settled.filter { $0 != .accepted }

  /// Whether it ended well, with a receipt or where none is expected.
  public var isGood: Bool { self == .delivered || self == .accepted }

  /// Whether its provider had accepted it, and it is settled: what shares of losses are of.
  public var isAcceptedEnd: Bool { isGood || isLost }

  /// Whether no receipt came before the deadline, though the provider had accepted it.
  public var isLost: Bool { self == .lost || self == .late }
}

/// Why no answer came: the `reason` of a `failed` notification.
///
/// ``dns``, ``connect`` and ``tls`` say that there was no connection to send it on; all others, that it was sent, except that
/// ``goaway`` and ``refusedStream`` may also say that the peer let no connection take it, and ``tls`` that the peer refused the
/// client's certificate when the request was sent (TLS 1.3).
public enum FailureReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// The host's name did not resolve.
  case dns
  /// The connection was refused, unreachable or not established in time, or was lost repeatedly before any answer.
  case connect
  /// The TLS handshake or the certificate failed, or the handshake did not end in time.
  case tls
  /// The target's timeout passed.
  case timeout
  /// The peer reset the stream or the TCP connection.
  case reset
  /// The connection was going away (HTTP/2 GOAWAY) and may or may not have processed the request.
  case goaway
  /// The peer refused the stream unprocessed (HTTP/2 REFUSED_STREAM).
  case refusedStream = "refused_stream"
  /// The peer broke the protocol, or an answer was too large.
  case `protocol`
  /// The peer closed the connection while the request was under way.
  case closed
}

/// Why a planned notification was never sent: the `reason` of a `missed` one.
public enum MissedReason: String, Sendable, Hashable, CaseIterable {
  /// Older than the target's `max_lag` although there was a connection since it was planned, or noticed too late
  /// because the process or the host was suspended.
  case lag
  /// `max_in_flight` requests were unanswered.
  case inFlight = "in_flight"
  /// The provider had asked for a pause (Retry-After, 429).
  case retryAfter = "retry_after"
  /// The collector was told to stop.
  case stopping
  /// Sending it would have broken the provider's documented limits.
  case providerLimit = "provider_limit"
  /// The provider had refused the credential, and no new one was available.
  case credential
  /// Our own pause after the provider had answered 500, 502 or 503 without a Retry-After.
  case backoff

  /// Whether it was not sent because the provider did not want it.
  public var isRefusal: Bool {
    switch self {
    case .retryAfter, .backoff, .providerLimit, .credential: true
    case .lag, .inFlight, .stopping: false
    }
  }
}
