import Measurement
import Testing

@testable import Transport

@Suite struct RealtimeOffsetTests {
  /// The reading thread is delayed in all pairs but one, before or after it reads the wall clock.
  @Test func trustsTheNarrowestPair() {
    var monotonic: Int64 = 1_000_000
    var reading = 0
    let trueOffset: Int64 = 1_700_000_000_000_000_000
    let offset = RealtimeOffset(
      monotonic: {
        reading += 1
        // The second reading of each pair is late, except in pair 9.
        if reading.isMultiple(of: 2), reading != 18 { monotonic += 5_000_000 } else { monotonic += 40 }
        return monotonic
      }, realtime: { monotonic + trueOffset + 20 })
    #expect(offset.nanoseconds == trueOffset)
  }

  @Test func goesBothWays() {
    let offset = RealtimeOffset(monotonic: { 5000 }, realtime: { 9_005_000 })
    #expect(offset.monotonic(9_100_000) == MonotonicTime(nanoseconds: 100_000))
    #expect(offset.wall(MonotonicTime(nanoseconds: 100_000)) == WallTime(microseconds: 9100))
  }
}
