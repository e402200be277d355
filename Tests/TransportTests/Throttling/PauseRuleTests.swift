import Measurement
import Testing

@testable import Transport

@Suite struct PauseRuleTests {
  private static let start = MonotonicTime(nanoseconds: 7_000_000_000)

  private static func rejected(
    _ rule: inout PauseRule, _ status: Int, named: Duration? = nil, guess: Duration? = nil,
    sent: Duration = .zero, answered: Duration = .milliseconds(5)
  ) -> Duration? {
    rule.recordRejected(
      status: status, named: named, guess: guess, sentAt: start + sent, answeredAt: start + answered
    ).map { $0.until - (start + answered) }
  }

  private static func accepted(_ rule: inout PauseRule, sent: Duration) -> Bool {
    rule.recordAccepted(sentAt: start + sent)
  }

  /// Errors of the service that begin no pause by themselves; the next one does.
  private static func fail(_ rule: inout PauseRule, sent: Duration = .zero) {
    for _ in 1..<PauseRule.errorsToPause {
      let pause = rejected(&rule, 503, sent: sent, answered: sent + .milliseconds(1))
      #expect(pause == nil)
    }
  }

  @Test func aNamedTimeIsKeptExactly() {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    #expect(Self.rejected(&rule, 503, named: .seconds(7)) == .seconds(7))
    // A shorter pause changes nothing, a longer one replaces it.
    #expect(Self.rejected(&rule, 429, named: .seconds(2)) == nil)
    #expect(Self.rejected(&rule, 429, named: .seconds(9)) == .seconds(9))
    #expect(Self.rejected(&rule, 503, named: .zero) == nil)
  }

  @Test func withoutOneItDoublesFromRefusalToRefusal() throws {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 3)
    var at = Duration.zero
    var lengths: [Duration] = []
    for _ in 0..<10 {
      let length = try #require(Self.rejected(&rule, 429, sent: at, answered: at + .milliseconds(5)))
      lengths.append(length)
      at += length + .milliseconds(10)
    }
    for (index, length) in lengths.enumerated() {
      let full = min(Duration.seconds(900), .seconds(10) * (1 << index))
      #expect(length >= full && length <= full * 1.5, "\(index): \(length)")
    }
    #expect(Set(lengths).count == lengths.count)
    // After an accepted answer the next pause is a first one again.
    #expect(Self.accepted(&rule, sent: at))
    let again = try #require(Self.rejected(&rule, 429, sent: at, answered: at + .milliseconds(5)))
    #expect(again <= .seconds(15))
  }

  @Test func aBurstOfRefusalsIsOne() throws {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 3)
    #expect(Self.rejected(&rule, 429, sent: .milliseconds(1)) != nil)
    for millisecond in 2..<50 {
      #expect(Self.rejected(&rule, 429, sent: .milliseconds(millisecond), answered: .milliseconds(60)) == nil)
    }
    #expect(rule.refusals.repeats == 1)
    // An answer to a request sent before the error does not end it.
    #expect(!Self.accepted(&rule, sent: .milliseconds(3)))
    #expect(rule.refusals.repeats == 1)
  }

  @Test func otherErrorsAskForNothing() {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    #expect(Self.rejected(&rule, 503) == nil)
    #expect(Self.rejected(&rule, 400) == nil)
    var polite = PauseRule(unnamed: .afterTooMany, backoff: ErrorBackoff(), seed: 1)
    for status in [400, 410, 501, 504] {
      let pauses = (0..<10).compactMap { _ in Self.rejected(&polite, status) }
      #expect(pauses == [])
    }
  }

  // MARK: Back-off

  /// One in twenty, for hours: nothing pauses. Pairs are no outage either.
  @Test func errorsAmongGoodAnswersAreNoPause() {
    var rule = PauseRule(unnamed: .afterTooMany, backoff: ErrorBackoff(), seed: 4)
    var pauses: [Duration] = []
    for second in 0..<10_000 {
      for status in [503, 500].prefix(second % 20 == 0 ? 1 : second % 50 == 7 ? 2 : 0) {
        if let pause = Self.rejected(&rule, status, sent: .seconds(second), answered: .seconds(second)) {
          pauses.append(pause)
        }
      }
      _ = Self.accepted(&rule, sent: .seconds(second))
    }
    #expect(pauses == [])
  }

  /// 500, 502 and 503 without Retry-After: pauses that double, and only one for requests in flight or probes.
  @Test func errorsOfTheServiceBackOff() throws {
    var rule = PauseRule(
      unnamed: .afterTooMany, backoff: ErrorBackoff(first: .seconds(20), longest: .seconds(100)), seed: 4)
    var at = Duration.zero
    Self.fail(&rule)
    for (index, status) in [500, 502, 503, 500, 503].enumerated() {
      let answered = Self.start + at + .milliseconds(5)
      guard
        case .backoff(let until)? = rule.recordRejected(
          status: status, named: nil, sentAt: Self.start + at, answeredAt: answered)
      else {
        Issue.record("\(status) begins no pause")
        return
      }
      let full = min(Duration.seconds(100), .seconds(20) * (1 << index))
      #expect(until - answered >= full && until - answered <= full * 1.5)
      #expect(Self.rejected(&rule, 503, sent: at, answered: at + .milliseconds(30)) == nil)
      #expect(Self.rejected(&rule, 503, sent: at + .seconds(10), answered: at + .seconds(11)) == nil)
      at = until - Self.start + .milliseconds(10)
    }
  }

  @Test func aProbeThatIsTakenEndsTheBackoff() throws {
    var rule = PauseRule(unnamed: .afterTooMany, backoff: ErrorBackoff(), seed: 4)
    Self.fail(&rule)
    #expect(try #require(Self.rejected(&rule, 503)) >= .seconds(10))
    // Requests sent before the error do not count for the time after it.
    #expect(!Self.accepted(&rule, sent: .milliseconds(4)))
    #expect(Self.rejected(&rule, 503, sent: .seconds(2), answered: .seconds(3)) == nil)
    #expect(Self.accepted(&rule, sent: .seconds(4)))
    // The next pause is a first one, and begins like one.
    Self.fail(&rule, sent: .seconds(5))
    let again = try #require(Self.rejected(&rule, 500, sent: .seconds(5), answered: .seconds(6)))
    #expect(again >= .seconds(10) && again <= .seconds(15))
  }

  @Test func aTimeThatIsNamedIsObeyedInABackoffPause() throws {
    var rule = PauseRule(unnamed: .afterTooMany, backoff: ErrorBackoff(), seed: 4)
    Self.fail(&rule)
    #expect(Self.rejected(&rule, 503) != nil)
    let probe = Self.start + .seconds(3)
    #expect(
      rule.recordRejected(status: 503, named: .seconds(40), sentAt: probe, answeredAt: probe)
        == .silence(until: probe + .seconds(40)))
    #expect(!Self.accepted(&rule, sent: .seconds(4)))
    // 429 stops sending with or without Retry-After, and its pauses grow separately.
    var other = PauseRule(unnamed: .afterTooMany, backoff: ErrorBackoff(), seed: 4)
    Self.fail(&other)
    #expect(Self.rejected(&other, 503) != nil)
    guard case .silence? = other.recordRejected(status: 429, named: nil, sentAt: probe, answeredAt: probe)
    else {
      Issue.record("429 is no silence")
      return
    }
  }

  @Test func withoutABackoffErrorsAreNoPause() {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    for status in [500, 502, 503] { #expect(Self.rejected(&rule, status) == nil) }
  }

  /// One may be an error; ten in a row are not, whatever other rejections come in between.
  @Test func aReceiverThatIsGoneIsAskedForLessAndLess() throws {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    func gone(at instant: Duration) -> Duration? {
      rule.recordRejected(
        status: 410, named: nil, isReceiverUnknown: true, sentAt: Self.start + instant,
        answeredAt: Self.start + instant + .milliseconds(5)
      ).map { $0.until - (Self.start + instant + .milliseconds(5)) }
    }
    for second in 0..<9 { #expect(gone(at: .seconds(second)) == nil) }
    #expect(Self.accepted(&rule, sent: .seconds(9)))
    for second in 10..<19 { #expect(gone(at: .seconds(second)) == nil) }
    #expect(Self.rejected(&rule, 400, sent: .seconds(19)) == nil)
    let first = try #require(gone(at: .seconds(20)))
    #expect(first >= .seconds(10) && first <= .seconds(15))
    // Answers to requests in flight change nothing; one more answer after the pause causes a longer one.
    #expect(gone(at: .seconds(20)) == nil)
    let second = try #require(gone(at: .seconds(40)))
    #expect(second >= .seconds(20) && second <= .seconds(30))
    // The receiver is registered again.
    #expect(Self.accepted(&rule, sent: .seconds(90)))
    #expect(gone(at: .seconds(91)) == nil)
  }

  @Test func anotherReceiverEndsThePauseForTheFormerOne() throws {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    func gone(named: Duration? = nil) -> Duration? {
      rule.recordRejected(
        status: 410, named: named, isReceiverUnknown: true, sentAt: Self.start,
        answeredAt: Self.start + .milliseconds(500)
      ).map { $0.until - (Self.start + .milliseconds(500)) }
    }
    for _ in 0..<9 { #expect(gone() == nil) }
    #expect(try #require(gone()) >= .seconds(10))
    var remaining = rule.replaceReceiver()
    #expect(remaining == nil && rule.silentUntil == nil)
    // The next one is as unknown, and its first pause is no longer than the former's.
    for _ in 0..<9 { #expect(gone() == nil) }
    #expect(try #require(gone()) <= .seconds(15))
    // What the service asks for stands, also where it is shorter.
    #expect(gone(named: .seconds(3)) == nil)
    remaining = rule.replaceReceiver()
    #expect(remaining == Self.start + .milliseconds(3500) && rule.silentUntil == remaining)
  }

  @Test func aProvidersOwnGuessIsTheLeast() throws {
    var rule = PauseRule(unnamed: .afterTooMany, seed: 1)
    let length = try #require(Self.rejected(&rule, 429, guess: .seconds(60)))
    #expect(length >= .seconds(60) && length <= .seconds(90))
  }
}
