import Measurement
import TestTraits
import Testing
import Transport
import TransportTestKit

/// Late answers with many requests in flight: each has its own kernel timestamp.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct ManyInFlightTests {
  /// At 200/s with answers after 200 ms about 40 are in flight. libcurl's own HTTP/2 delivered 93 % of such answers when
  /// their kernel timestamp was no longer available.
  @Test func lateAnswersAreStampedByTheKernel() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--delay", "200"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 200, count: 400))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted + seen.missed.count == 400)
    #expect(seen.answered.values.contains { ($0.connection?.streamsInFlight ?? 0) >= 20 })
    let kernel = seen.answered.values.count { $0.source == .kernel }
    #expect(kernel * 100 >= seen.answered.count * 98, "\(kernel) of \(seen.answered.count)")
    // No timestamp is earlier than the answer can have been sent.
    let soonest = seen.answered.values.map { $0.at - (seen.sent[$0.id]?.at ?? .zero) }.min()
    #expect(try #require(soonest) >= .milliseconds(199))
    let statistics = try #require(run.thread?.statistics.targets.first)
    #expect(statistics.kernelSentStamps * 100 >= Int64(seen.sent.count) * 95)
  }

  /// Requests that are written together leave in one segment and share its timestamp.
  @Test func aBatchLeavesTogether() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--delay", "50"])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), count: 60)
    target.arrivals = .burst(ArrivalRate(perSecond: 100) ?? target.arrivals.rate, size: 20)
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 60, "\(seen.failed) \(seen.missed)")
    #expect(Set(seen.sent.values.map(\.at)).count <= 12)
  }
}
