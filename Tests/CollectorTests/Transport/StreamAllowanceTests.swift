import Measurement
import Testing

@testable import Collector

@Suite struct StreamAllowanceTests {
  private let now = MonotonicTime(nanoseconds: 1_000_000_000)

  @discardableResult
  private static func refuse(_ allowance: inout StreamAllowance, inFlight: Int, at now: MonotonicTime) -> Bool
  {
    allowance.noteRefusal(inFlight: inFlight, at: now)
  }

  private static func start(_ allowance: inout StreamAllowance, inFlight: Int) -> Bool {
    allowance.noteStart(inFlight: inFlight)
  }

  @Test func oneRequestUntilTheFirstAnswer() {
    var allowance = StreamAllowance(ceiling: 1000)
    #expect(allowance.permits(inFlight: 0, at: now))
    #expect(!allowance.permits(inFlight: 1, at: now))
    #expect(allowance.nextTry == nil)
    allowance.noteAnswer()
    #expect(allowance.permits(inFlight: 999, at: now))
    #expect(!allowance.permits(inFlight: 1000, at: now))
  }

  @Test func aRefusalTeachesTheLimitAndIsTriedAgain() {
    var allowance = StreamAllowance(ceiling: 1000)
    allowance.noteAnswer()
    #expect(Self.refuse(&allowance, inFlight: 8, at: now))
    #expect(allowance.learnt == 8)
    #expect(allowance.permits(inFlight: 7, at: now))
    #expect(!allowance.permits(inFlight: 8, at: now))
    var retry = now + StreamAllowance.firstRetry
    #expect(allowance.nextTry == retry)
    // Refused again and again it is asked less and less often, down to once a second.
    for _ in 0..<10 {
      #expect(allowance.permits(inFlight: 8, at: retry))
      #expect(!Self.refuse(&allowance, inFlight: 8, at: retry))
      #expect(!allowance.permits(inFlight: 8, at: retry))
      retry = allowance.nextTry ?? retry
    }
    #expect(allowance.nextTry == retry)
    #expect(retry - now > .seconds(5))
    #expect(!allowance.permits(inFlight: 8, at: retry - .nanoseconds(1)))
  }

  @Test func aStartBeyondTheLimitLiftsIt() {
    var allowance = StreamAllowance(ceiling: 1000)
    allowance.noteAnswer()
    Self.refuse(&allowance, inFlight: 1, at: now)
    #expect(!Self.start(&allowance, inFlight: 1))
    #expect(Self.start(&allowance, inFlight: 2))
    #expect(allowance.learnt == nil)
    #expect(allowance.permits(inFlight: 500, at: now))
  }

  @Test func aLoweredLimitIsLearntToo() {
    var allowance = StreamAllowance(ceiling: 1000)
    allowance.noteAnswer()
    #expect(Self.refuse(&allowance, inFlight: 100, at: now))
    #expect(Self.refuse(&allowance, inFlight: 10, at: now))
    #expect(allowance.learnt == 10)
    // A peer that takes none is asked for one.
    #expect(Self.refuse(&allowance, inFlight: 0, at: now))
    #expect(allowance.learnt == 1)
  }
}
