import Measurement
import Testing

/// Times near the ends of their type, as a damaged or edited store has them.
@Suite struct ClampedArithmeticTests {
  private static let extremes: [Int64] = [
    .min, .min + 1, -1_000_000_000_001, -1, 0, 1, 999_999, .max - 1, .max,
  ]

  @Test func sumsDifferencesAndProductsStayInRange() {
    for a in Self.extremes {
      for b in Self.extremes {
        let limits = Int128(Int64.min)...Int128(Int64.max)
        func clamped(_ value: Int128) -> Int64 {
          Int64(clamping: min(max(value, limits.lowerBound), limits.upperBound))
        }
        #expect(a.addingClamped(b) == clamped(Int128(a) + Int128(b)))
        #expect(a.subtractingClamped(b) == clamped(Int128(a) - Int128(b)))
        #expect(a.multipliedClamped(by: b) == clamped(Int128(a) * Int128(b)))
      }
    }
  }

  @Test func timesOfAnyValueCanBeComparedMovedAndWritten() {
    for a in Self.extremes {
      for b in Self.extremes {
        let (wall, other) = (WallTime(microseconds: a), WallTime(microseconds: b))
        let (instant, second) = (MonotonicTime(microseconds: a), MonotonicTime(microseconds: b))
        #expect(a >= b ? wall - other >= .zero : wall - other < .zero)
        #expect(a >= b ? instant - second >= .zero : instant - second <= .zero)
        #expect((wall + .microseconds(b)).microseconds == a.addingClamped(b))
        #expect((wall - .microseconds(b)).microseconds == a.subtractingClamped(b))
        _ = (instant + .microseconds(b), instant - .microseconds(b), WallTime(seconds: a).seconds)
        let anchor = ClockAnchor(monotonic: second, wall: other)
        _ = anchor.step(to: ClockAnchor(monotonic: instant, wall: wall))
        let range = DeliveryRange(latency: a, error: b, high: nil)
        #expect(range.low >= 0 && range.high >= 0)
      }
      #expect(WallTime(microseconds: a).rfc3339.utf8.count == WallTime.rfc3339Length)
      #expect(Duration.microseconds(a).microseconds == a)
      #expect(Duration.seconds(a).nanoseconds == a.multipliedClamped(by: 1_000_000_000))
    }
    #expect(WallTime(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
    #expect(WallTime(microseconds: .min).rfc3339 == "0000-01-01T00:00:00.000000Z")
  }
}
