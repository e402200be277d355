/// Why no answer came: the `reason` of a `failed` notification.
///
/// ``dns``, ``connect`` and ``tls`` say that there was no connection to send it on; all others, that it was sent.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
  /// The host's name did not resolve.
  case dns
  /// The connection was refused, unreachable or not there in time, or kept being lost before it had given an answer.
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
  /// Planned longer ago than the target's `max_lag`, although there was a connection at some time since; or not seen in
  /// time, because this process or host stood still.
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
  /// Our own pause after the provider had answered 500, 502 or 503 without a Retry-After.
  case backoff
}
