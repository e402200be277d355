import HTTPTestKit
import Measurement
import NIOCore
import NIOPosix
import Synchronization
import TestKit
import TestTraits
import Testing

@testable import HTTPServer

/// A server that runs for weeks must not keep what is gone.
@Suite(.ownThread) struct ConnectionLifetimeTests {
  private final class Watcher: HTTPResponder {
    private struct Weak: @unchecked Sendable {
      // Read only to see whether it is nil, which weak references allow from any thread.
      weak var core: AnyObject?
    }

    private let cores = Mutex<[Weak]>([])

    func opened(_ connection: HTTPConnection) {
      let core = connection.core.value
      cores.withLock { $0.append(Weak(core: core)) }
    }

    func respond(to exchange: HTTPExchange) { exchange.answer(HTTPResponse(status: 200, json: "{}")) }

    func answer(to violation: HTTPViolation) -> HTTPResponse { HTTPResponse(status: violation.status) }

    var seen: Int { cores.withLock { $0.count } }
    var alive: Int { cores.withLock { $0.count { $0.core != nil } } }
  }

  @Test func forgetsConnectionsThatAreGone() async throws {
    let directory = try TemporaryDirectory()
    let files = try LocalAuthority.credentials(in: directory.path, now: SystemClock().wallNow())
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let watcher = Watcher()
    let identity = try ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile)
    let server = try await HTTPServer.start(
      HTTPServerConfiguration(port: 0, identity: identity), on: group.next(), clock: SystemClock(),
      responder: watcher)
    let curl = Curl(port: server.port, authorityFile: files.authorityFile)
    for version in Curl.Version.allCases + Curl.Version.allCases {
      let answer = try await curl.ask("/", version, body: "x")
      #expect(answer.status == 200)
    }
    try await eventually { watcher.alive == 0 }
    #expect(watcher.seen == 4)
    await server.shutdown(within: .seconds(1))
    try await group.shutdownGracefully()
  }
}
