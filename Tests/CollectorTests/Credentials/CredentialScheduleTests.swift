import Measurement
import Testing

@testable import Collector

@Suite struct CredentialScheduleTests {
  private static let start = CredentialInstant(
    elapsed: MonotonicTime(nanoseconds: 9_000_000_000), wall: WallTime(microseconds: 1_700_000_000_000_000))

  private static func after(_ duration: Duration, wallStep: Duration = .zero) -> CredentialInstant {
    CredentialInstant(
      elapsed: start.elapsed + duration,
      wall: WallTime(microseconds: start.wall.microseconds + (duration + wallStep).microseconds))
  }

  private static func issued(_ rule: CredentialRule, lifetime: Duration) -> CredentialSchedule {
    var schedule = CredentialSchedule(rule: rule, seed: 1)
    schedule.noteIssued(lifetime: lifetime, at: start)
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

  /// The wall clock dates a token: when it is set, the token's date is wrong. The floor holds all the same.
  @Test(arguments: [Duration.seconds(3600), .seconds(-3600)]) func aSetWallClockMakesANewOne(step: Duration) {
    let schedule = Self.issued(.apns, lifetime: .seconds(3600))
    #expect(!schedule.isDue(at: Self.after(.seconds(60), wallStep: step)))
    #expect(schedule.isDue(at: Self.after(.seconds(20 * 60), wallStep: step)))
    #expect(!schedule.isDue(at: Self.after(.seconds(20 * 60), wallStep: .seconds(5))))
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
      schedule.noteFailure(at: now)
      let next = try #require(schedule.nextLook)
      waits.append(next - now.elapsed)
      #expect(!schedule.isDue(at: now))
      now = Self.after(next - Self.start.elapsed)
    }
    #expect(waits[0] >= .milliseconds(500) && waits[0] <= .seconds(1))
    #expect(waits.allSatisfy { $0 <= .seconds(60) })
    #expect(waits[11] >= .seconds(30))
    schedule.noteFailure(retryAfter: .seconds(300), at: now)
    #expect(schedule.nextLook == now.elapsed + .seconds(300))
  }

  @Test func aRefusalIsFollowedByOneRenewal() {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    // Answers to requests that left with the old one.
    #expect(!Self.refuse(&schedule, at: Self.after(.seconds(3))))
    #expect(Self.refuse(&schedule, at: Self.after(.seconds(30))))
    for second in 31..<60 {
      #expect(!Self.refuse(&schedule, at: Self.after(.seconds(second))))
      #expect(!schedule.isDue(at: Self.after(.seconds(second))))
    }
    #expect(schedule.isDue(at: Self.after(.seconds(60))))
    schedule.noteIssued(lifetime: .seconds(3600), at: Self.after(.seconds(60)))
    #expect(!schedule.isDue(at: Self.after(.seconds(61))))
  }

  /// A provider that refuses every one is not asked with a new one each minute for ever.
  @Test func refusalsOfFreshOnesComeToRest() {
    var schedule = Self.issued(.oauth, lifetime: .seconds(3600))
    var renewals = 0
    for second in 1..<(6 * 3600) {
      let now = Self.after(.seconds(second))
      _ = Self.refuse(&schedule, at: now)
      if schedule.isDue(at: now) {
        renewals += 1
        schedule.noteIssued(lifetime: .seconds(3600), at: now)
      }
    }
    #expect(renewals <= 6 + 6)
    #expect(renewals >= 6)
  }

  @Test func noTokenOfAppleIsRenewedWithinTwentyMinutesWhateverIsRefused() {
    var schedule = Self.issued(.apns, lifetime: .seconds(3600))
    _ = Self.refuse(&schedule, at: Self.after(.seconds(60)))
    #expect(!schedule.isDue(at: Self.after(.seconds(20 * 60 - 1))))
    #expect(schedule.isDue(at: Self.after(.seconds(20 * 60))))
  }

  private static func refuse(_ schedule: inout CredentialSchedule, at now: CredentialInstant) -> Bool {
    schedule.noteRefusal(at: now)
  }
}
