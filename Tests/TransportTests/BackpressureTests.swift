import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// A peer that does not read for a while, with small buffers: what cannot be written waits, and costs no time of the processor.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct BackpressureTests {
  private static let bytes = 60_000
  private static let pause = Duration.milliseconds(1500)

  @Test func aPeerThatStopsReadingIsWaitedFor() throws {
    // Flow control of HTTP/2 allows it all, so that it is the socket that takes no more.
    let server = try ServerProcess.scripted([
      "--times", "--max-streams", "1000", "--window", "1000000000", "--receive-buffer", "8192", "--pause",
      "20:\(Self.pause.microseconds / 1000)",
    ])
    let run = TransportRun()
    var target = try TransportRun.target(
      TransportRun.https(server), rate: 200, count: 160,
      limits: ScheduleLimits(maxInFlight: 1000, maxLag: .seconds(60)))
    target.providers = [SequenceProvider(url: TransportRun.https(server), bodyBytes: Self.bytes)]
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    // A host that stands still makes one miss.
    #expect(
      seen.accepted + seen.missed(.lag) == 160 && seen.accepted >= 130, "\(seen.failed) \(seen.missed.count)")
    #expect(seen.events(.connected).count == 1 && server.numbers(after: "violation").isEmpty)

    // Everything came once, whole, and in the order in which it was sent.
    let times = server.times(atLeast: seen.accepted)
    #expect(Set(times.keys) == Set(seen.answered.keys.map(\.sequence)))
    #expect(server.numbers(after: "request").count == seen.accepted)
    for (sequence, time) in times {
      #expect(
        time.bytes == Self.bytes
          && time.adler == Adler32.sum(SequenceProvider.body(sequence, bytes: Self.bytes)))
    }
    let streams = server.numbers(after: "request").map { $0[1] }
    #expect(streams == streams.sorted())

    let resumed = try #require(server.numbers(after: "resumed", atLeast: 1).first?.first)
    let paused = try #require(server.numbers(after: "paused").first?.first)
    // Each stamp lies between the plan and the arrival, and some are of what the socket took only when the peer read again.
    for (id, request) in seen.sent {
      let time = try #require(times[id.sequence])
      #expect(request.at.nanoseconds <= time.arrived, "\(id.sequence)")
    }
    #expect(seen.sent.values.contains { $0.at.nanoseconds > resumed })
    // The thread slept while there was nothing that the peer took.
    let used = run.threadTime(from: Int64(paused), to: Int64(resumed))
    #expect(used < Self.pause / 3, "\(used)")
  }
}
