import Crypto
import CryptoExtras
import Foundation

/// A JSON Web Token in its compact form (RFC 7515, section 7.1; RFC 7519), taken apart and not yet believed.
struct SignedToken {
  /// What tokens of the four services claim; times are Unix seconds.
  struct Claims: Decodable {
    var iss: String?
    var sub: String?
    var scope: String?
    var audiences: [String]
    var iat: Double?
    var exp: Double?

    enum Key: String, CodingKey { case iss, sub, scope, aud, iat, exp }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      iss = try container.decodeIfPresent(String.self, forKey: .iss)
      sub = try container.decodeIfPresent(String.self, forKey: .sub)
      scope = try container.decodeIfPresent(String.self, forKey: .scope)
      iat = try container.decodeIfPresent(Double.self, forKey: .iat)
      exp = try container.decodeIfPresent(Double.self, forKey: .exp)
      if let several = try? container.decode([String].self, forKey: .aud) {
        audiences = several
      } else {
        audiences = try container.decodeIfPresent(String.self, forKey: .aud).map { [$0] } ?? []
      }
    }
  }

  private struct Header: Decodable {
    var alg: String
    var kid: String?
  }

  /// Larger ones are no token.
  private static let maximumBytes = 8192

  let algorithm: String
  let keyID: String?
  let claims: Claims
  private let signed: Data
  private let signature: Data

  /// `nil` for what is no such token.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let headerBytes = Base64URLText.decode(parts[0]),
      let claimBytes = Base64URLText.decode(parts[1]), let signature = Base64URLText.decode(parts[2]),
      let header = try? JSONDecoder().decode(Header.self, from: headerBytes),
      let claims = try? JSONDecoder().decode(Claims.self, from: claimBytes)
    else { return nil }
    algorithm = header.alg
    keyID = header.kid
    self.claims = claims
    signed = Data("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }

  /// ES256: R and S, 32 bytes each (RFC 7518, section 3.4). A DER signature is none.
  func isSigned(by key: P256.Signing.PublicKey) -> Bool {
    guard algorithm == "ES256", signature.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: signed)
  }

  /// RS256 (RFC 7518, section 3.3).
  func isSigned(by key: _RSA.Signing.PublicKey) -> Bool {
    guard algorithm == "RS256" else { return false }
    return key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: signed),
      padding: .insecurePKCS1v1_5)
  }
}
