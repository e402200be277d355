import Measurement
import Testing

@testable import Transport

/// A probe whose changing calls can stand in expectations.
private final class Probe {
  private var probe: PathProbe

  init(every interval: Duration, seed: UInt64) { probe = PathProbe(every: interval, seed: seed) }

  var nextDue: MonotonicTime? { probe.nextDue }
  var count: Int { probe.count }
  func recordReady(at now: MonotonicTime) { probe.recordReady(at: now) }
  func beginPing(at now: MonotonicTime) -> UInt64? { probe.beginPing(at: now) }
  func recordWritten(_ token: UInt64, offset: Int) { probe.recordWritten(token, offset: offset) }
  func recordSent(through offset: Int, at now: MonotonicTime) { probe.recordSent(through: offset, at: now) }
  func roundTrip(at now: MonotonicTime) -> Int64? { probe.roundTrip(at: now) }
  func recordAnswer(_ token: UInt64, arrived: MonotonicTime?, now: MonotonicTime) -> (
    roundTrip: Int64, at: MonotonicTime
  )? { probe.recordAnswer(token, arrived: arrived, now: now) }
}

@Suite struct PathProbeTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  /// A PING that was written at `sent` and is not answered yet.
  private func asked(_ probe: Probe, at sent: Int64, offset: Int = 17) throws -> UInt64 {
    let token = try #require(probe.beginPing(at: at(sent)))
    probe.recordWritten(token, offset: offset)
    probe.recordSent(through: offset, at: at(sent))
    return token
  }

  @Test func asksOnceWhenReadyThenEachInterval() throws {
    let probe = Probe(every: .seconds(10), seed: 1)
    #expect(probe.nextDue == nil && probe.beginPing(at: at(99_000)) == nil)
    probe.recordReady(at: at(1_000))
    #expect(probe.nextDue == at(1_000))
    var tokens: [UInt64] = []
    for round in 0..<5 {
      let instant = 1_000 + Int64(round) * 10_000
      if round > 0 { #expect(probe.beginPing(at: at(instant - 1)) == nil) }
      let token = try asked(probe, at: instant, offset: 17 * (round + 1))
      _ = probe.recordAnswer(token, arrived: at(instant + 5), now: at(instant + 6))
      #expect(probe.nextDue == at(instant + 10_000))
      // Further SETTINGS make it no readier.
      probe.recordReady(at: at(instant + 7))
      #expect(probe.nextDue == at(instant + 10_000))
      tokens.append(token)
    }
    #expect(Set(tokens).count == 5 && probe.count == 5)
  }

  @Test func asksNoMoreWhileOneIsUnanswered() throws {
    let probe = Probe(every: .seconds(10), seed: 2)
    probe.recordReady(at: at(0))
    let token = try asked(probe, at: 0)
    for second in Int64(1)..<10_000 {
      #expect(probe.nextDue == nil && probe.beginPing(at: at(second * 1_000)) == nil)
    }
    #expect(probe.roundTrip(at: at(9_000_000)) == nil)
    // Late as it is, it is an answer, and the next one is due.
    let late = try #require(probe.recordAnswer(token, arrived: at(9_999_000), now: at(9_999_001)))
    #expect(late.roundTrip == 9_999_000_000)
    #expect(try #require(probe.nextDue) <= at(9_999_001))
  }

  @Test func theKernelsStampCountsWhereItCanBeTrue() throws {
    let probe = Probe(every: .seconds(1), seed: 3)
    probe.recordReady(at: at(0))
    var token = try asked(probe, at: 10)
    #expect(probe.recordAnswer(token, arrived: at(52), now: at(60))?.roundTrip == 42_000)
    // Earlier than it was asked, later than now, or none: our clock.
    for arrived in [at(1_000), at(1_200), nil] {
      token = try asked(probe, at: Int64(1_010 + probe.count * 1_000), offset: 17 * (probe.count + 1))
      let now = at(Int64(1_110 + (probe.count - 1) * 1_000))
      let stamp = arrived == at(1_200) ? now + .milliseconds(1) : arrived
      let answer = try #require(probe.recordAnswer(token, arrived: stamp, now: now))
      #expect(answer.at == now && answer.roundTrip == 100_000)
    }
  }

  @Test func onlyAnAnswerToWhatWasSentCounts() throws {
    let probe = Probe(every: .seconds(1), seed: 4)
    probe.recordReady(at: at(0))
    #expect(probe.recordAnswer(0, arrived: nil, now: at(1)) == nil)
    let token = try #require(probe.beginPing(at: at(1)))
    // Guessed before it was written, and while the network took only a part of it.
    #expect(probe.recordAnswer(token, arrived: at(1), now: at(2)) == nil)
    probe.recordWritten(token, offset: 117)
    probe.recordSent(through: 116, at: at(2))
    #expect(probe.recordAnswer(token, arrived: at(2), now: at(3)) == nil)
    probe.recordSent(through: 117, at: at(4))
    probe.recordSent(through: 300, at: at(9))
    #expect(probe.recordAnswer(token &+ 1, arrived: at(5), now: at(5)) == nil)
    #expect(probe.recordAnswer(token, arrived: at(6), now: at(6))?.roundTrip == 2_000)
    #expect(probe.recordAnswer(token, arrived: at(7), now: at(7)) == nil)
  }

  @Test func speaksForThirtySeconds() throws {
    let probe = Probe(every: .seconds(60), seed: 5)
    probe.recordReady(at: at(0))
    #expect(probe.roundTrip(at: at(5)) == nil)
    let first = try asked(probe, at: 0)
    _ = probe.recordAnswer(first, arrived: at(8), now: at(9))
    #expect(probe.roundTrip(at: at(8)) == 8_000)
    #expect(probe.roundTrip(at: at(30_008)) == 8_000)
    #expect(probe.roundTrip(at: at(30_009)) == nil)
    let second = try asked(probe, at: 60_000, offset: 34)
    #expect(probe.roundTrip(at: at(60_001)) == nil)
    _ = probe.recordAnswer(second, arrived: at(60_003), now: at(60_003))
    #expect(probe.roundTrip(at: at(60_004)) == 3_000)
  }
}
