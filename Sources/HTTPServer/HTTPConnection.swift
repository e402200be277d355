import Measurement
import NIOCore
import NIOHTTP2
import NIOSSL

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
