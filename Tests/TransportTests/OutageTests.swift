import Glibc
import HTTPClient
import Measurement
import Providers
import TestKit
import TestTraits
import Testing
import TransportTestKit

@testable import Transport

/// Without a connection, or without a good answer: ends of what comes due, and the events.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct OutageTests {
  /// Leaves out what was missed because the host paused.
  private static func isNearly(_ count: Int, of all: Int) -> Bool { count <= all && count * 4 >= all * 3 }

  @Test func aClosedPortIsAFailureAndNotOurLag() throws {
    let socket = try #require(LoopbackSocket.bound())
    defer { close(socket.fd) }
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "https://127.0.0.1:\(socket.port)/", rate: 20, count: 60,
        limits: ScheduleLimits(maxLag: .milliseconds(300))))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.sent.isEmpty && seen.ends == 60)
    #expect(Self.isNearly(seen.failed.count, of: 60), "\(seen.failed.count) failed, \(seen.missed)")
    #expect(seen.failed.values.allSatisfy { $0.reason == .connect && $0.attempt == 0 })
    // The detail names the cause, whether the request itself tried to connect or waited for one that did.
    #expect(seen.failed.values.allSatisfy { $0.detail.contains("onnect") })
    #expect(seen.failed.values.contains { $0.detail.contains("; next attempt in ") })
    #expect(seen.failed.values.contains { $0.detail.hasPrefix("no connection within max_lag") })
    #expect(seen.logs.filter { $0.hasPrefix("cannot connect (connect): ") }.count == 1, "\(seen.logs)")
    #expect(seen.logs.filter { $0.hasPrefix("no good answer for ") }.count == 1, "\(seen.logs)")
    let target = try #require(run.thread?.statistics.targets.first)
    #expect(target.counts.sent == 0 && target.counts.due == 60)
    #expect(target.counts.failedUnsent == seen.failed.count)
  }

  /// The peer accepts the connection and sends nothing: waiting notifications fail with the current phase.
  @Test func aHandshakeThatDoesNotEndIsTLS() throws {
    let socket = try #require(LoopbackSocket.silent())
    defer { close(socket.fd) }
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "https://127.0.0.1:\(socket.port)/", rate: 20, count: 40,
        limits: ScheduleLimits(maxLag: .milliseconds(300)), timeout: .seconds(3)))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.sent.isEmpty && seen.ends == 40)
    #expect(Self.isNearly(seen.failed(.tls), of: 40), "\(seen.failed.values.map(\.reason)) \(seen.missed)")
  }

  /// With TLS 1.3 the server says so after the client's handshake, where an answer is expected.
  @Test func aServerThatWantsAClientCertificateIsNamed() throws {
    let authority = try #require(TestCertificate.stranger)
    let server = try ServerProcess.scripted(["--good", "1000", "--client-ca", authority.certificate])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 20, count: 20, limits: ScheduleLimits(maxLag: .milliseconds(300))))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [] && seen.ends == 20 && seen.accepted == 0)
    #expect(Self.isNearly(seen.failed(.tls), of: 20), "\(seen.failed) \(seen.missed)")
    #expect(seen.failed.values.allSatisfy { $0.detail.contains("TLS alert \"certificate required\"") })
    let told = seen.logs.filter {
      $0.hasPrefix("cannot connect (tls)") && $0.contains("wants a client certificate")
    }
    #expect(told.count == 1, "\(seen.logs)")
  }

  /// The peer answers slowly but is available: waiting for a free stream counts as schedule lag.
  @Test func aSlowServiceIsNoOutage() throws {
    let server = try ServerProcess.scripted(["--good", "1000", "--delay", "700", "--max-streams", "1"])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 20, count: 60, limits: ScheduleLimits(maxLag: .milliseconds(300))))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.missed(.lag) >= 20 && seen.accepted >= 3)
    #expect(seen.missed(.lag) + seen.accepted == 60, "\(seen.failed)")
  }

  @Test func theEndOfAnOutageIsTold() throws {
    let port = try FreePort.take()
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        "https://127.0.0.1:\(port)/", rate: 20, limits: ScheduleLimits(maxLag: .milliseconds(300))))
    #expect(run.wait { $0.failed.count >= 10 })
    let server = try ServerProcess.scripted(["--port", String(port), "--good", "100000"])
    #expect(run.wait { $0.accepted >= 5 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    let connected = try #require(seen.events(.connected).first)
    #expect(connected.detail.hasPrefix("after ") && connected.detail.contains(" failed attempt"))
    #expect(seen.logs.filter { $0.hasPrefix("connected again after ") }.count == 1, "\(seen.logs)")
    #expect(!seen.logs.contains { $0.hasPrefix("no good answer") })
    withExtendedLifetime(server) {}
  }

  /// Everything is sent and answered, and every answer is an error.
  @Test func aRunWithoutAGoodAnswerIsToldOf() throws {
    let server = try ServerProcess.scripted(["--good", "1000"])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 50, count: 30)
    target.providers = [
      HTTPProvider(url: TransportRun.https(server), body: Array("{}".utf8), success: [201...201])
    ]
    target.advice = { "\($0) is not in success\($1)" }
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.sent.count == 30 && seen.accepted == 0)
    let told = seen.logs.filter { $0.hasPrefix("no good answer for ") }
    #expect(told.count == 1, "\(seen.logs)")
    #expect(
      told.first?.hasSuffix(
        "of 30 due 30 rejected, 0 failed, 0 missed (the last: 200); 200 is not in success") == true, "\(told)"
    )
  }
}
