import Collector
import Measurement
import Testing

/// Servers that know HTTP/1.1 only are measured too: one request at a time, the rest waits in our queue.
@Suite(
  .serialized, .enabled(if: Tool.hasPythonH2, "python3 or openssl is not installed"), .timeLimit(.minutes(2)))
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
    // Over TLS the first connection only finds out that the peer does not speak HTTP/2.
    let number = isEncrypted ? 2 : 1
    let numbers = server.numbers(after: "request", atLeast: 40).map { $0[0] }
    #expect(numbers == Array(repeating: number, count: 40))
    let fresh = seen.answered.values.filter { $0.connection?.isFresh == true }
    #expect(fresh.map(\.id.sequence) == [1])
    #expect((fresh.first?.connection?.phases?.tls != nil) == isEncrypted)
    // The queue is ours: 40 came due within 80 ms and took 400.
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
    // One more, which found out that the peer does not speak HTTP/2.
    #expect(server.numbers(after: "connection", atLeast: 11).count == 11)
    // libcurl closes before it hands the last answer over, which is an answer all the same.
    #expect(Set(seen.events(.disconnected).map(\.detail)) == ["0 unanswered"])
  }

  /// The peer ends connections that are idle for 100 ms, as Apache does after 5 s: nothing is put on an ended one.
  @Test(arguments: [true, false]) func anIdleConnectionThatWasEndedCostsNone(isEncrypted: Bool) throws {
    let server = try ServerProcess.http1(["--idle", "100"], isEncrypted: isEncrypted)
    let run = TransportRun()
    try run.start(
      TransportRun.target("\(isEncrypted ? "https" : "http")://127.0.0.1:\(server.port)/", rate: 3, count: 6))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 6, "\(seen.failed)")
    #expect(seen.events(.connected).count == 6)
    #expect(seen.answered.values.allSatisfy { $0.attempt == 1 })
  }

  /// Such a peer may speak HTTP/2 all the same, and fail over HTTP/1.1: the failure names the likely cause.
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
