import NIOCore
import NIOHTTP2

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
  func respond(to exchange: HTTPExchange)
  /// Response to a request that the server rejects.
  func answer(to violation: HTTPViolation) -> HTTPResponse
  /// The same for a service whose response depends on the path.
  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse
}

extension HTTPResponder {
  public func opened(_ connection: HTTPConnection) {}
  public func closed(_ connection: HTTPConnection) {}
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
