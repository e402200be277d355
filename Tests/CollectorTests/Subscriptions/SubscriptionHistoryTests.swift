import Measurement
import Testing

@testable import Collector
@testable import Transport

/// What a subscription makes of the ends of its connections, on a clock of the test's own.
@Suite("What a subscription knows of its connections") struct SubscriptionHistoryTests {
  private static let start = MonotonicTime.zero + .seconds(1000)
  private static let ended = SubscriptionLoss(reason: "the server ended the stream")

  private var history = SubscriptionHistory(seed: 1, at: SubscriptionHistoryTests.start)

  private func wait(_ history: SubscriptionHistory, at now: MonotonicTime) -> Duration {
    history.earliest(at: now) - now
  }

  @Test("the first connection is made at once, and the wait grows with each that is lost soon")
  mutating func backsOff() {
    var now = Self.start
    #expect(history.earliest(at: now) == now && history.isUnbroken)
    var waits: [Duration] = []
    for _ in 0..<12 {
      history.open(at: now)
      _ = history.lose(Self.ended, heardAt: now, at: now)
      waits.append(wait(history, at: now))
      now = history.earliest(at: now)
    }
    #expect(!history.isUnbroken)
    #expect(waits[0] < .seconds(5) && waits[11] > waits[0] * 4, "\(waits)")
    now = now + .seconds(1)
    history.open(at: now)
    now = now + ReconnectBackoff.longest
    _ = history.lose(Self.ended, heardAt: now, at: now)
    #expect(wait(history, at: now) < .seconds(5), "that one lasted")
  }

  @Test("only a connection that lasted ends the time in which something may have been missed")
  mutating func gaps() {
    let opened = Self.start + .seconds(3)
    history.open(at: opened)
    #expect(history.gap == ListeningGap(from: Self.start, to: opened))
    _ = history.lose(Self.ended, heardAt: opened + .seconds(1), at: opened + .seconds(2))
    history.open(at: opened + .seconds(4))
    #expect(history.gap == ListeningGap(from: Self.start, to: opened + .seconds(4)))
    let heard = opened + .seconds(4) + ReconnectBackoff.longest
    _ = history.lose(Self.ended, heardAt: heard, at: heard + .seconds(9))
    history.open(at: heard + .seconds(20))
    #expect(history.gap == ListeningGap(from: heard, to: heard + .seconds(20)))
  }

  @Test(
    "a refusal is not repeated soon, an error is after 10 s, what the server asks for is kept; a hurry shortens neither"
  )
  mutating func silences() {
    let now = Self.start
    _ = history.lose(SubscriptionLoss(reason: "401", status: 401), heardAt: now, at: now)
    let first = wait(history, at: now)
    #expect(first >= .seconds(10))
    _ = history.lose(SubscriptionLoss(reason: "401", status: 401), heardAt: now, at: now)
    #expect(wait(history, at: now) > first)
    #expect(history.canBeHurried && history.hurry() - now == wait(history, at: now))
    #expect(!history.canBeHurried)
    var other = SubscriptionHistory(seed: 1, at: now)
    _ = other.lose(SubscriptionLoss(reason: "503", status: 503), heardAt: now, at: now)
    #expect(other.silentUntil == now + .seconds(10))
    let asked = SubscriptionLoss(reason: "429", status: 429, retryAfter: .seconds(300))
    _ = other.lose(asked, heardAt: now, at: now)
    #expect(other.silentUntil == now + .seconds(300) && other.earliest(at: now) >= other.silentUntil)
    _ = other.lose(Self.ended, heardAt: now, at: now)
    #expect(other.hurry() == now, "nobody asked for this wait")
  }

  @Test("losses are logged once a minute, with how many there were; attempts that fail again are not")
  mutating func log() {
    let now = Self.start
    #expect(
      history.lose(Self.ended, heardAt: now, at: now)
        == "the subscription cannot be opened: the server ended the stream")
    #expect(history.lose(Self.ended, heardAt: now, at: now + .seconds(100)) == nil)
    for second in 1...3 {
      history.open(at: now)
      #expect(history.lose(Self.ended, heardAt: now, at: now + .milliseconds(second)) == nil)
    }
    history.open(at: now)
    let line = history.lose(Self.ended, heardAt: now, at: now + .milliseconds(60_001))
    #expect(line?.hasSuffix("; 3 more losses since the last line") == true, "\(line ?? "")")
  }
}
