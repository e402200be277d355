import Measurement

/// What a dialect may want to know beside the request.
struct RequestContext {
  var connection: Int
  /// The peer's address.
  var source: String
  /// Its TLS client certificate was signed by the service's own authority.
  var hasCertificate = false
  var now: WallTime
  var monotonic: MonotonicTime
  /// Since the first request.
  var time: Duration

  /// Unix seconds.
  var seconds: Double { Double(now.microseconds) / 1e6 }
}
