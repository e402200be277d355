import Testing

@testable import Collector

@Suite struct CredentialTrustTests {
  @Test func theFirstRefusalIsNewsAndWhatWasUnderWayIsNot() {
    var trust = CredentialTrust()
    trust.renew(serial: 1)
    #expect(trust.state == .trusted)
    let epoch = trust.epoch
    #expect(Self.refused(&trust, epoch) == true)
    for _ in 0..<10 { #expect(Self.refused(&trust, epoch) == false) }
    #expect(trust.state == .refused)
    trust.renew(serial: 2)
    #expect(trust.state == .onTrial && trust.serial == 2)
    // Late answers to what left with the old one say nothing of the new one, good or bad.
    #expect(Self.refused(&trust, epoch) == false)
    #expect(Self.taken(&trust, epoch) == false)
    #expect(trust.state == .onTrial)
    #expect(Self.taken(&trust, trust.epoch) == true)
    #expect(trust.state == .trusted)
    #expect(Self.taken(&trust, trust.epoch) == false)
  }

  @Test func aTrialOfTheSameOneIsANewEpoch() {
    var trust = CredentialTrust()
    trust.renew(serial: 1)
    let epoch = trust.epoch
    _ = trust.noteRefused(epoch: epoch)
    trust.tryAgain()
    #expect(trust.state == .onTrial && trust.serial == 1)
    #expect(Self.refused(&trust, epoch) == false)
    #expect(Self.refused(&trust, trust.epoch) == true)
    #expect(trust.state == .refused)
  }

  /// Credentials are renewed ahead of their end all the time: nothing is tried then.
  @Test func aRenewalInGoodTimeIsNoTrial() {
    var trust = CredentialTrust()
    trust.renew(serial: 1)
    trust.renew(serial: 2)
    trust.tryAgain()
    #expect(trust.state == .trusted)
  }

  private static func refused(_ trust: inout CredentialTrust, _ epoch: Int) -> Bool {
    trust.noteRefused(epoch: epoch)
  }

  private static func taken(_ trust: inout CredentialTrust, _ epoch: Int) -> Bool {
    trust.noteTaken(epoch: epoch)
  }
}
