/// What a peer may cost. All sizes in bytes.
public struct HTTPServerLimits: Sendable {
  /// Connections at the same time; further ones are closed at once.
  public var connections = 256
  /// SETTINGS_MAX_CONCURRENT_STREAMS in the first SETTINGS.
  public var concurrentStreams = 100
  /// Names and values of one request's headers together.
  public var headerBytes = 16 * 1024
  /// One request's body. Larger ones are answered with ``HTTPViolation/bodyTooLarge``.
  public var bodyBytes = 64 * 1024
  /// Unfinished bodies of all connections together.
  public var bufferedBytes = 16 * 1024 * 1024
  /// What one answer that goes on may hold back for a peer that does not read it; beyond it the stream is reset.
  public var streamedBytes = 256 * 1024
  /// From the accepted TCP connection to the end of the TLS handshake.
  public var handshakeTimeout = Duration.seconds(10)
  /// From a request's headers to its last byte.
  public var requestTimeout = Duration.seconds(10)
  /// A connection with no open request is closed after this.
  public var idleTimeout = Duration.seconds(300)
  /// RST_STREAM frames and stream errors, each, within any tenth of a second (RFC 9113 section 10.5). libcurl 7.88
  /// resets every stream whose answer has no body, so a service that answers without one must allow as many as it
  /// means to answer.
  public var resetsPerTenth = 100
  /// Stream errors in a connection's whole life.
  public var streamErrors = 10_000
  /// PING, SETTINGS and PRIORITY frames within any second.
  public var controlFramesPerSecond = 200

  public init() {}
}
