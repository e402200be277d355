import Crypto
import Foundation

@testable import LoopbackService

/// Tokens signed with swift-crypto directly, right and wrong.
enum TestToken {
  static func es256(
    _ key: P256.Signing.PrivateKey, header: String, claims: String, isDER: Bool = false
  ) throws -> String {
    let signed = Base64URLText.encode(Data(header.utf8)) + "." + Base64URLText.encode(Data(claims.utf8))
    let signature = try key.signature(for: Data(signed.utf8))
    return signed + "."
      + Base64URLText.encode(isDER ? signature.derRepresentation : signature.rawRepresentation)
  }

  /// An APNs provider token.
  static func apns(
    _ key: P256.Signing.PrivateKey, keyID: String = LoopbackCredentials.signingKeyID,
    team: String = LoopbackCredentials.teamID, issuedAt: Double, algorithm: String = "ES256",
    isDER: Bool = false
  ) throws -> String {
    try es256(
      key, header: "{\"alg\":\"\(algorithm)\",\"kid\":\"\(keyID)\"}",
      claims: "{\"iss\":\"\(team)\",\"iat\":\(Int(issuedAt))}", isDER: isDER)
  }
}
