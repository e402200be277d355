import Measurement
import Testing

@testable import Transport

@Suite struct CredentialCircuitBreakerTests {
  @Test func theFirstRefusalIsNewsAndWhatWasUnderWayIsNot() {
    var trust = CredentialCircuitBreaker()
    trust.renew(serial: 1)
    #expect(trust.state == .trusted)
    let epoch = trust.epoch
    #expect(Self.refused(&trust, epoch) == true)
    for _ in 0..<10 { #expect(Self.refused(&trust, epoch) == false) }
    #expect(trust.state == .refused)
    trust.renew(serial: 2)
    #expect(trust.state == .onTrial && trust.serial == 2)
    // Late answers to requests with the old credential do not affect the new one.
    #expect(Self.refused(&trust, epoch) == false)
    #expect(Self.taken(&trust, epoch) == false)
    #expect(trust.state == .onTrial)
    #expect(Self.taken(&trust, trust.epoch) == true)
    #expect(trust.state == .trusted)
    #expect(Self.taken(&trust, trust.epoch) == false)
  }

  @Test func aTrialOfTheSameOneIsANewEpoch() {
    var trust = CredentialCircuitBreaker()
    trust.renew(serial: 1)
    let epoch = trust.epoch
    _ = trust.recordRefused(epoch: epoch, at: .zero)
    trust.tryAgain()
    #expect(trust.state == .onTrial && trust.serial == 1)
    #expect(Self.refused(&trust, epoch) == false)
    #expect(Self.refused(&trust, trust.epoch) == true)
    #expect(trust.state == .refused)
  }

  /// Credentials are regularly renewed before they expire: that needs no trial request.
  @Test func aRenewalInGoodTimeIsNoTrial() {
    var trust = CredentialCircuitBreaker()
    trust.renew(serial: 1)
    trust.renew(serial: 2)
    trust.tryAgain()
    #expect(trust.state == .trusted)
  }

  /// A credential without renewal is tried again after pauses that double from 10 s to 15 minutes.
  @Test func aFixedOneIsTriedAgainAtGrowingIntervals() throws {
    var trust = CredentialCircuitBreaker(fixedWithSeed: 5)
    var now = MonotonicTime(nanoseconds: 3_000_000_000)
    for round in 0..<12 {
      #expect(Self.refused(&trust, trust.epoch, at: now))
      // Answers to requests in flight with it change nothing.
      #expect(!Self.refused(&trust, trust.epoch, at: now + .seconds(1)))
      let pause = try #require(trust.trialAt) - now
      let full = min(Duration.seconds(900), .seconds(10) * (1 << round))
      #expect(pause >= full && pause <= full * 1.5, "\(round): \(pause)")
      #expect(!Self.tried(&trust, at: now + pause - .nanoseconds(1)))
      #expect(trust.state == .refused)
      now = now + pause
      #expect(Self.tried(&trust, at: now))
      #expect(trust.state == .onTrial && trust.trialAt == nil)
      #expect(!Self.tried(&trust, at: now + .seconds(9000)))
    }
    // Accepted: the next pause is short again.
    #expect(Self.taken(&trust, trust.epoch))
    #expect(Self.refused(&trust, trust.epoch, at: now))
    #expect(try #require(trust.trialAt) - now <= .seconds(15))
  }

  @Test func oneThatIsRenewedIsNotTriedByItself() {
    var trust = CredentialCircuitBreaker()
    _ = trust.recordRefused(epoch: 0, at: .zero)
    #expect(trust.trialAt == nil)
    #expect(!Self.tried(&trust, at: MonotonicTime(nanoseconds: .max / 2)))
  }

  private static func tried(_ trust: inout CredentialCircuitBreaker, at now: MonotonicTime) -> Bool {
    trust.beginTrial(at: now)
  }

  private static func refused(_ trust: inout CredentialCircuitBreaker, _ epoch: Int, at now: MonotonicTime)
    -> Bool
  {
    trust.recordRefused(epoch: epoch, at: now)
  }

  private static func refused(_ trust: inout CredentialCircuitBreaker, _ epoch: Int) -> Bool {
    trust.recordRefused(epoch: epoch, at: .zero)
  }

  private static func taken(_ trust: inout CredentialCircuitBreaker, _ epoch: Int) -> Bool {
    trust.recordAccepted(epoch: epoch)
  }
}
