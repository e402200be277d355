import Measurement
import TestTraits
import Testing
import Transport
import TransportTestKit

/// Servers with HTTP/1.1 only: one request at a time, the others wait in the target's queue.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 or openssl is not installed"),
  .timeLimit(.minutes(10)))
struct HTTP1Tests {
  @Test(arguments: [true, false]) func oneRequestAtATimeOnOneConnection(isEncrypted: Bool) throws {
    let server = try ServerProcess.http1(["--delay", "10"], isEncrypted: isEncrypted)
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "\(isEncrypted ? "https" : "http")://127.0.0.1:\(server.port)/hook", rate: 500, count: 40))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 40)
    #expect(
      seen.answered.values.allSatisfy { $0.httpVersion == .http1 && $0.connection?.streamsInFlight == 1 })
    // Over TLS the first connection only negotiates that the peer has no HTTP/2.
    let number = isEncrypted ? 2 : 1
    let numbers = server.numbers(after: "request", atLeast: 40).map { $0[0] }
    #expect(numbers == Array(repeating: number, count: 40))
    let fresh = seen.answered.values.filter { $0.connection?.isFresh == true }
    #expect(fresh.map(\.id.sequence) == [1])
    #expect((fresh.first?.connection?.phases?.tls != nil) == isEncrypted)
    // They wait in the target's queue: 40 came due within 80 ms and took 400 ms.
    let service = seen.answered.values.map { $0.at - (seen.sent[$0.id]?.at ?? .zero) }.sorted()
    #expect(service[20] < .milliseconds(100))
  }

  @Test func aServerThatEndsEachConnectionIsOpenedEachTime() throws {
    let server = try ServerProcess.http1(["--closes"], isEncrypted: true)
    let run = TransportRun()
    try run.start(TransportRun.target("https://127.0.0.1:\(server.port)/", rate: 50, count: 10))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 10)
    #expect(Set(seen.answered.values.compactMap { $0.connection?.id }) == Set(1...10))
    #expect(
      seen.answered.values.allSatisfy { $0.connection?.isFresh == true && $0.connection?.phases != nil })
    // One more, which negotiated that the peer has no HTTP/2.
    #expect(server.numbers(after: "connection", atLeast: 11).count == 11)
    // libcurl closes the connection before it delivers the last answer, which counts as an answer.
    #expect(Set(seen.events(.disconnected).map(\.detail)) == ["0 unanswered"])
  }

  /// The peer closes connections that are idle for 100 ms (Apache: 5 s): no request is sent on a closed one.
  @Test(arguments: [true, false]) func anIdleConnectionThatWasEndedCostsNone(isEncrypted: Bool) throws {
    let server = try ServerProcess.http1(["--idle", "100"], isEncrypted: isEncrypted)
    let run = TransportRun()
    try run.start(
      TransportRun.target("\(isEncrypted ? "https" : "http")://127.0.0.1:\(server.port)/", rate: 3, count: 6))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 6, "\(seen.failed)")
    // On a busy machine two may go out one after the other, or the peer may see late that nothing came.
    #expect((2...6).contains(seen.events(.connected).count))
    #expect(seen.answered.values.allSatisfy { $0.attempt == 1 })
  }

  /// The peer may require HTTP/2 and fail with HTTP/1.1: the failure names the likely cause.
  @Test func aPeerWithoutALPNIsNamed() throws {
    let server = try ServerProcess.http1(["--no-alpn", "--delay", "3000"], isEncrypted: true)
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "https://127.0.0.1:\(server.port)/", rate: 5, count: 2, timeout: .milliseconds(300)))
    #expect(run.waitForEnd())
    #expect(run.seen.failed.count == 2)
    #expect(
      run.seen.failed.values.allSatisfy {
        $0.reason == .timeout && $0.detail.contains("took no part in ALPN")
      },
      "\(run.seen.failed)")
  }
}
