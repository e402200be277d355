import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL

/// A complete request.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Path and query.
  public var path: String
  /// Lower-case names, without pseudo-headers.
  public var headers: HPACKHeaders
  /// The request's body, at most ``HTTPServerLimits/bodyBytes`` bytes.
  public var body: ByteBuffer
  public var version: HTTPVersion
  /// When its last byte was read, on the server's clock.
  public var arrivedAt: MonotonicTime
  /// Whether it is a GET on HTTP/1.1 that asks for a WebSocket (RFC 6455, section 4.1).
  public var isWebSocketUpgrade = false
}

/// A response; the connection adds what its HTTP version requires (`:status`, `content-length`).
public struct HTTPResponse: Sendable {
  public var status: Int
  /// Lower-case names, without pseudo-headers and `content-length`.
  public var headers: HPACKHeaders
  /// Body of the response; empty for none.
  public var body: ByteBuffer

  public init(status: Int, headers: HPACKHeaders = HPACKHeaders(), body: ByteBuffer = ByteBuffer()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response with a JSON text.
  public init(status: Int, json: String, headers: HPACKHeaders = HPACKHeaders()) {
    var fields = headers
    fields.add(name: "content-type", value: "application/json")
    self.init(status: status, headers: fields, body: ByteBuffer(string: json))
  }
}

/// A request and its response.
///
/// It may be answered at any time and from any thread. Only the first response or reset has an effect, and none once
/// the peer has disconnected. A request that is never answered keeps its stream open until the peer or the connection
/// ends it.
public struct HTTPExchange: Sendable {
  public let request: HTTPRequest
  public let connection: HTTPConnection
  let stream: Int

  public func answer(_ response: HTTPResponse) {
    connection.run { $0.answer(response, to: stream) }
  }

  /// Starts a streamed response: `response.body` is its first part, ``send(_:)`` appends to it and ``finish()`` ends
  /// it. Unread data is buffered up to ``HTTPServerLimits/streamedBytes``; beyond that the stream is reset.
  ///
  /// - Parameter ended: Called once, on the connection's event loop, when nothing more can be sent: the answer is
  ///   finished, the stream was reset or the peer is gone.
  public func begin(_ response: HTTPResponse, ended: @escaping @Sendable () -> Void) {
    connection.run { $0.begin(response, on: stream, ended: ended) }
  }

  /// Makes the connection a WebSocket's; the request has ``HTTPRequest/isWebSocketUpgrade``. One of another version than 13 is
  /// answered 426, one whose `sec-websocket-key` is not 16 bytes in Base64 is answered 400. Called on the connection's event loop.
  public func upgrade(to responder: any WebSocketResponder) {
    connection.core.value.upgrade(request, on: stream, to: responder)
  }

  /// Appends to a response that ``begin(_:ended:)`` started. No effect after its end.
  public func send(_ bytes: ByteBuffer) {
    connection.run { $0.send(bytes, on: stream) }
  }

  /// Ends a response that ``begin(_:ended:)`` started.
  public func finish() {
    connection.run { $0.finish(stream) }
  }

  /// Sends GOAWAY whose last stream precedes this one, so that the peer knows that the request was not processed (RFC
  /// 9113, section 6.8); REFUSED_STREAM, which means the same, when a later stream is open. Closes the connection on
  /// HTTP/1.1.
  public func goAwayUnprocessed(debugData: String? = nil) {
    connection.run { $0.goAwayUnprocessed(stream, debugData: debugData) }
  }

  /// Sends RST_STREAM (RFC 9113, section 6.4). Closes the connection on HTTP/1.1.
  public func reset(_ code: HTTP2ErrorCode) {
    connection.run { $0.reset(code, stream: stream) }
  }
}

/// Handles the connections and requests of a server. Called on the server's event loop, in order of events; must not
/// block.
public protocol HTTPResponder: Sendable {
  func opened(_ connection: HTTPConnection)
  /// Operations on this connection have no effect from now on.
  func closed(_ connection: HTTPConnection)
  /// A client's TLS handshake failed, or the client rejected the certificate after it.
  /// - Parameter source: the client's address without the port.
  func handshakeFailed(_ failure: HandshakeFailure, from source: String)
  func respond(to exchange: HTTPExchange)
  /// Response to a request that the server rejects.
  func answer(to violation: HTTPViolation) -> HTTPResponse
  /// Response to a rejected request where it depends on the path.
  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse
}

extension HTTPResponder {
  public func opened(_ connection: HTTPConnection) {}
  public func closed(_ connection: HTTPConnection) {}
  public func handshakeFailed(_ failure: HandshakeFailure, from source: String) {}
  public func answer(to violation: HTTPViolation, path: String) -> HTTPResponse { answer(to: violation) }
}

/// Why the server itself rejects a request. The responder provides the response, in the form of its API.
public enum HTTPViolation: Sendable, Hashable {
  /// The body exceeds ``HTTPServerLimits/bodyBytes``: 413.
  case bodyTooLarge
  /// The request was not complete within ``HTTPServerLimits/requestTimeout``: 408.
  case requestTimedOut
  /// All connections together have reached ``HTTPServerLimits/bufferedBytes``: 503.
  case overloaded

  /// HTTP status (RFC 9110, section 15).
  public var status: Int {
    switch self {
    case .bodyTooLarge: 413
    case .requestTimedOut: 408
    case .overloaded: 503
    }
  }
}

/// A connection as the responder sees it. Its methods can be called from any thread; they run on its event loop, in
/// order.
public struct HTTPConnection: Sendable {
  /// Number of the connection within the server, from 1.
  public let id: Int
  /// The peer's address without the port.
  public let source: String
  public let version: HTTPVersion
  /// Whether the peer presented a certificate signed by ``HTTPServerConfiguration/clientAuthorityFile``.
  public let hasCertificate: Bool
  let core: NIOLoopBound<any ConnectionCore>

  /// Sends SETTINGS_MAX_CONCURRENT_STREAMS, which is enforced once the peer has acknowledged it. No effect on HTTP/1.1.
  public func setMaximumConcurrentStreams(_ count: Int) {
    run { $0.setMaximumConcurrentStreams(count) }
  }

  /// Sends GOAWAY with the highest stream received and closes when all requests up to it are answered. `debugData` is
  /// sent in the frame (RFC 9113, section 6.8). On HTTP/1.1 the connection closes after the next response.
  public func goAway(_ code: HTTP2ErrorCode = .noError, debugData: String? = nil) {
    run { $0.goAway(code, debugData: debugData) }
  }

  /// Closes the TCP connection immediately, without a TLS close_notify, and with all unanswered requests.
  public func disconnect() {
    run { $0.disconnect() }
  }

  /// Marks the peer as authenticated: the connection no longer counts toward the unauthenticated connections of its
  /// source and is not closed in favor of a new one.
  public func setAuthenticated() {
    run { $0.setAuthenticated() }
  }

  func run(_ body: @escaping @Sendable (any ConnectionCore) -> Void) {
    if core.eventLoop.inEventLoop {
      body(core.value)
    } else {
      let core = core
      core.eventLoop.execute { body(core.value) }
    }
  }
}

/// Operations of HTTP/1.1 and HTTP/2 connections. Called on their event loop only.
protocol ConnectionCore: AnyObject {
  /// Time since which no request has been open; `nil` while one is.
  var idleSince: NIODeadline? { get }
  /// Response bytes that the peer has not read.
  var unreadBytes: Int { get }
  func setAuthenticated()
  func answer(_ response: HTTPResponse, to stream: Int)
  func begin(_ response: HTTPResponse, on stream: Int, ended: @escaping @Sendable () -> Void)
  func send(_ bytes: ByteBuffer, on stream: Int)
  func finish(_ stream: Int)
  /// Ends all streamed responses, because the server shuts down.
  func finishAll()
  func reset(_ code: HTTP2ErrorCode, stream: Int)
  /// Does nothing on HTTP/2.
  func upgrade(_ request: HTTPRequest, on stream: Int, to responder: any WebSocketResponder)
  func goAwayUnprocessed(_ stream: Int, debugData: String?)
  func setMaximumConcurrentStreams(_ count: Int)
  func goAway(_ code: HTTP2ErrorCode, debugData: String?)
  func disconnect()
  /// Closes the connection in favor of another, with GOAWAY on HTTP/2, and releases its memory immediately.
  func evict()
  /// Checks time-outs. Called about once a second.
  func sweep(now: NIODeadline)
}

extension Channel {
  /// Closes the TCP connection without a TLS close_notify, as a crash would.
  func closeAbruptly() {
    if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
      tls.close(promise: nil)
    } else {
      close(promise: nil)
    }
  }
}
