import Measurement
import Testing

@testable import Transport

@Suite struct ThreadPrecedenceTests {
  /// A thread with given CPU shares per quarter of a second.
  private struct Thread {
    var precedence: ThreadPrecedence
    var worked = Duration.zero
    var now = MonotonicTime(microseconds: 5_000_000)

    init(isHeld: Bool) { precedence = ThreadPrecedence(isHeld: isHeld, worked: .zero, at: now) }

    mutating func work(_ share: Double) -> ThreadPrecedence.Change? {
      worked += .microseconds(Int64(250_000 * share))
      now = now + .milliseconds(250)
      return precedence.check(worked: worked, at: now)
    }
  }

  @Test func isKeptByAThreadThatRestsMostOfTheTime() {
    var thread = Thread(isHeld: true)
    for share in [0, 0.1, 0.3, 0.5, 0.49] {
      #expect(thread.work(share) == nil)
      #expect(thread.precedence.isHeld)
    }
  }

  @Test func isTakenFromAThreadThatWorksMoreThanHalf() {
    var thread = Thread(isHeld: true)
    #expect(thread.work(0.51) == .take)
    #expect(!thread.precedence.isHeld)
    #expect(thread.work(1) == nil)
  }

  @Test func comesBackAfterTenQuietSeconds() {
    var thread = Thread(isHeld: true)
    #expect(thread.work(1) == .take)
    for _ in 0..<20 { #expect(thread.work(0.1) == nil) }
    // After five seconds, a busy quarter: the count starts there.
    #expect(thread.work(0.3) == nil)
    for _ in 0..<39 { #expect(thread.work(0.2) == nil) }
    #expect(thread.work(0.2) == .give)
    #expect(thread.precedence.isHeld)
    #expect(thread.work(0.2) == nil)
  }

  @Test func aBusyMomentSaysNothing() {
    var thread = Thread(isHeld: true)
    #expect(thread.precedence.check(worked: .milliseconds(50), at: thread.now) == nil)
    #expect(thread.precedence.check(worked: .milliseconds(50), at: thread.now + .milliseconds(99)) == nil)
    // It is not lost: the next check covers all the time since the last one that counted.
    #expect(thread.precedence.check(worked: .milliseconds(51), at: thread.now + .milliseconds(100)) == .take)
  }
}
