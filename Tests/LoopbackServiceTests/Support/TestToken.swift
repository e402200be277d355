import Cryptography
import Foundation

@testable import LoopbackService

/// Tokens signed without the providers' code, right and wrong.
enum TestToken {
  static func es256(
    _ key: P256.PrivateKey, header: String, claims: String, isDER: Bool = false
  ) throws -> String {
    let signed = Base64URLText.encode(Data(header.utf8)) + "." + Base64URLText.encode(Data(claims.utf8))
    let signature = try key.signature(for: Array(signed.utf8))
    return signed + "." + Base64URLText.encode(isDER ? der(signature) : Data(signature))
  }

  /// R and S as two positive integers of a sequence (RFC 3279, section 2.2.3), where a token has them side by side.
  private static func der(_ signature: [UInt8]) -> Data {
    let numbers = [signature.prefix(32), signature.suffix(32)].map { number in
      let digits = Array(number.drop { $0 == 0 })
      let padded = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
      return [0x02, UInt8(padded.count)] + padded
    }
    return Data([0x30, UInt8(numbers[0].count + numbers[1].count)] + numbers[0] + numbers[1])
  }

  /// An APNs provider token.
  static func apns(
    _ key: P256.PrivateKey, keyID: String = LoopbackCredentials.signingKeyID,
    team: String = LoopbackCredentials.teamID, issuedAt: Double, algorithm: String = "ES256",
    isDER: Bool = false
  ) throws -> String {
    try es256(
      key, header: "{\"alg\":\"\(algorithm)\",\"kid\":\"\(keyID)\"}",
      claims: "{\"iss\":\"\(team)\",\"iat\":\(Int(issuedAt))}", isDER: isDER)
  }
}
