import Configuration
import Foundation
import HTTPServer
import HTTPTestKit
import LoopbackService
import Measurement
import NIOCore
import NIOHPACK
import NIOPosix
import Synchronization
import TestKit

/// A receipt listener for tests: takes down what is posted and answers as it is told.
final class TestReceiptListener: HTTPResponder {
  struct Receipt: Decodable, Sendable, Equatable {
    var id: String
    var mac: String
    var received_at_ms: Int64
    var device: String
    var boot_id: String?
    var monotonic_ns: Int64?
  }

  private struct Body: Decodable {
    var receipts: [Receipt]
  }

  private struct State {
    var receipts: [Receipt] = []
    var batches: [Int] = []
    var paths: Set<String> = []
    /// What to answer next, before 202 for all that follows.
    var refusals: [HTTPResponse] = []
    var instants: [ContinuousClock.Instant] = []
    var isAway = false
  }

  private let state: Mutex<State>

  init(refusals: [HTTPResponse] = [], isAway: Bool = false) {
    state = Mutex(State(refusals: refusals, isAway: isAway))
  }

  /// While it is away, every connection is cut off as soon as it stands, and nothing is heard.
  func opened(_ connection: HTTPConnection) {
    if state.withLock({ $0.isAway }) { connection.disconnect() }
  }

  func comeBack() { state.withLock { $0.isAway = false } }

  func respond(to exchange: HTTPExchange) {
    let data = exchange.request.body.withUnsafeReadableBytes { Data($0) }
    let body = try? JSONDecoder().decode(Body.self, from: data)
    let count = body?.receipts.count ?? 0
    exchange.answer(
      state.withLock { state in
        state.instants.append(.now)
        if !state.refusals.isEmpty { return state.refusals.removeFirst() }
        state.receipts += body?.receipts ?? []
        state.batches.append(count)
        state.paths.insert(exchange.request.path)
        return HTTPResponse(
          status: 202, json: "{\"accepted\":\(count),\"duplicate\":0,\"unknown\":0,\"refused\":0}")
      })
  }

  func answer(to violation: HTTPViolation) -> HTTPResponse { HTTPResponse(status: violation.status) }

  var receipts: [Receipt] { state.withLock { $0.receipts } }

  /// How many receipts were in each body that was answered 202.
  var batches: [Int] { state.withLock { $0.batches } }

  var paths: Set<String> { state.withLock { $0.paths } }

  /// When each body came.
  var instants: [ContinuousClock.Instant] { state.withLock { $0.instants } }

  static func wait(seconds: Int) -> HTTPResponse {
    HTTPResponse(status: 429, headers: ["retry-after": "\(seconds)"])
  }
}

/// Listens with a ``TestReceiptListener`` until the test is done.
func withReceiptListener(
  _ listener: TestReceiptListener, _ body: (_ destination: ReceiptDestination) async throws -> Void
) async throws {
  let directory = try TemporaryDirectory()
  let files = try LocalAuthority.credentials(in: directory.path, now: SystemClock().wallNow())
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let server = try await HTTPServer.start(
    HTTPServerConfiguration(
      port: 0, identity: ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile)),
    on: group.next(), clock: SystemClock(), responder: listener)
  let endpoint = try Endpoint.parse("https://127.0.0.1:\(server.port)")
  let result: Result<Void, any Error>
  do {
    try await body(ReceiptDestination(endpoint: endpoint, authorityFile: files.authorityFile))
    result = .success(())
  } catch {
    result = .failure(error)
  }
  await server.shutdown(within: .milliseconds(100))
  try await group.shutdownGracefully()
  try result.get()
}
