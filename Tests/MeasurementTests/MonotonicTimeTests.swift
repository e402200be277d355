import Measurement
import Synchronization
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

/// Each reading of the monotonic clock takes the next of some delays.
private final class SlowClock: HostClock {
  private let state: Mutex<(now: Int64, delays: [Int64])>
  private let offset: Int64

  init(delays: [Int64], offset: Int64) {
    state = Mutex((now: 0, delays: delays))
    self.offset = offset
  }

  func monotonicNow() -> MonotonicTime {
    state.withLock { state in
      let delay = state.delays.isEmpty ? 1_000 : state.delays.removeFirst()
      state.now += delay
      return MonotonicTime(nanoseconds: state.now)
    }
  }

  func wallNow() -> WallTime { WallTime(microseconds: state.withLock { $0.now } / 1_000 + offset) }
  func suspendedTotal() -> Duration { .zero }
}

@Suite struct ClockAnchorTests {
  private let anchor = ClockAnchor(
    monotonic: MonotonicTime(microseconds: 1_000), wall: WallTime(microseconds: 500_000))

  @Test func tellsTheTimeOfDay() {
    #expect(anchor.wall(at: MonotonicTime(microseconds: 1_250)) == WallTime(microseconds: 500_250))
    #expect(anchor.wall(at: MonotonicTime(microseconds: 0)) == WallTime(microseconds: 499_000))
  }

  @Test func showsHowFarTheWallClockWasStepped() {
    let later = ClockAnchor(
      monotonic: MonotonicTime(microseconds: 3_000), wall: WallTime(microseconds: 502_040))
    #expect(anchor.step(to: later) == 40)
    #expect(later.step(to: anchor) == -40)
  }

  @Test func keepsTheTightestOfItsReadings() {
    // Before and after each try; the third is the tightest.
    let clock = SlowClock(
      delays: [10_000, 90_000, 10_000, 50_000, 10_000, 4_000, 10_000, 70_000], offset: 7_000)
    let anchor = ClockAnchor(reading: clock, tries: 4)
    #expect(anchor.monotonic == MonotonicTime(nanoseconds: 172_000))
    #expect(anchor.wall == WallTime(microseconds: 7_170))
  }

  @Test func readsTheKernelsClocks() {
    let clock = SystemClock()
    let first = clock.monotonicNow()
    let anchor = ClockAnchor(reading: clock)
    let second = clock.monotonicNow()
    #expect(first <= anchor.monotonic && anchor.monotonic <= second)
    // After 2020, and BOOTTIME is never behind MONOTONIC but by the time between the two readings.
    #expect(anchor.wall.microseconds > 1_577_836_800_000_000)
    #expect(clock.suspendedTotal() > .seconds(-1))
  }
}
