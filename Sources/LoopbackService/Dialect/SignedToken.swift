import Configuration
import Cryptography
import Foundation
import Measurement
import NIOCore

/// A parsed, unverified JSON Web Token in compact form (RFC 7515, section 7.1; RFC 7519).
struct SignedToken {
  /// Claims of the services' tokens. Times are Unix seconds.
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

  /// Limit of the token's size.
  private static let maximumBytes = 8192

  let algorithm: String
  let keyID: String?
  let claims: Claims
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// `nil` for an invalid token.
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
    signed = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = Array(signature)
  }

  /// ES256: R and S, 32 bytes each (RFC 7518, section 3.4), not DER.
  func isSigned(by key: P256.PublicKey) -> Bool {
    algorithm == "ES256" && key.isValidSignature(signature, for: signed)
  }

  /// RS256 (RFC 7518, section 3.3).
  func isSigned(by key: RSA.PublicKey) -> Bool {
    algorithm == "RS256" && key.isValidSignature(signature, for: signed)
  }
}

/// First use of tokens, so that a scenario can revoke all tokens known at a time.
struct TokenRegistry {
  private let revoked: [Duration]
  private var firstSeen = BoundedCache<String, Duration>(capacity: 4096)

  init(revoked: [Duration]) {
    self.revoked = revoked
  }

  /// Registers a token and returns whether the scenario has revoked it since its first use.
  mutating func isRevoked(_ token: String, at time: Duration) -> Bool {
    guard !revoked.isEmpty else { return false }
    guard let seen = firstSeen[token] else {
      firstSeen.insert(time, for: token)
      return false
    }
    return revoked.contains { seen < $0 && $0 <= time }
  }
}

/// Base64url without padding (RFC 4648, section 5), by Foundation, independent of the sender's code that it verifies.
enum Base64URLText {
  /// `nil` for padding, other characters and invalid lengths.
  static func decode(_ text: some StringProtocol) -> Data? {
    guard text.utf8.count % 4 != 1,
      text.utf8.allSatisfy(ASCII.isBase64URL)
    else { return nil }
    let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }

  static func encode(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}

/// Dictionary of limited size that removes its oldest entry.
struct BoundedCache<Key: Hashable, Value> {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  private var order = CircularBuffer<Key>()

  init(capacity: Int) { self.capacity = capacity }

  subscript(key: Key) -> Value? { values[key] }

  /// - Parameter key: one that is not in the cache.
  mutating func insert(_ value: Value, for key: Key) {
    if order.count >= capacity { values[order.removeFirst()] = nil }
    values[key] = value
    order.append(key)
  }
}
