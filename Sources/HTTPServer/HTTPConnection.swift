import Measurement
import NIOCore
import NIOHTTP2

/// A connection as its responder sees it. What it is told to do is done on its event loop, in order.
public struct HTTPConnection: Sendable {
  /// Counts the server's connections, from 1.
  public let id: Int
  /// The peer's address without the port.
  public let source: String
  public let version: HTTPVersion
  /// The peer has shown a certificate that ``HTTPServerConfiguration/clientAuthorityFile`` vouches for.
  public let hasCertificate: Bool
  let core: NIOLoopBound<any ConnectionCore>

  /// Sends SETTINGS_MAX_CONCURRENT_STREAMS; nothing on HTTP/1.1. Enforced once the peer has acknowledged it.
  public func setMaximumConcurrentStreams(_ count: Int) {
    run { $0.setMaximumConcurrentStreams(count) }
  }

  /// Sends GOAWAY with the highest stream seen, so that all requests so far are still answered, and closes when they
  /// are. `debugData` is text for the peer's log (RFC 9113 section 6.8). On HTTP/1.1 the next answer closes.
  public func goAway(_ code: HTTP2ErrorCode = .noError, debugData: String? = nil) {
    run { $0.goAway(code, debugData: debugData) }
  }

  /// Closes the TCP connection with nothing more said, not even by TLS, whatever is unanswered.
  public func disconnect() {
    run { $0.disconnect() }
  }

  /// The peer has proved who it is, as far as the service asks: the connection is no longer counted among its address's
  /// strangers, and is not closed to make room for one.
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

/// What both HTTP versions' connections can do; only called on their event loop.
protocol ConnectionCore: AnyObject {
  /// Since when there has been no open request; `nil` while there is one.
  var idleSince: NIODeadline? { get }
  /// Answers that the peer has not taken yet, bytes.
  var unreadBytes: Int { get }
  func setAuthenticated()
  func answer(_ response: HTTPResponse, to stream: Int)
  func begin(_ response: HTTPResponse, on stream: Int, ended: @escaping @Sendable () -> Void)
  func send(_ bytes: ByteBuffer, on stream: Int)
  func finish(_ stream: Int)
  /// Ends every answer that has been begun: the server is going.
  func finishAll()
  func reset(_ code: HTTP2ErrorCode, stream: Int)
  func goAwayUnprocessed(_ stream: Int, debugData: String?)
  func setMaximumConcurrentStreams(_ count: Int)
  func goAway(_ code: HTTP2ErrorCode, debugData: String?)
  func disconnect()
  /// Closes to make room: says so where the protocol has a word for it, and gives back at once what it held.
  func evict()
  /// Called about once a second: time-outs.
  func sweep(now: NIODeadline)
}
