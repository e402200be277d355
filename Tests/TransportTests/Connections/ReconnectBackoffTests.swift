import Measurement
import Testing

@testable import Transport

@Suite struct ReconnectBackoffTests {
  @Test func doublesToAnEndWithJitterAndForgetsAtSuccess() throws {
    var backoff = ReconnectBackoff(seed: 3)
    let now = MonotonicTime(nanoseconds: 5_000_000_000)
    #expect(backoff.permits(at: now))
    var full: Int64 = 100_000_000
    var waits: Set<Int64> = []
    for _ in 0..<30 {
      backoff.recordFailure(at: now)
      let wait = (try #require(backoff.earliest) - now).nanoseconds
      #expect(wait >= full / 2 && wait <= full)
      #expect(!backoff.permits(at: now + .nanoseconds(wait - 1)))
      #expect(backoff.permits(at: now + .nanoseconds(wait)))
      waits.insert(wait)
      full = min(full * 2, 5_000_000_000)
    }
    #expect(waits.count == 30)
    backoff.recordSuccess()
    #expect(backoff.permits(at: now) && backoff.failures == 0)
  }

  /// Longest time between attempts while notifications come due.
  @Test func anAttemptBeginsWithin15Seconds() {
    #expect(ReconnectBackoff.longest + ReconnectBackoff.longestAttempt <= .seconds(15))
  }

  @Test func differsFromSeedToSeed() {
    let now = MonotonicTime.zero
    var first = ReconnectBackoff(seed: 1)
    var second = ReconnectBackoff(seed: 2)
    first.recordFailure(at: now)
    second.recordFailure(at: now)
    #expect(first.earliest != second.earliest)
  }
}
