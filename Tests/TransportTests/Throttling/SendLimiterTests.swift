import Measurement
import Testing

@testable import Transport

@Suite struct SendLimiterTests {
  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

  /// Sends whenever the limiter permits, checked every millisecond.
  private static func greedy(_ shape: SendLimit.Shape, for duration: Duration) -> [MonotonicTime] {
    var limiter = SendLimiter(SendLimit(shape, ""))
    var sent: [MonotonicTime] = []
    for millisecond in 0..<(duration.microseconds / 1000) {
      let now = start + .milliseconds(millisecond)
      guard limiter.permits(at: now) else { continue }
      limiter.recordSent(at: now)
      sent.append(now)
    }
    return sent
  }

  @Test func noWindowHoldsMoreThanItsCount() {
    let sent = Self.greedy(.window(count: 24, period: .seconds(6)), for: .seconds(60))
    #expect(sent.count == 240)
    for index in 24..<sent.count { #expect(sent[index] - sent[index - 24] >= .seconds(6)) }
  }

  @Test func aBucketGivesWhatItHoldsAndThenItsRate() {
    let sent = Self.greedy(.bucket(capacity: 60, interval: .seconds(5)), for: .seconds(100))
    #expect(sent.prefix(60).allSatisfy { $0 - Self.start < .milliseconds(60) })
    #expect(sent.count == 60 + 19)
    #expect(sent[60] - Self.start == .seconds(5))
    #expect(sent[61] - sent[60] == .seconds(5))
  }

  @Test func aBucketFillsUpAgainButNoFurther() {
    var limiter = SendLimiter(SendLimit(.bucket(capacity: 3, interval: .seconds(1)), ""))
    func burst(at now: MonotonicTime) -> Int {
      var count = 0
      while limiter.permits(at: now) {
        limiter.recordSent(at: now)
        count += 1
      }
      return count
    }
    #expect(burst(at: Self.start) == 3)
    #expect(burst(at: Self.start + .milliseconds(2500)) == 2)
    #expect(burst(at: Self.start + .seconds(3600)) == 3)
  }

  @Test func whatIsTakenBackDoesNotCount() {
    for shape in [
      SendLimit.Shape.window(count: 2, period: .seconds(1)), .bucket(capacity: 2, interval: .seconds(1)),
    ] {
      var limiter = SendLimiter(SendLimit(shape, ""))
      limiter.recordSent(at: Self.start)
      limiter.recordSent(at: Self.start)
      #expect(!limiter.permits(at: Self.start))
      limiter.undoSend()
      #expect(limiter.permits(at: Self.start))
    }
  }

  @Test func aRateIsHeldAgainstWhatCanBeKeptUp() throws {
    let limit = SendLimit(.window(count: 240, period: .seconds(60)), "")
    #expect(!limit.isExceeded(by: try #require(ArrivalRate(4, per: .seconds(1)))))
    #expect(limit.isExceeded(by: try #require(ArrivalRate(perSecond: 4.01))))
    let slow = SendLimit(.bucket(capacity: 60, interval: .seconds(5)), "")
    #expect(!slow.isExceeded(by: try #require(ArrivalRate.every(.seconds(5)))))
    #expect(slow.isExceeded(by: try #require(ArrivalRate.every(.milliseconds(4990)))))
  }
}
