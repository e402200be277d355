import Glibc
import Measurement
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// HTTP/2 and HTTP/1.1 server over TLS for small requests, on one event loop; HTTP/1.1 alone without TLS. Used by the
/// receipt listener, the loopback service and the web endpoint.
public final class HTTPServer: Sendable {
  /// Port of the listener; the actual one when 0 was configured.
  public let port: Int
  private let listener: any Channel
  private let table: NIOLoopBound<ConnectionTable>
  private let tls: TLSIdentity?

  private init(port: Int, listener: any Channel, table: NIOLoopBound<ConnectionTable>, tls: TLSIdentity?) {
    self.port = port
    self.listener = listener
    self.table = table
    self.tls = tls
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - eventLoop: runs everything, the responder included; it stays the caller's.
  ///   - clock: source of ``HTTPRequest/arrivedAt``.
  /// - Throws: ``HTTPServerError``.
  public static func start(
    _ configuration: HTTPServerConfiguration, on eventLoop: any EventLoop, clock: any HostClock,
    responder: any HTTPResponder
  ) async throws -> HTTPServer {
    let tls = try configuration.identity.map { try TLSIdentity(configuration, $0) }
    let table = try await eventLoop.submit {
      let reserve = DescriptorReserve(configuration.limits.reservedDescriptors) { limit in
        configuration.onShortage?(limit)
      }
      let table = ConnectionTable(
        limits: configuration.limits, clock: clock, responder: responder, reserve: reserve,
        eventLoop: eventLoop)
      return NIOLoopBound(table, eventLoop: eventLoop)
    }.get()
    let bootstrap = ServerBootstrap(group: eventLoop, childGroup: eventLoop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPauseHandler(table.value.reserve))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Reads at most one TLS record at a time, so that further data stays in the kernel.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16 * 1024)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try admit(channel, to: table.value, tls: tls?.context, configuration)
        }
      }
    let listener: any Channel
    do {
      listener = try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
    } catch {
      throw Self.bindFailure(error, host: configuration.host, port: configuration.port)
    }
    try await eventLoop.submit { table.value.start() }.get()
    return HTTPServer(
      port: listener.localAddress?.port ?? configuration.port, listener: listener, table: table, tls: tls)
  }

  /// New connections get another certificate; those that stand keep theirs. Does nothing without TLS.
  /// - Throws: ``HTTPServerError`` when TLS cannot be set up with it; the former one stays.
  public func replaceIdentity(_ identity: ServerIdentity) throws { try tls?.replace(identity) }

  /// Checks that a server could listen at an address now, by binding it for a moment.
  /// - Throws: ``HTTPServerError`` with `bind`.
  public static func check(host: String, port: Int) async throws {
    do {
      let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: host, port: port).get()
      try? await listener.close().get()
    } catch {
      throw bindFailure(error, host: host, port: port)
    }
  }

  private static func bindFailure(_ error: any Error, host: String, port: Int) -> HTTPServerError {
    HTTPServerError(
      .bind, place: "\(host):\(port)", message: "cannot listen at this address (\(words(for: error)))",
      remedy: "choose a free port and an address of this host")
  }

  /// The system's text for a failed system call.
  private static func words(for error: any Error) -> String {
    (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
  }

  /// Stops listening, sends GOAWAY, waits at most `grace` for the responses to open requests, and returns when the last
  /// connection is closed.
  public func shutdown(within grace: Duration) async {
    // Closing a listener fails only when it is already closed.
    try? await listener.close().get()
    let table = table
    try? await table.eventLoop.flatSubmit { table.value.drain(within: TimeAmount(grace)) }.get()
  }

  /// Adds TLS and, after ALPN, the handler of the HTTP version to a new connection's pipeline.
  private static func admit(
    _ channel: any Channel, to table: ConnectionTable, tls: NIOSSLContext?,
    _ configuration: HTTPServerConfiguration
  ) throws {
    let descriptor = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { $0 }
    guard let id = table.admit(channel, descriptor: descriptor ?? -1) else {
      throw ChannelError.operationUnsupported
    }
    let protocols = configuration.protocols
    let bound = NIOLoopBound(table, eventLoop: channel.eventLoop)
    channel.closeFuture.whenComplete { _ in bound.value.removed(id) }
    guard let tls else {
      try configuration.prepareTransport?(channel, id)
      return try addHTTP1(to: channel, id: id, table: table)
    }
    let negotiation = ApplicationProtocolNegotiationHandler { (result, channel) -> EventLoopFuture<Void> in
      channel.eventLoop.makeCompletedFuture {
        switch result {
        case .negotiated("h2") where protocols.contains(.http2):
          try addHTTP2(to: channel, id: id, table: bound.value)
        case .negotiated("http/1.1"), .fallback:
          guard protocols.contains(.http1) else { throw NIOHTTP2Errors.invalidALPNToken() }
          try addHTTP1(to: channel, id: id, table: bound.value)
        case .negotiated:
          throw NIOHTTP2Errors.invalidALPNToken()
        }
      }.flatMapErrorThrowing { error in
        channel.close(promise: nil)
        throw error
      }
    }
    try configuration.prepareTransport?(channel, id)
    let bytes = HandshakeBytes()
    try channel.pipeline.syncOperations.addHandlers([
      bytes, NIOSSLServerHandler(context: tls), HandshakeMonitor(id: id, table: table, bytes: bytes),
      negotiation,
    ])
  }

  private static func addHTTP2(to channel: any Channel, id: Int, table: ConnectionTable) throws {
    let limits = table.limits
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.concurrentStreams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerBytes),
      // Larger than the largest body, so that a larger one is refused and not stalled.
      HTTP2Setting(parameter: .initialWindowSize, value: limits.bodyBytes + 16 * 1024),
    ]
    connection.maximumConnectionGlitches = limits.streamErrors
    connection.controlFrameRateLimit.maximumCount = limits.controlFramesPerSecond
    connection.controlFrameRateLimit.windowLength = .seconds(1)
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = limits.resetsPerTenth
    stream.streamResetFrameRateLimit.windowLength = .milliseconds(100)
    stream.streamErrorRateLimit.maximumCount = limits.resetsPerTenth
    stream.streamErrorRateLimit.windowLength = .milliseconds(100)
    let handler = HTTP2ConnectionHandler(id: id, table: table)
    let frames = NIOHTTP2Handler(
      mode: .server, frameDelegate: handler, connectionConfiguration: connection, streamConfiguration: stream)
    try channel.pipeline.syncOperations.addHandlers([frames, handler])
  }

  static func addHTTP1(to channel: any Channel, id: Int, table: ConnectionTable) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = table.limits.headerBytes
    limits.maxHeaderListSize = table.limits.headerBytes
    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    let codec: [any RemovableChannelHandler] = [
      HTTPResponseEncoder(), ByteToMessageHandler(decoder), HTTPServerPipelineHandler(),
      NIOHTTPResponseHeadersValidator(), HTTPServerProtocolErrorHandler(),
    ]
    try channel.pipeline.syncOperations.addHandlers(
      codec + [HTTP1ConnectionHandler(id: id, table: table, codec: codec)])
  }
}

/// The TLS context that new connections get.
private final class TLSIdentity: Sendable {
  private let configuration: HTTPServerConfiguration
  private let current: Mutex<NIOSSLContext>

  init(_ configuration: HTTPServerConfiguration, _ identity: ServerIdentity) throws {
    self.configuration = configuration
    current = Mutex(try Self.context(of: configuration, identity))
  }

  var context: NIOSSLContext { current.withLock { $0 } }

  func replace(_ identity: ServerIdentity) throws {
    let context = try Self.context(of: configuration, identity)
    current.withLock { $0 = context }
  }

  private static func context(
    of configuration: HTTPServerConfiguration, _ identity: ServerIdentity
  ) throws -> NIOSSLContext {
    do {
      return try identity.context(
        protocols: configuration.protocols, clientAuthorityFile: configuration.clientAuthorityFile)
    } catch {
      throw HTTPServerError(
        .identity, place: "\(configuration.host):\(configuration.port)",
        message: "TLS cannot be set up (\(error))",
        remedy: "check the certificate and its key")
    }
  }
}

/// Why a server could not start.
public struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why the server cannot run.
  public enum Code: Sendable, Hashable {
    /// The address is in use, not of this host, or requires privileges.
    case bind
    /// A certificate or key cannot be read, is invalid, or does not match its counterpart.
    case identity
    /// Credentials cannot be written.
    case write
  }

  public var code: Code
  /// Address or file.
  public var place: String
  public var message: String
  /// What the user can do.
  public var remedy: String

  public init(_ code: Code, place: String, message: String, remedy: String) {
    self.code = code
    self.place = place
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(place): \(message); \(remedy)" }
}

/// Listener address, identity and limits.
public struct HTTPServerConfiguration: Sendable {
  /// An address, not a name, so that the reachable interface is explicit.
  public var host: String
  /// 0: a free port, which ``HTTPServer/port`` returns.
  public var port: Int
  /// `nil` for HTTP/1.1 without TLS.
  public var identity: ServerIdentity?
  /// ALPN protocols in order of preference. A peer that offers none of them gets HTTP/1.1 if it is included.
  public var protocols: [ApplicationProtocol]
  public var limits: HTTPServerLimits
  /// PEM file of the authority for client certificates (``HTTPConnection/hasCertificate``); `nil`: none is requested.
  public var clientAuthorityFile: String?
  /// Adds handlers to a new connection's pipeline, before TLS. Called on the event loop with the connection's number.
  public var prepareTransport: (@Sendable (any Channel, _ id: Int) throws -> Void)?
  /// Told when no descriptor is left for further connections, with the limit of them; at most once a minute, on the event loop.
  public var onShortage: (@Sendable (_ limit: UInt64) -> Void)?

  /// Protocols by their ALPN names (RFC 7301).
  public enum ApplicationProtocol: String, Sendable, Hashable {
    case http2 = "h2"
    case http1 = "http/1.1"
  }

  public init(
    host: String = "127.0.0.1", port: Int, identity: ServerIdentity?,
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
  /// Descriptors that connections leave to the rest of the process. Where the limit of descriptors is reached before that of
  /// connections, the same rules apply; while nothing can be replaced, nothing is accepted.
  public var reservedDescriptors = 24
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
  /// An unauthenticated connection without an open request is closed after this time.
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
