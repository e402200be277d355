import Glibc
import HTTPClient
import Measurement
import TestTraits
import Testing
import Transport
import TransportTestKit

/// A server that shares no code with this project's.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasNghttpd, "nghttpd or openssl is not installed"),
  .timeLimit(.minutes(10)))
struct NghttpdTests {
  @Test func sendsOverOneMultiplexedConnection() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 500, count: 400))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted + seen.missed.count == 400)
    #expect(seen.accepted > 300)
    #expect(
      seen.answered.values.allSatisfy { $0.status == 200 && $0.httpVersion == .http2 && $0.attempt == 1 })
    #expect(seen.sent.values.allSatisfy { $0.payloadBytes == 2 })
    // One connection, whose phases count for the first request only.
    #expect(seen.events(.connected).map(\.connectionID) == [1])
    let fresh = seen.answered.values.filter { $0.connection?.isFresh == true }
    #expect(fresh.map(\.id.sequence) == [1])
    let phases = try #require(fresh.first?.connection?.phases)
    #expect(phases.connect > 0)
    #expect(try #require(phases.tls) > 0)
    #expect(seen.answered.values.count { $0.connection?.phases != nil } == 1)
    #expect(seen.answered.values.allSatisfy { $0.connection?.id == 1 })
  }

  @Test func mostAnswersAreStampedByTheKernel() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 200, count: 200))
    #expect(run.waitForEnd())
    let statistics = try #require(run.thread?.statistics.targets.first)
    #expect(run.seen.wrongs == [])
    #expect(statistics.kernelStamps + statistics.callbackStamps == Int64(run.seen.answered.count))
    #expect(statistics.kernelStamps * 2 > statistics.callbackStamps)
    // The first request of a connection is written together with the end of the handshake, and counts as well.
    #expect(statistics.kernelSentStamps + statistics.ownSentStamps == Int64(run.seen.sent.count))
    #expect(statistics.kernelSentStamps > statistics.ownSentStamps * 10)
    // Timestamps in the socket's error queue do not end the connection.
    #expect(statistics.connections == 1)
  }

  @Test func keepsStatusOfRefusals() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server, path: "/nothing"), count: 5))
    #expect(run.waitForEnd())
    #expect(run.seen.answered.count == 5)
    #expect(run.seen.answered.values.allSatisfy { $0.status == 404 && !$0.isAccepted && $0.reason == nil })
  }

  @Test func killedAndRestartedInTheMiddle() throws {
    var server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 200, limits: ScheduleLimits(maxLag: .milliseconds(300))))
    #expect(run.wait { $0.accepted >= 50 })
    server.kill()
    #expect(run.wait { $0.failed(.connect) >= 20 })
    let before = run.seen.accepted
    server = try ServerProcess.nghttpd(port: server.port)
    #expect(run.wait { $0.accepted >= before + 50 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.events(.disconnected).count >= 1)
    #expect(Set(seen.events(.connected).map(\.connectionID)).count == seen.events(.connected).count)
    // Each connection was opened by one request, which is marked.
    let fresh = seen.answered.values.filter { $0.connection?.isFresh == true }
    #expect(fresh.count >= 2)
    // Every notification that came due has one end; those without an end were never due.
    let undue = seen.planned.keys.filter {
      seen.answered[$0] == nil && seen.failed[$0] == nil && seen.missed[$0] == nil
    }
    let lastEnded = (Array(seen.answered.keys) + Array(seen.missed.keys) + Array(seen.failed.keys)).max()
    #expect(undue.allSatisfy { $0 > lastEnded ?? $0 })
  }

  @Test func aFrozenServerTimesOutAndIsLeftForANewConnection() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 50, limits: ScheduleLimits(maxLag: .milliseconds(100)),
        timeout: .milliseconds(600)))
    #expect(run.wait { $0.accepted >= 10 })
    server.signal(SIGSTOP)
    #expect(run.wait { $0.failed(.timeout) >= 10 })
    server.signal(SIGCONT)
    let before = run.seen.accepted
    #expect(run.wait { $0.accepted >= before + 20 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.events(.connected).count >= 2)
  }

  @Test func aRefusedConnectionIsTriedAtGrowingIntervals() throws {
    let (fd, port) = try #require(LoopbackSocket.bound())
    defer { close(fd) }
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "https://127.0.0.1:\(port)/", rate: 100, limits: ScheduleLimits(maxLag: .milliseconds(200))))
    #expect(run.wait { $0.failed(.connect) >= 200 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.failed.values.allSatisfy { $0.reason == .connect && $0.attempt == 0 })
    #expect(seen.sent.isEmpty && seen.answered.isEmpty)
    // The back-off limits the attempts; the other notifications have failed with them.
    let attempts = seen.failed.values.count { $0.detail.contains("; next attempt in ") }
    #expect((2...seen.failed.count / 10).contains(attempts), "\(attempts) of \(seen.failed.count)")
  }

  @Test func anUnknownAuthorityFailsInTLS() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    let stranger = try #require(TestCertificate.stranger)
    try run.start(
      TransportRun.target(
        TransportRun.https(server), limits: ScheduleLimits(maxLag: .milliseconds(200)),
        caFile: stranger.certificate))
    #expect(run.wait { $0.failed(.tls) >= 2 })
    run.thread?.stop(draining: .zero)
    #expect(run.waitForEnd())
    #expect(run.seen.sent.isEmpty)
    #expect(run.seen.events(.connected).isEmpty)
  }

  /// The server ends handshakes without a client certificate.
  @Test func showsItsCertificate() throws {
    let server = try ServerProcess.nghttpd(options: ["--verify-client"])
    let stranger = try #require(TestCertificate.stranger)
    let known = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 100, count: 10)
    target.clientCertificate = ClientCertificate(
      certificateFile: stranger.certificate, keyFile: stranger.key)
    try known.start(target)
    #expect(known.waitForEnd())
    #expect(known.seen.wrongs == [])
    #expect(known.seen.accepted == 10)
    let unknown = TransportRun()
    try unknown.start(TransportRun.target(TransportRun.https(server), rate: 20, count: 5))
    #expect(unknown.waitForEnd())
    #expect(unknown.seen.accepted == 0)
    #expect(unknown.seen.failed.count + unknown.seen.missed.count == 5)
    #expect(!unknown.seen.failed.isEmpty)
    // A key of another certificate is detected before anything is sent.
    let mixed = TransportRun()
    target.clientCertificate?.keyFile = try #require(TestCertificate.good).key
    try mixed.start(target)
    #expect(mixed.waitForEnd())
    #expect(mixed.seen.sent.isEmpty)
    #expect(mixed.seen.failed.values.allSatisfy { $0.reason == .tls }, "\(mixed.seen.failed)")
  }

  @Test func waitsItsTurnWithOneStreamAtATime() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 100_000, count: 500, limits: ScheduleLimits(maxLag: .seconds(60)),
        maximumStreams: 1))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.accepted == 500)
    #expect(seen.answered.values.allSatisfy { $0.connection?.streamsInFlight == 1 })
    // 500 came due within 5 ms; their wait is counted as schedule lag.
    let last = try #require(seen.sent.values.max { $0.at < $1.at })
    let lag = last.at - (try #require(seen.planned[last.id]))
    #expect(lag > .milliseconds(20))
  }
}
