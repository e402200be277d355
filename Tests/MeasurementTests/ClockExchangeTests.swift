import Measurement
import Testing

@Suite struct ClockExchangeTests {
  private func exchange(_ t1: Int64, _ t2: Int64, _ t3: Int64, _ t4: Int64) -> ClockExchange? {
    ClockExchange(t1: t1, t2: MonotonicTime(nanoseconds: t2), t3: MonotonicTime(nanoseconds: t3), t4: t4)
  }

  @Test func roundTripLeavesOurTimeOut() throws {
    let taken = try #require(exchange(1_000_000, 50, 20_050, 1_100_000))
    #expect(taken.roundTrip == 80_000)
  }

  @Test(
    arguments: [
      (5, 10, 10, 4), (-1, 10, 10, 4), (0, -1, 10, 4), (0, 0, 1_000_000, 900_000),
      (Int64.min, 0, 0, .max), (.max, 0, 0, .min), (0, .min, .max, 0), (0, 0, .max, 0), (.max, .max, .max, 0),
    ] as [(Int64, Int64, Int64, Int64)])
  func impossibleStampsMakeNone(t1: Int64, t2: Int64, t3: Int64, t4: Int64) {
    #expect(exchange(t1, t2, t3, t4) == nil)
  }

  @Test func aDeviceThatRunsSlowMaySeemToHaveWaitedLess() {
    // We took 10 ms; a clock that loses 500 ppm counts 5 µs less.
    #expect(exchange(0, 0, 10_000_000, 9_995_000) != nil)
    #expect(exchange(0, 0, 10_000_000, 9_994_999) == nil)
  }

  @Test func hugeStampsAreTaken() {
    #expect(exchange(0, 0, 0, .max)?.roundTrip == .max)
    #expect(exchange(.max, .max, .max, .max)?.roundTrip == 0)
    #expect(exchange(0, 0, .max, .max)?.roundTrip == 0)
    #expect(exchange(0, .max, 0, .max)?.roundTrip == .max)
  }
}
