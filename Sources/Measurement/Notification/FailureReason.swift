/// Why no answer came: the `reason` of a `failed` notification.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
  /// The host's name did not resolve.
  case dns
  /// The connection was refused, unreachable or timed out before it stood.
  case connect
  /// The TLS handshake or the certificate failed.
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
  /// Planned longer ago than the target's `max_lag`.
  case lag
  /// As many as `max_in_flight` were unanswered.
  case inFlight = "in_flight"
  /// The provider had asked for a pause (Retry-After, 429).
  case retryAfter = "retry_after"
  /// The collector was told to stop.
  case stopping
  /// Sending it would have broken the provider's documented limits.
  case providerLimit = "provider_limit"
  /// The provider had refused the credential, and there was no better one yet.
  case credential
}
