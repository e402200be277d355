/// Listener address, identity and limits.
public struct HTTPServerConfiguration: Sendable {
  /// An address, not a name, so that the reachable interface is explicit.
  public var host: String
  /// 0: a free port, which ``HTTPServer/port`` returns.
  public var port: Int
  public var identity: ServerIdentity
  /// ALPN protocols in order of preference. A peer that offers none of them gets HTTP/1.1 if it is included.
  public var protocols: [ApplicationProtocol]
  public var limits: HTTPServerLimits
  /// PEM file of the authority for client certificates (``HTTPConnection/hasCertificate``); `nil`: none is requested.
  public var clientAuthorityFile: String?

  public enum ApplicationProtocol: String, Sendable, Hashable {
    case http2 = "h2"
    case http1 = "http/1.1"
  }

  public init(
    host: String = "127.0.0.1", port: Int, identity: ServerIdentity,
    protocols: [ApplicationProtocol] = [.http2, .http1], limits: HTTPServerLimits = HTTPServerLimits(),
    clientAuthorityFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.identity = identity
    self.protocols = protocols
    self.limits = limits
    self.clientAuthorityFile = clientAuthorityFile
  }
}

/// Resource limits. Sizes are in bytes.
public struct HTTPServerLimits: Sendable {
  /// Concurrent connections. A further one replaces the oldest unauthenticated connection
  /// (``HTTPConnection/setAuthenticated()``) of the source with most of them. If all are authenticated, it replaces the
  /// one that has been idle longest, for at least ``unauthenticatedIdleTimeout``; if there is none, it is closed
  /// immediately.
  public var connections = 256
  /// Unauthenticated connections of one source (``SourceAddress``). A further one replaces the oldest of them.
  public var unauthenticatedPerSource = 64
  /// SETTINGS_MAX_CONCURRENT_STREAMS in the first SETTINGS.
  public var concurrentStreams = 100
  /// Header names and values of one request.
  public var headerBytes = 16 * 1024
  /// Body of one request. Larger ones are answered with ``HTTPViolation/bodyTooLarge``.
  public var bodyBytes = 64 * 1024
  /// Memory of all connections: unanswered requests and unread responses. A request beyond it is answered with
  /// ``HTTPViolation/overloaded``, after the connections with the most unread responses have been closed.
  public var bufferedBytes = 16 * 1024 * 1024
  /// Unread data of one streamed response; beyond it the stream is reset.
  public var streamedBytes = 256 * 1024
  /// Time for the TLS handshake.
  public var handshakeTimeout = Duration.seconds(10)
  /// Time from a request's headers to its last byte.
  public var requestTimeout = Duration.seconds(10)
  /// A connection whose peer reads no response data for this time is closed.
  public var writeTimeout = Duration.seconds(10)
  /// A connection without an open request is closed after this time.
  public var idleTimeout = Duration.seconds(300)
  /// The same for an unauthenticated connection.
  public var unauthenticatedIdleTimeout = Duration.seconds(15)
  /// RST_STREAM frames and stream errors, each, within any tenth of a second (RFC 9113, section 10.5). libcurl 7.88
  /// resets every stream whose response has no body, so a service with such responses must allow as many as it sends.
  public var resetsPerTenth = 100
  /// Stream errors of one connection.
  public var streamErrors = 10_000
  /// PING, SETTINGS and PRIORITY frames within any second.
  public var controlFramesPerSecond = 200

  public init() {}
}
