import Measurement
import Testing

@testable import Collector

@Suite struct CredentialScheduleTests {
  private static let start = CredentialInstant(elapsed: MonotonicTime(nanoseconds: 9_000_000_000))

  private static func after(_ duration: Duration) -> CredentialInstant {
    CredentialInstant(elapsed: start.elapsed + duration)
  }

  private static func issued(_ rule: CredentialRule, lifetime: Duration) -> CredentialSchedule {
    var schedule = CredentialSchedule(rule: rule, seed: 1)
    schedule.recordIssued(lifetime: lifetime, at: start)
    return schedule
  }

  @Test func theFirstIsDueAtOnce() {
    #expect(CredentialSchedule(rule: .apns, seed: 1).isDue(at: Self.start))
  }

  /// Apple: at least every 60 minutes, not within 20.
  @Test func anAPNsTokenIsRenewedBetweenTwentyAndSixtyMinutes() {
    let schedule = Self.issued(.apns, lifetime: .seconds(3600))
    #expect(!schedule.isDue(at: Self.after(.seconds(40 * 60 - 1))))
    #expect(schedule.isDue(at: Self.after(.seconds(40 * 60))))
    #expect(schedule.nextLook == Self.start.elapsed + .seconds(40 * 60))
  }

  @Test func anOAuthTokenIsRenewedBeforeItsEnd() {
    let schedule = Self.issued(.oauth, lifetime: .seconds(3599))
    #expect(!schedule.isDue(at: Self.after(.seconds(3298))))
    #expect(schedule.isDue(at: Self.after(.seconds(3299))))
    // One that lives shorter than the margin is renewed at half its life, but not within the floor.
    let short = Self.issued(.oauth, lifetime: .seconds(200))
    #expect(!short.isDue(at: Self.after(.seconds(99))))
    #expect(short.isDue(at: Self.after(.seconds(100))))
    let tiny = Self.issued(.oauth, lifetime: .seconds(4))
    #expect(!tiny.isDue(at: Self.after(.seconds(59))))
    #expect(tiny.isDue(at: Self.after(.seconds(60))))
  }

  @Test func aVAPIDTokenIsRenewedWithinItsHalfDay() {
    let schedule = Self.issued(.vapid, lifetime: .seconds(12 * 3600))
    #expect(!schedule.isDue(at: Self.after(.seconds(11 * 3600 - 1))))
    #expect(schedule.isDue(at: Self.after(.seconds(11 * 3600))))
  }

  /// Elapsed time counts the host's sleep, so after two hours asleep a new one is due at once.
  @Test func sleepAgesATokenToo() {
    let schedule = Self.issued(.apns, lifetime: .seconds(3600))
    #expect(schedule.isDue(at: Self.after(.seconds(7200))))
  }

  @Test func failuresAreTriedAgainLessAndLess() throws {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    var now = Self.after(.seconds(3400))
    var waits: [Duration] = []
    for _ in 0..<12 {
      #expect(schedule.isDue(at: now))
      schedule.recordFailure(at: now)
      let next = try #require(schedule.nextLook)
      waits.append(next - now.elapsed)
      #expect(!schedule.isDue(at: now))
      now = Self.after(next - Self.start.elapsed)
    }
    #expect(waits[0] >= .milliseconds(500) && waits[0] <= .seconds(1))
    #expect(waits.allSatisfy { $0 <= .seconds(60) })
    #expect(waits[11] >= .seconds(30))
    schedule.recordFailure(retryAfter: .seconds(300), at: now)
    #expect(schedule.nextLook == now.elapsed + .seconds(300))
  }

  /// Whatever was under way was refused too; one new one is wanted, at once.
  @Test func aRefusalIsFollowedByOneRenewal() {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    let now = Self.after(.seconds(30))
    #expect(schedule.recordRefusal(at: now) == .renew)
    #expect(schedule.isDue(at: now))
    for _ in 0..<100 { #expect(schedule.recordRefusal(at: now) == nil) }
    schedule.recordIssued(lifetime: .seconds(3600), at: now)
    #expect(!schedule.isDue(at: Self.after(.seconds(31))))
    schedule.recordAccepted()
    // The next one, an hour later or a minute, is as new as the first.
    #expect(schedule.recordRefusal(at: Self.after(.seconds(90))) == .renew)
  }

  @Test func anIssuerThatIsAwayIsAskedUntilTheRefusedOneIsReplaced() {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    #expect(schedule.recordRefusal(at: Self.after(.seconds(30))) == .renew)
    schedule.recordFailure(at: Self.after(.seconds(30)))
    #expect(!schedule.isDue(at: Self.after(.milliseconds(30_400))))
    #expect(schedule.isDue(at: Self.after(.seconds(31))))
    #expect(!Self.tries(&schedule, at: Self.after(.seconds(31))))
  }

  /// A provider that refuses every one is left in peace longer and longer; each pause ends with a new one.
  @Test func refusalsOfFreshOnesComeToRest() {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    var renewals: [Int] = []
    var isSending = true
    for second in 10..<(6 * 3600) {
      let now = Self.after(.seconds(second))
      if isSending {
        #expect(schedule.recordRefusal(at: now) != nil)
        isSending = false
      }
      if schedule.isDue(at: now) {
        renewals.append(second)
        schedule.recordIssued(lifetime: .seconds(3600), at: now)
        isSending = true
      }
      #expect(!Self.tries(&schedule, at: now))
    }
    #expect(renewals.first == 10)
    #expect((20...30).contains(renewals.count), "\(renewals)")
    let pauses = zip(renewals.dropFirst(), renewals).map { $0 - $1 }
    #expect((10...17).contains(pauses[0]) && (20...32).contains(pauses[1]))
    #expect(pauses.suffix(10).allSatisfy { (900...1352).contains($0) })
  }

  /// An older one may be renewed at once (TooManyProviderTokenUpdates begins below 20 minutes).
  @Test func anOldTokenOfAppleIsRenewedAtOnce() {
    var schedule = Self.issued(.apns, lifetime: .seconds(3600))
    let now = Self.after(.seconds(20 * 60))
    #expect(schedule.recordRefusal(at: now) == .renew)
    #expect(schedule.isDue(at: now))
  }

  /// A young one is tried again after pauses that double, and renewed as soon as it is 20 minutes old.
  @Test func aYoungTokenOfAppleIsTriedAgainAndRenewedInTime() {
    var schedule = Self.issued(.apns, lifetime: .seconds(3600))
    var trials: [Int] = []
    var isSending = true
    var renewed: Int?
    for second in 5..<3600 where renewed == nil {
      let now = Self.after(.seconds(second))
      if isSending {
        guard case .pause = schedule.recordRefusal(at: now) else {
          Issue.record("renewed at \(second) s")
          return
        }
        isSending = false
      }
      if schedule.isDue(at: now) {
        renewed = second
      } else if Self.tries(&schedule, at: now) {
        trials.append(second)
        isSending = true
      }
    }
    #expect((6...7).contains(trials.count), "\(trials)")
    #expect((1200...(1200 + 1352)).contains(renewed ?? 0), "\(renewed ?? 0)")
  }

  /// One answer that was wrong, and the same token is good again.
  @Test func aRefusalThatPassesLeavesNothingBehind() {
    var schedule = Self.issued(.apns, lifetime: .seconds(3600))
    for round in 0..<5 {
      let now = Self.after(.seconds(60 + 60 * round))
      guard case .pause(let end) = schedule.recordRefusal(at: now) else {
        Issue.record("no pause")
        return
      }
      #expect(end - now.elapsed >= .seconds(10) && end - now.elapsed <= .seconds(15))
      #expect(schedule.nextLook == end)
      #expect(!Self.tries(&schedule, at: now))
      #expect(Self.tries(&schedule, at: Self.after(.seconds(60 + 60 * round + 16))))
      schedule.recordAccepted()
    }
    #expect(schedule.nextLook == Self.start.elapsed + .seconds(40 * 60))
  }

  private static func tries(_ schedule: inout CredentialSchedule, at now: CredentialInstant) -> Bool {
    schedule.beginTrial(at: now)
  }
}
