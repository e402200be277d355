import Crypto

/// Reads a P-256 private key for signing, and says what another file is instead.
enum P256Key {
  private enum Identifier {
    static let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    static let p384: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    static let p521: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
    static let secp256k1: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A]
    static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]
  }

  private static let others: [(identifier: [UInt8], name: String)] = [
    (Identifier.rsa, "an RSA key"), (Identifier.p384, "a key on the curve P-384"),
    (Identifier.p521, "a key on the curve P-521"), (Identifier.secp256k1, "a key on the curve secp256k1"),
    (Identifier.ed25519, "an Ed25519 key"),
  ]

  /// - Parameter remedy: where a right file comes from.
  static func read(
    _ text: [UInt8], remedy: String
  ) throws(CredentialError) -> P256.Signing.PrivateKey {
    let pem = try PEMText(text, remedy: remedy)
    switch pem.label {
    case "PRIVATE KEY", "EC PRIVATE KEY": break
    case "EC PARAMETERS":
      // openssl ecparam -genkey writes these before the key itself.
      let dashes = Array("-----END EC PARAMETERS-----".utf8)
      guard let end = text.lastStart(of: dashes) else { break }
      return try read(Array(text[(end + dashes.count)...]), remedy: remedy)
    case "ENCRYPTED PRIVATE KEY":
      throw CredentialError(
        .wrongKey, "is encrypted with a passphrase", remedy: "take it off: openssl pkey -in FILE -out FILE2")
    case "PUBLIC KEY":
      throw CredentialError(.wrongKey, "is a public key where the private one is needed", remedy: remedy)
    case "CERTIFICATE":
      throw CredentialError(.wrongKey, "is a certificate where a private key is needed", remedy: remedy)
    case "RSA PRIVATE KEY":
      throw CredentialError(.wrongKey, "is an RSA key where one on the curve P-256 is needed", remedy: remedy)
    default:
      throw CredentialError(.wrongKey, "holds something else than a private key", remedy: remedy)
    }
    if let other = others.first(where: { pem.contains($0.identifier) }), !pem.contains(Identifier.p256) {
      throw CredentialError(
        .wrongKey, "is \(other.name) where one on the curve P-256 is needed", remedy: remedy)
    }
    do {
      return try P256.Signing.PrivateKey(derRepresentation: pem.der)
    } catch {
      throw CredentialError(.malformed, "holds no private key on the curve P-256", remedy: remedy)
    }
  }
}

extension [UInt8] {
  fileprivate func lastStart(of part: [UInt8]) -> Int? {
    guard part.count <= count else { return nil }
    return (0...(count - part.count)).last { self[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
