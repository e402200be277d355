import Cryptography
import Testing

@testable import Configuration
@testable import LoopbackService

/// Provider tokens over hours, on stepped clocks.
@Suite struct APNsAuthenticatorTests {
  private let key = P256.PrivateKey()

  private func authenticator(_ behavior: TokenBehavior = TokenBehavior()) -> APNsAuthenticator {
    APNsAuthenticator(
      key: key.publicKey, keyID: LoopbackCredentials.signingKeyID, teamID: LoopbackCredentials.teamID,
      behavior: behavior)
  }

  private func word(
    _ authenticator: APNsAuthenticator, _ token: String, connection: Int = 1, at seconds: Double = 0
  ) -> String? {
    authenticator.authorize(
      "bearer \(token)", hasCertificate: false, .test(connection: connection, seconds: seconds))
  }

  private let now = RequestContext.start

  @Test func takesWhatItsKeySignedAndNothingElse() throws {
    let authenticator = authenticator()
    #expect(word(authenticator, try TestToken.apns(key, issuedAt: now)) == nil)
    let stranger = P256.PrivateKey()
    #expect(
      word(authenticator, try TestToken.apns(stranger, issuedAt: now), connection: 2)
        == "InvalidProviderToken")
    #expect(
      word(authenticator, try TestToken.apns(key, team: "OTHERTEAM1", issuedAt: now), connection: 3)
        == "InvalidProviderToken")
    #expect(
      word(authenticator, try TestToken.apns(key, issuedAt: now, algorithm: "none"), connection: 4)
        == "InvalidProviderToken")
    #expect(
      word(authenticator, try TestToken.apns(key, issuedAt: now, isDER: true), connection: 5)
        == "InvalidProviderToken", "JWS wants R and S as they are")
    #expect(
      word(authenticator, try TestToken.apns(key, keyID: "OTHERKEY01", issuedAt: now), connection: 6)
        == "InvalidProviderToken")
    var broken = try TestToken.apns(key, issuedAt: now)
    broken.removeLast(4)
    #expect(word(authenticator, broken, connection: 7) == "InvalidProviderToken")
    #expect(word(authenticator, "a.b.c", connection: 8) == "InvalidProviderToken")
  }

  @Test func anotherKeyOnTheSameConnectionIsUnrelated() throws {
    let authenticator = authenticator()
    #expect(word(authenticator, try TestToken.apns(key, issuedAt: now)) == nil)
    let other = try TestToken.apns(key, keyID: "OTHERKEY01", issuedAt: now)
    #expect(word(authenticator, other) == "UnrelatedKeyIdInToken")
  }

  @Test func tokensAgeWithinAnHour() throws {
    let authenticator = authenticator()
    let token = try TestToken.apns(key, issuedAt: now)
    #expect(word(authenticator, token, at: 3599) == nil)
    #expect(word(authenticator, token, at: 3601) == "ExpiredProviderToken")
    #expect(
      word(authenticator, try TestToken.apns(key, issuedAt: now + 120), connection: 2)
        == "InvalidProviderToken",
      "from the future")
  }

  @Test func aNewTokenEveryTwentyMinutesAndNoSooner() throws {
    let authenticator = authenticator()
    let first = try TestToken.apns(key, issuedAt: now)
    let second = try TestToken.apns(key, issuedAt: now + 600)
    let third = try TestToken.apns(key, issuedAt: now + 1200)
    #expect(word(authenticator, first) == nil)
    #expect(word(authenticator, second, at: 600) == "TooManyProviderTokenUpdates")
    #expect(
      word(authenticator, first, at: 601) == "TooManyProviderTokenUpdates",
      "the connection is unusable for a while")
    #expect(word(authenticator, second, connection: 2, at: 602) == nil, "another connection is not")
    #expect(word(authenticator, third, at: 1201) == nil)
    #expect(word(authenticator, third, at: 1300) == nil)
  }

  @Test func aTokenThatWasUsedForLongMayBeReplacedOnANewConnection() throws {
    let authenticator = authenticator()
    let first = try TestToken.apns(key, issuedAt: now)
    #expect(word(authenticator, first, connection: 1) == nil)
    // The connection was lost after 30 minutes, and the token is renewed after 40.
    #expect(word(authenticator, first, connection: 2, at: 1800) == nil)
    let second = try TestToken.apns(key, issuedAt: now + 2400)
    #expect(word(authenticator, second, connection: 2, at: 2400) == nil)
    let third = try TestToken.apns(key, issuedAt: now + 2500)
    #expect(word(authenticator, third, connection: 2, at: 2500) == "TooManyProviderTokenUpdates")
  }

  @Test func aScenarioRevokesWhatItHasSeen() throws {
    let authenticator = authenticator(TokenBehavior(leastInterval: .zero, revoked: [.seconds(10)]))
    let first = try TestToken.apns(key, issuedAt: now)
    #expect(word(authenticator, first, at: 9) == nil)
    #expect(word(authenticator, first, at: 10) == "ExpiredProviderToken")
    #expect(word(authenticator, try TestToken.apns(key, issuedAt: now), at: 11) == nil, "signed anew")
    #expect(word(authenticator, first, at: 12) == "ExpiredProviderToken")
  }
}
