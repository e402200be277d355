import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization
import TestKit

/// A server whose answers are chosen by the path: each does one thing that a responder can do.
final class TestServer: Sendable {
  private final class Responder: HTTPResponder {
    struct State {
      var held: [HTTPExchange] = []
      var opened = 0
      var closed = 0
      /// Answers that went on and are over.
      var ended = 0
      var sent = 0
      var asked = 0
      var handshakes: [HandshakeFailure] = []
    }

    let state = Mutex(State())

    func opened(_ connection: HTTPConnection) { state.withLock { $0.opened += 1 } }

    func closed(_ connection: HTTPConnection) { state.withLock { $0.closed += 1 } }

    func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
      state.withLock { $0.handshakes.append(failure) }
    }

    func respond(to exchange: HTTPExchange) {
      state.withLock { $0.asked += 1 }
      let parts = exchange.request.path.split(separator: "/")
      switch parts.first {
      case "echo": exchange.answer(echo(exchange))
      case "big":
        exchange.answer(
          HTTPResponse(status: 200, body: ByteBuffer(repeating: UInt8(ascii: "x"), count: 16_384)))
      case "socket":
        if exchange.request.isWebSocketUpgrade {
          exchange.upgrade(to: EchoingSocket())
        } else {
          exchange.answer(HTTPResponse(status: 404))
        }
      case "login":
        exchange.connection.setAuthenticated()
        exchange.answer(echo(exchange))
      case "empty": exchange.answer(HTTPResponse(status: 200))
      case "limit":
        exchange.connection.setMaximumConcurrentStreams(Int(parts[1]) ?? 1)
        exchange.answer(HTTPResponse(status: 200))
      case "reset": exchange.reset(.internalError)
      case "refuse": exchange.reset(.refusedStream)
      case "silence": break
      case "stream": stream(exchange, parts: Int(parts[1]) ?? 1)
      case "endless": endless(exchange)
      case "unprocessed": exchange.goAwayUnprocessed(debugData: "later")
      case "disconnect": exchange.connection.disconnect()
      case "hold": state.withLock { $0.held.append(exchange) }
      case "goaway":
        exchange.connection.goAway(.enhanceYourCalm, debugData: "tired")
        state.withLock { $0.held.append(exchange) }
        release()
      case "release":
        release()
        exchange.answer(HTTPResponse(status: 200))
      case "twice":
        exchange.answer(HTTPResponse(status: 200, json: "1"))
        exchange.answer(HTTPResponse(status: 500, json: "2"))
      default: exchange.answer(HTTPResponse(status: 404, json: "{}"))
      }
    }

    /// Sends so many parts, from a thread of its own: see `endless`.
    private func stream(_ exchange: HTTPExchange, parts: Int) {
      let head = HTTPResponse(status: 200, headers: ["x-answer": "yes"], body: ByteBuffer(string: "0"))
      exchange.begin(head) { self.state.withLock { $0.ended += 1 } }
      Thread.detachNewThread {
        for part in 1..<max(parts, 2) { exchange.send(ByteBuffer(string: ",\(part)")) }
        exchange.finish()
        // Nothing comes after the end.
        exchange.send(ByteBuffer(string: "late"))
        exchange.answer(HTTPResponse(status: 500))
      }
    }

    /// Sends for as long as somebody is there; on a thread of its own, because other tests may hold all those that tasks
    /// run on for longer than a peer waits, and at a pace that a slow peer keeps up with.
    private func endless(_ exchange: HTTPExchange) {
      let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: 32 * 1024)
      let before = state.withLock { $0.ended }
      exchange.begin(HTTPResponse(status: 200)) { self.state.withLock { $0.ended += 1 } }
      Thread.detachNewThread {
        while self.state.withLock({ $0.ended }) == before {
          self.state.withLock { $0.sent += 1 }
          exchange.send(part)
          Thread.sleep(forTimeInterval: 0.1)
        }
      }
    }

    /// Answers what is held, from another thread, in the order of arrival.
    func release() {
      let held = state.withLock { state in
        defer { state.held = [] }
        return state.held
      }
      Thread.detachNewThread {
        for exchange in held { exchange.answer(HTTPResponse(status: 200, json: "\"released\"")) }
      }
    }

    private func echo(_ exchange: HTTPExchange) -> HTTPResponse {
      let request = exchange.request
      let name = request.headers.first(name: "x-name") ?? ""
      let source = exchange.connection.source
      return HTTPResponse(
        status: 200,
        json:
          "\(request.method) \(request.path) \(request.version.name) \(request.body.readableBytes) \(name) \(source)",
        headers: ["x-answer": "yes"])
    }

    func answer(to violation: HTTPViolation) -> HTTPResponse {
      HTTPResponse(status: violation.status, json: "\"\(violation)\"")
    }
  }

  /// Says what it hears.
  private final class EchoingSocket: WebSocketResponder {
    func opened(_ socket: WebSocket) {}
    func received(_ text: String, on socket: WebSocket) { socket.send(text) }
    func receivedPong(on socket: WebSocket) {}
    func closed(_ socket: WebSocket) {}
  }

  let port: Int
  let credentials: LocalCredentials
  private let responder: Responder
  private let group: MultiThreadedEventLoopGroup
  private let server: HTTPServer
  private let directory: TemporaryDirectory

  init(
    _ limits: HTTPServerLimits = HTTPServerLimits(),
    protocols: [HTTPServerConfiguration.ApplicationProtocol] = [.http2, .http1]
  ) async throws {
    directory = try TemporaryDirectory()
    credentials = try LocalAuthority.credentials(in: directory.path, now: SystemClock().wallNow())
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    responder = Responder()
    let identity = try ServerIdentity(
      certificateFile: credentials.certificateFile, keyFile: credentials.keyFile)
    server = try await HTTPServer.start(
      HTTPServerConfiguration(port: 0, identity: identity, protocols: protocols, limits: limits),
      on: group.next(), clock: SystemClock(), responder: responder)
    port = server.port
  }

  var curl: Curl { Curl(port: port, authorityFile: credentials.authorityFile) }

  var h2: H2Client { H2Client(port: port, authorityFile: credentials.authorityFile) }

  /// Connections that mean ill, by hostile_client.py.
  var hostile: HostileClient { HostileClient(port: port, authorityFile: credentials.authorityFile) }

  /// Bytes over TLS, or over nothing at all, by tls_client.py. Status 3: the server kept the connection open.
  func send(_ text: String, alpn: String, timeout: Double = 10) async throws -> Programs.Outcome {
    try await Programs.run(
      Programs.python,
      ["\(Programs.scripts)/tls_client.py", "\(port)", credentials.authorityFile, alpn, "\(timeout)"],
      input: text)
  }

  var handshakes: [HandshakeFailure] { responder.state.withLock { $0.handshakes } }
  var opened: Int { responder.state.withLock { $0.opened } }
  var closed: Int { responder.state.withLock { $0.closed } }
  var ended: Int { responder.state.withLock { $0.ended } }
  var sent: Int { responder.state.withLock { $0.sent } }
  /// Requests that the responder was shown.
  var asked: Int { responder.state.withLock { $0.asked } }
  var held: Int { responder.state.withLock { $0.held.count } }

  func release() { responder.release() }

  func shutdown(within grace: Duration = .milliseconds(200)) async {
    await server.shutdown(within: grace)
    try? await group.shutdownGracefully()
  }
}

/// Runs a test against a server of its own and takes it down after.
func withServer<Result>(
  _ limits: HTTPServerLimits = HTTPServerLimits(),
  protocols: [HTTPServerConfiguration.ApplicationProtocol] = [.http2, .http1],
  _ body: (TestServer) async throws -> Result
) async throws -> Result {
  let server = try await TestServer(limits, protocols: protocols)
  let result: Result
  do {
    result = try await body(server)
  } catch {
    await server.shutdown()
    throw error
  }
  await server.shutdown()
  return result
}
