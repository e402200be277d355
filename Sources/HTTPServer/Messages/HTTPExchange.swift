import NIOCore
import NIOHTTP2

/// A request and the way back to who asked.
///
/// It may be answered at once or much later, from any thread; only the first answer or reset counts, and once the
/// peer is gone it does nothing. Never answering leaves the stream open until the peer or the connection ends.
public struct HTTPExchange: Sendable {
  public let request: HTTPRequest
  public let connection: HTTPConnection
  let stream: Int

  public func answer(_ response: HTTPResponse) {
    connection.run { $0.answer(response, to: stream) }
  }

  /// Begins an answer whose body goes on, like a subscription's: `response.body` is its first part, ``send(_:)`` adds
  /// to it and ``finish()`` ends it. What a peer does not read is held for it up to
  /// ``HTTPServerLimits/streamedBytes``; then the stream is reset.
  ///
  /// - Parameter ended: Called once, on the connection's event loop, when nothing more can be sent: the answer is
  ///   finished, the stream was reset or the peer is gone.
  public func begin(_ response: HTTPResponse, ended: @escaping @Sendable () -> Void) {
    connection.run { $0.begin(response, on: stream, ended: ended) }
  }

  /// Adds to an answer that ``begin(_:ended:)`` has begun; nothing once it has ended.
  public func send(_ bytes: ByteBuffer) {
    connection.run { $0.send(bytes, on: stream) }
  }

  /// Ends an answer that ``begin(_:ended:)`` has begun.
  public func finish() {
    connection.run { $0.finish(stream) }
  }

  /// Sends GOAWAY whose last stream lies before this one, which tells the peer that the request was certainly not
  /// processed (RFC 9113 section 6.8); REFUSED_STREAM, which says the same, when a later stream is open already. On
  /// HTTP/1.1 the connection is closed.
  public func goAwayUnprocessed(debugData: String? = nil) {
    connection.run { $0.goAwayUnprocessed(stream, debugData: debugData) }
  }

  /// RST_STREAM (RFC 9113 section 6.4). HTTP/1.1 knows no such thing: there the connection is closed.
  public func reset(_ code: HTTP2ErrorCode) {
    connection.run { $0.reset(code, stream: stream) }
  }
}
