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

  /// RST_STREAM (RFC 9113 section 6.4). HTTP/1.1 knows no such thing: there the connection is closed.
  public func reset(_ code: HTTP2ErrorCode) {
    connection.run { $0.reset(code, stream: stream) }
  }
}
