import Crypto
import CryptoExtras

/// Signs JSON Web Tokens in the compact form (RFC 7515, section 7.1; RFC 7518).
enum WebToken {
  /// ES256: ECDSA on P-256 with SHA-256, the signature as R and S in 32 bytes each (RFC 7518, section 3.4).
  static func es256(
    header: String, claims: String, key: P256.Signing.PrivateKey
  ) throws(CredentialError) -> String {
    let input = signingInput(header, claims)
    do {
      return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)).rawRepresentation)
    } catch {
      throw CredentialError(.malformed, "does not sign", remedy: "make a new key")
    }
  }

  /// RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
  static func rs256(
    header: String, claims: String, key: _RSA.Signing.PrivateKey
  ) throws(CredentialError) -> String {
    let input = signingInput(header, claims)
    do {
      let digest = SHA256.hash(data: Array(input.utf8))
      let signature = try key.signature(for: digest, padding: .insecurePKCS1v1_5)
      return input + "." + Base64URL.encode(signature.rawRepresentation)
    } catch {
      throw CredentialError(.malformed, "does not sign", remedy: "make a new key")
    }
  }

  private static func signingInput(_ header: String, _ claims: String) -> String {
    Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
  }
}
