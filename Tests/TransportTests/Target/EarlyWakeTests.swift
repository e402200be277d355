import Measurement
import Testing

@testable import Transport

@Suite struct EarlyWakeTests {
  /// The upper limit of the learned time.
  private func limit(perSecond rate: Double) -> Duration {
    var start = EarlyWake(perSecond: rate)
    for _ in 0..<100 { start.record(spare: .microseconds(-1)) }
    return start.current
  }

  /// Held requests keep the thread awake for at most a fifth of its time.
  @Test func isBoundedByTimeAndByRate() {
    #expect(limit(perSecond: 1) == .microseconds(250))
    #expect(limit(perSecond: 800) == .microseconds(250))
    #expect(limit(perSecond: 1000) == .microseconds(200))
    #expect(limit(perSecond: 5000) == .microseconds(40))
    #expect(limit(perSecond: 5001) == .zero)
    #expect(limit(perSecond: 1e6) == .zero)
  }

  @Test func beginsWithATenthOfAMillisecond() {
    #expect(EarlyWake(perSecond: 1).current == .microseconds(100))
    #expect(EarlyWake(perSecond: 4000).current == .microseconds(50))
  }

  @Test func isAsLongAsNinetyNineInAHundredNeed() {
    var generator = SeededGenerator(seed: 5)
    var start = EarlyWake(perSecond: 500)
    var late = 0
    for round in 0..<30_000 {
      // Preparation takes 50 to 150 µs.
      let takes = Duration.nanoseconds(50_000 + Int64(generator.unit() * 100_000))
      let spare = start.current - takes
      start.record(spare: spare)
      if round >= 10_000, spare < .zero { late += 1 }
    }
    #expect((130...165).contains(start.current.microseconds))
    #expect((100...320).contains(late))
  }

  @Test func isNoLongerThanItNeedsToBe() {
    var start = EarlyWake(perSecond: 10)
    for _ in 0..<10_000 { start.record(spare: .microseconds(30)) }
    #expect(start.current == .microseconds(40))
  }

  @Test func whatNoHeadStartCuresIsNotLearntFrom() {
    var start = EarlyWake(perSecond: 10)
    for _ in 0..<100 { start.record(spare: .milliseconds(-3)) }
    #expect(start.current == .microseconds(100))
  }
}
