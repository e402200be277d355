import Cryptography
import Measurement

/// Reads a P-256 private key, and identifies other files for the error message.
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

  /// - Parameter remedy: how to obtain a valid file.
  static func read(
    _ text: [UInt8], remedy: String
  ) throws(CredentialError) -> P256.PrivateKey {
    let text = String(validating: text, as: UTF8.self).map { Array(KeyText.pem($0).utf8) } ?? text
    let pem = try PEMText(text, remedy: remedy)
    switch pem.label {
    case "PRIVATE KEY", "EC PRIVATE KEY": break
    case "EC PARAMETERS":
      // openssl ecparam -genkey writes these before the key.
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
      throw CredentialError(.wrongKey, "does not contain a private key", remedy: remedy)
    }
    if let other = others.first(where: { pem.contains($0.identifier) }), !pem.contains(Identifier.p256) {
      throw CredentialError(
        .wrongKey, "is \(other.name) where one on the curve P-256 is needed", remedy: remedy)
    }
    do {
      return try P256.PrivateKey(der: pem.der)
    } catch {
      throw CredentialError(.malformed, "contains no private key on the curve P-256", remedy: remedy)
    }
  }
}

extension [UInt8] {
  fileprivate func lastStart(of part: [UInt8]) -> Int? {
    guard part.count <= count else { return nil }
    return (0...(count - part.count)).last { self[$0..<($0 + part.count)].elementsEqual(part) }
  }
}

/// The first PEM block of a text (RFC 7468).
struct PEMText {
  /// Label, like `PRIVATE KEY`.
  let label: String
  /// The decoded content.
  let der: [UInt8]

  private static let begin = "-----BEGIN "
  private static let dashes = "-----"

  /// - Parameter remedy: how to obtain a valid file.
  init(_ text: [UInt8], remedy: String) throws(CredentialError) {
    guard let written = String(validating: text, as: UTF8.self) else {
      throw CredentialError(.malformed, "\(KeyText.problem(ofText: text)), so it is not PEM", remedy: remedy)
    }
    let lines = KeyText.pem(written).split(whereSeparator: \.isNewline).map { $0.trimmed }
    guard let first = lines.firstIndex(where: { $0.hasPrefix(Self.begin) }) else {
      throw CredentialError(.malformed, "has no -----BEGIN line, so it is not PEM", remedy: remedy)
    }
    let tail = lines[first].dropFirst(Self.begin.count)
    guard tail.hasSuffix(Self.dashes) else {
      throw CredentialError(.truncated, "ends within its -----BEGIN line", remedy: remedy)
    }
    let label = String(tail.dropLast(Self.dashes.count))
    self.label = label
    let rest = lines[(first + 1)...]
    guard let end = rest.firstIndex(where: { $0 == "-----END \(label)-----" }) else {
      throw CredentialError(
        .truncated, "ends before its -----END line: a part of it is missing", remedy: remedy)
    }
    // Headers like Proc-Type mark encrypted files of old OpenSSL versions.
    guard !rest[..<end].contains(where: { $0.contains(":") }) else {
      throw CredentialError(
        .wrongKey, "is encrypted with a passphrase", remedy: "take it off: openssl pkey -in FILE -out FILE2")
    }
    guard let der = Base64Text.decode(rest[..<end].joined()), !der.isEmpty else {
      throw CredentialError(
        .malformed, "has characters between its PEM lines that are not base64", remedy: remedy)
    }
    self.der = der
    guard let length = Self.outerLength(of: der), length <= der.count else {
      throw CredentialError(.truncated, "is shorter than it says: a part of it is missing", remedy: remedy)
    }
  }

  /// Length of the outer DER value, header included (X.690, section 8.1.3).
  private static func outerLength(of der: [UInt8]) -> Int? {
    guard der.count >= 2 else { return nil }
    let first = Int(der[1])
    guard first >= 0x80 else { return 2 + first }
    let digits = first & 0x7F
    guard (1...3).contains(digits), der.count >= 2 + digits else { return nil }
    return der[2..<(2 + digits)].reduce(0) { $0 << 8 | Int($1) } + 2 + digits
  }

  /// Whether the content includes an object identifier's encoding.
  func contains(_ identifier: [UInt8]) -> Bool {
    guard identifier.count <= der.count else { return false }
    return (0...(der.count - identifier.count)).contains {
      der[$0..<($0 + identifier.count)].elementsEqual(identifier)
    }
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

/// Signs JSON Web Tokens in the compact form (RFC 7515, section 7.1; RFC 7518).
enum WebToken {
  /// ES256: ECDSA on P-256 with SHA-256, the signature as R and S in 32 bytes each (RFC 7518, section 3.4).
  static func es256(
    header: String, claims: String, key: P256.PrivateKey
  ) throws(CredentialError) -> String {
    try signed(header, claims, key.signature)
  }

  /// RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
  static func rs256(
    header: String, claims: String, key: RSA.PrivateKey
  ) throws(CredentialError) -> String {
    try signed(header, claims, key.signature)
  }

  private static func signed(
    _ header: String, _ claims: String, _ signature: ([UInt8]) throws(CryptographyError) -> [UInt8]
  ) throws(CredentialError) -> String {
    let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    do {
      return input + "." + Base64URL.encode(try signature(Array(input.utf8)))
    } catch {
      throw CredentialError(.malformed, "cannot sign", remedy: "make a new key")
    }
  }
}

/// Why the content of a credential cannot be used. It contains neither the file's name, which the caller adds, nor any
/// content.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the credential.
  public enum Code: Sendable, Hashable {
    /// The key is not valid PEM, JSON or text.
    case malformed
    /// Incomplete PEM or JSON.
    case truncated
    /// A key of another type or curve.
    case wrongKey
    /// A required field is missing.
    case incomplete
    /// A field has a value that no provider accepts.
    case invalid
    /// No longer valid.
    case expired
  }

  public let code: Code
  /// What is wrong: a predicate whose subject is the credential.
  public let message: String
  public let remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }
}
