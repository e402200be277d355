/// What a peer may cost. All sizes in bytes.
public struct HTTPServerLimits: Sendable {
  /// Connections at the same time. A further one takes the place of one that has not been authenticated
  /// (``HTTPConnection/setAuthenticated()``): the oldest of the source that has most of them. Where all are, it takes
  /// that of the one without a request for the longest time, at least ``unauthenticatedIdleTimeout``; where there is
  /// none, it is closed at once.
  public var connections = 256
  /// Connections of one source (``SourceAddress``) that have not been authenticated. A further one takes the place of
  /// the source's oldest such.
  public var unauthenticatedPerSource = 64
  /// SETTINGS_MAX_CONCURRENT_STREAMS in the first SETTINGS.
  public var concurrentStreams = 100
  /// Names and values of one request's headers together.
  public var headerBytes = 16 * 1024
  /// One request's body. Larger ones are answered with ``HTTPViolation/bodyTooLarge``.
  public var bodyBytes = 64 * 1024
  /// What all connections together may hold: requests until they are answered, answers until their peers take them.
  /// A request that finds no room is answered with ``HTTPViolation/overloaded``; where unread answers take the room,
  /// the connections with the most of them are cut first.
  public var bufferedBytes = 16 * 1024 * 1024
  /// What one answer that goes on may hold back for a peer that does not read it; beyond it the stream is reset.
  public var streamedBytes = 256 * 1024
  /// From the accepted TCP connection to the end of the TLS handshake.
  public var handshakeTimeout = Duration.seconds(10)
  /// From a request's headers to its last byte.
  public var requestTimeout = Duration.seconds(10)
  /// A connection whose peer takes nothing of what is written for it is cut after this.
  public var writeTimeout = Duration.seconds(10)
  /// A connection with no open request is closed after this.
  public var idleTimeout = Duration.seconds(300)
  /// The same for one that has not been authenticated.
  public var unauthenticatedIdleTimeout = Duration.seconds(15)
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
