import Cryptography
import Foundation
import TestKit
import Testing

/// Keys on P-256 and of RSA: published examples, and keys that the openssl program makes and reads.
@Suite struct KeyTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("keys") }

  private func openssl(_ arguments: String...) async throws -> (status: Int32, output: String) {
    let outcome = try await Programs.run("openssl", arguments)
    return (outcome.status, outcome.output)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }

  private func code(_ body: () throws -> Void) -> CryptographyError.Code? {
    #expect(throws: CryptographyError.self, performing: body)?.code
  }

  /// RFC 6979, appendix A.2.5.
  @Test func p256Signatures() throws {
    let key = try P256.PrivateKey(
      rawRepresentation: bytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
    let point = bytes(
      "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
        + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    #expect(key.publicKey.x963Representation == point)
    let known = bytes(
      "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
        + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
    let publicKey = try P256.PublicKey(x963Representation: point)
    #expect(publicKey == key.publicKey)
    let message = Array("sample".utf8)
    for signature in [known, try key.signature(for: message)] {
      #expect(signature.count == 64)
      #expect(publicKey.isValidSignature(signature, for: message))
      #expect(!publicKey.isValidSignature(signature, for: message + [0]))
      #expect(!P256.PrivateKey().publicKey.isValidSignature(signature, for: message))
      #expect(!publicKey.isValidSignature(signature.dropLast(), for: message))
      #expect(!publicKey.isValidSignature([UInt8](repeating: 0, count: 64), for: message))
      #expect(!publicKey.isValidSignature([UInt8](repeating: 0xFF, count: 64), for: message))
    }
  }

  /// RFC 5903, section 8.1.
  @Test func p256Agreement() throws {
    let key = try P256.PrivateKey(
      rawRepresentation: bytes("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"))
    let peer = try P256.PublicKey(
      x963Representation: bytes(
        "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
          + "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab"))
    #expect(
      try key.sharedSecret(with: peer).bytes
        == bytes("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"))
  }

  @Test func scalarsAndPointsAreChecked() throws {
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325"
    for (scalar, isValid) in [
      (String(repeating: "0", count: 64), false), (order + "51", false), (order + "50", true),
      (String(repeating: "f", count: 64), false), (order, false), ("", false),
    ] {
      #expect(((try? P256.PrivateKey(rawRepresentation: bytes(scalar))) != nil) == isValid, "\(scalar)")
    }
    let point = P256.PrivateKey().publicKey.x963Representation
    for length in [0, 1, 33, 64] {
      #expect(throws: CryptographyError.self) {
        try P256.PublicKey(x963Representation: Array(point.prefix(length)))
      }
    }
    #expect(throws: CryptographyError.self) { try P256.PublicKey(x963Representation: point + [0]) }
    // Beside the curve, and in the hybrid form.
    for (place, bits) in [(64, UInt8(1)), (0, 2)] {
      var other = point
      other[place] ^= bits
      #expect(throws: CryptographyError.self) { try P256.PublicKey(x963Representation: other) }
    }
  }

  @Test func keysAreReadAsTheyAreWritten() throws {
    let key = P256.PrivateKey()
    #expect(try P256.PrivateKey(pem: key.pem).rawRepresentation == key.rawRepresentation)
    #expect(try P256.PrivateKey(pem: "x\n\(key.pem)\nx").publicKey == key.publicKey)
    #expect(
      key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && key.pem.hasSuffix("-----END PRIVATE KEY-----"))
    let rsa = RSA.PrivateKey()
    let message = Array("message".utf8)
    #expect(try RSA.PrivateKey(pem: rsa.pem).signature(for: message) == rsa.signature(for: message))
    #expect(code { _ = try RSA.PrivateKey(pem: key.pem) } == .wrongKind)
    #expect(code { _ = try P256.PrivateKey(pem: rsa.pem) } == .wrongKind)
    for text in ["", "x", String(key.pem.dropLast(40))] {
      #expect(code { _ = try P256.PrivateKey(pem: text) } == .malformed)
    }
  }

  /// The public half in a file is not needed and not believed.
  @Test func thePublicHalfIsComputed() throws {
    let key = P256.PrivateKey()
    let other = P256.PrivateKey()
    // RFC 5915: version, scalar, curve, and with a tag of its own the point.
    let begin = bytes("020101") + [0x04, 32] + key.rawRepresentation + bytes("a00a06082a8648ce3d030107")
    let point = bytes("a144034200") + other.publicKey.x963Representation
    for content in [begin, begin + point] {
      let der = [0x30, UInt8(content.count)] + content
      #expect(try P256.PrivateKey(der: der).publicKey == key.publicKey)
      #expect(code { _ = try P256.PrivateKey(der: der + [0]) } == .malformed)
      for length in 0..<der.count {
        #expect(throws: CryptographyError.self) { try P256.PrivateKey(der: Array(der.prefix(length))) }
      }
    }
  }

  @Test(.enabled(if: Programs.has("openssl"), "openssl is not installed"))
  func opensslReadsWhatIsSigned() async throws {
    let message = Array("message".utf8)
    try folder.write("message", "message")
    let rsa = RSA.PrivateKey()
    try folder.write("rsa.pem", rsa.pem)
    try folder.write("signature", rsa.signature(for: message))
    _ = try await openssl("pkey", "-in", folder.file("rsa.pem"), "-pubout", "-out", folder.file("rsa.pub"))
    let verified = try await openssl(
      "dgst", "-sha256", "-verify", folder.file("rsa.pub"), "-signature", folder.file("signature"),
      folder.file("message"))
    #expect(verified.status == 0)
    _ = try await openssl(
      "dgst", "-sha256", "-sign", folder.file("rsa.pem"), "-out", folder.file("theirs"),
      folder.file("message"))
    let theirs = Array(try folder.bytes("theirs"))
    #expect(rsa.publicKey.isValidSignature(theirs, for: message))
    #expect(!rsa.publicKey.isValidSignature(theirs, for: message + [0]))
    #expect(!rsa.publicKey.isValidSignature(theirs.dropLast(), for: message))
    #expect(!RSA.PrivateKey().publicKey.isValidSignature(theirs, for: message))
  }

  /// Each in PEM and in DER, where a passphrase must not be asked for.
  @Test(.enabled(if: Programs.has("openssl"), "openssl is not installed"))
  func otherKeysAreRefused() async throws {
    try folder.write("p256.pem", P256.PrivateKey().pem)
    for (name, arguments) in [
      ("p384", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]),
      ("ed25519", ["-algorithm", "ED25519"]),
      ("short", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]),
      ("pss", ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ] {
      let outcome = try await Programs.run(
        "openssl", ["genpkey", "-out", folder.file("\(name).pem")] + arguments)
      #expect(outcome.status == 0, "\(outcome.error)")
      let pem = try text("\(name).pem")
      #expect(code { _ = try P256.PrivateKey(pem: pem) } == .wrongKind, "\(name)")
      #expect(code { _ = try RSA.PrivateKey(pem: pem) } == .wrongKind, "\(name)")
    }
    let locked = folder.file("locked")
    _ = try await openssl(
      "pkcs8", "-topk8", "-in", folder.file("p256.pem"), "-passout", "pass:x", "-out", "\(locked).pem")
    _ = try await openssl(
      "pkcs8", "-topk8", "-in", folder.file("p256.pem"), "-passout", "pass:x", "-outform", "DER", "-out",
      locked)
    let der = Array(try folder.bytes("locked"))
    #expect(der.count > 100)
    #expect(code { _ = try P256.PrivateKey(pem: text("locked.pem")) } == .malformed)
    #expect(code { _ = try P256.PrivateKey(der: der) } == .malformed)
  }
}
