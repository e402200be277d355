import Configuration
import Crypto
import Testing

@testable import LoopbackService

/// Provider tokens over hours, on stepped clocks.
@Suite struct APNsAuthenticatorTests {
  private let key = P256.Signing.PrivateKey()

  private func gate(_ behavior: TokenBehavior = TokenBehavior()) -> APNsAuthenticator {
    APNsAuthenticator(
      key: key.publicKey, keyID: LoopbackCredentials.signingKeyID, teamID: LoopbackCredentials.teamID,
      behavior: behavior)
  }

  private func word(
    _ gate: APNsAuthenticator, _ token: String, connection: Int = 1, at seconds: Double = 0
  ) -> String? {
    gate.authorize(
      "bearer \(token)", hasCertificate: false, .test(connection: connection, seconds: seconds))
  }

  private let now = RequestContext.start

  @Test func takesWhatItsKeySignedAndNothingElse() throws {
    let gate = gate()
    #expect(word(gate, try TestToken.apns(key, issuedAt: now)) == nil)
    let stranger = P256.Signing.PrivateKey()
    #expect(word(gate, try TestToken.apns(stranger, issuedAt: now), connection: 2) == "InvalidProviderToken")
    #expect(
      word(gate, try TestToken.apns(key, team: "OTHERTEAM1", issuedAt: now), connection: 3)
        == "InvalidProviderToken")
    #expect(
      word(gate, try TestToken.apns(key, issuedAt: now, algorithm: "none"), connection: 4)
        == "InvalidProviderToken")
    #expect(
      word(gate, try TestToken.apns(key, issuedAt: now, isDER: true), connection: 5)
        == "InvalidProviderToken", "JWS wants R and S as they are")
    #expect(
      word(gate, try TestToken.apns(key, keyID: "OTHERKEY01", issuedAt: now), connection: 6)
        == "InvalidProviderToken")
    var broken = try TestToken.apns(key, issuedAt: now)
    broken.removeLast(4)
    #expect(word(gate, broken, connection: 7) == "InvalidProviderToken")
    #expect(word(gate, "a.b.c", connection: 8) == "InvalidProviderToken")
  }

  @Test func anotherKeyOnTheSameConnectionIsUnrelated() throws {
    let gate = gate()
    #expect(word(gate, try TestToken.apns(key, issuedAt: now)) == nil)
    let other = try TestToken.apns(key, keyID: "OTHERKEY01", issuedAt: now)
    #expect(word(gate, other) == "UnrelatedKeyIdInToken")
  }

  @Test func tokensAgeWithinAnHour() throws {
    let gate = gate()
    let token = try TestToken.apns(key, issuedAt: now)
    #expect(word(gate, token, at: 3599) == nil)
    #expect(word(gate, token, at: 3601) == "ExpiredProviderToken")
    #expect(
      word(gate, try TestToken.apns(key, issuedAt: now + 120), connection: 2) == "InvalidProviderToken",
      "from the future")
  }

  @Test func aNewTokenEveryTwentyMinutesAndNoSooner() throws {
    let gate = gate()
    let first = try TestToken.apns(key, issuedAt: now)
    let second = try TestToken.apns(key, issuedAt: now + 600)
    let third = try TestToken.apns(key, issuedAt: now + 1200)
    #expect(word(gate, first) == nil)
    #expect(word(gate, second, at: 600) == "TooManyProviderTokenUpdates")
    #expect(
      word(gate, first, at: 601) == "TooManyProviderTokenUpdates", "the connection is unusable for a while")
    #expect(word(gate, second, connection: 2, at: 602) == nil, "another connection is not")
    #expect(word(gate, third, at: 1201) == nil)
    #expect(word(gate, third, at: 1300) == nil)
  }

  @Test func aScenarioRevokesWhatItHasSeen() throws {
    let gate = gate(TokenBehavior(leastInterval: .zero, revoked: [.seconds(10)]))
    let first = try TestToken.apns(key, issuedAt: now)
    #expect(word(gate, first, at: 9) == nil)
    #expect(word(gate, first, at: 10) == "ExpiredProviderToken")
    #expect(word(gate, try TestToken.apns(key, issuedAt: now), at: 11) == nil, "signed anew")
    #expect(word(gate, first, at: 12) == "ExpiredProviderToken")
  }
}
