import Measurement
import Testing

@Suite struct MonotonicTimeTests {
  /// The arithmetic all latencies rest on: parts cut to µs add up to the whole cut to µs.
  @Test(arguments: 1...5) func cutStampsAddUp(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let planned = MonotonicTime(nanoseconds: Int64.random(in: 0...1 << 50, using: &generator))
      let sent = planned + .nanoseconds(Int64.random(in: 0...1 << 40, using: &generator))
      let accepted = sent + .nanoseconds(Int64.random(in: 0...1 << 40, using: &generator))
      let lag = sent.microseconds - planned.microseconds
      let service = accepted.microseconds - sent.microseconds
      #expect(accepted.microseconds - planned.microseconds == lag + service)
    }
  }

  @Test func intervalsAreDifferences() {
    let early = MonotonicTime(microseconds: 5)
    let late = early + .milliseconds(3)
    #expect(late.nanoseconds == 3_005_000)
    #expect(late - early == .milliseconds(3))
    #expect(late - .milliseconds(3) == early)
    #expect(early < late)
    #expect(MonotonicTime.zero.microseconds == 0)
    #expect(MonotonicTime(nanoseconds: 1_999).microseconds == 1)
  }

  @Test func durationsAreCutTowardsZero() {
    #expect(Duration.nanoseconds(1_999).microseconds == 1)
    #expect(Duration.nanoseconds(-1_999).microseconds == -1)
    #expect(Duration.seconds(3).nanoseconds == 3_000_000_000)
    #expect((Duration.seconds(-1) + .nanoseconds(1)).nanoseconds == -999_999_999)
  }
}
