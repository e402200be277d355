import Measurement
import Providers
import TestKit
import Testing

@Suite struct SigningKeyTests {
  private func refusal(_ text: String) -> CredentialError? {
    do throws(CredentialError) {
      _ = try APNsTokenSigner(keyPEM: Array(text.utf8), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    TestKeys.p256, TestKeys.sec1, TestKeys.sec1WithParameters, "\u{FEFF}\n" + TestKeys.p256,
    "Bag Attributes\n    friendlyName: x\n" + TestKeys.p256 + "\n\n",
    TestKeys.p256.replacing("\n", with: "\r\n"),
    // As environment variables and their files have them.
    "\u{FEFF}" + TestKeys.p256, TestKeys.p256.replacing("\n", with: "\\n"),
    "\"" + TestKeys.sec1WithParameters.replacing("\n", with: "\\r\\n") + "\"",
    TestKeys.sec1WithParameters.replacing("\n", with: " "),
  ]) func rightKeysAreRead(text: String) { #expect(refusal(text) == nil) }

  @Test(arguments: [
    (TestKeys.p384, CredentialError.Code.wrongKey, "a key on the curve P-384"),
    (TestKeys.secp256k1, .wrongKey, "secp256k1"), (TestKeys.ed25519, .wrongKey, "an Ed25519 key"),
    (TestKeys.rsa, .wrongKey, "an RSA key"), (TestKeys.rsaTraditional, .wrongKey, "an RSA key"),
    (TestKeys.encrypted, .wrongKey, "encrypted with a passphrase"),
    (TestKeys.encryptedTraditional, .wrongKey, "encrypted with a passphrase"),
    (TestKeys.publicKey, .wrongKey, "a public key"),
    ("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----", .wrongKey, "a certificate"),
    ("-----BEGIN X-----\nMAA=\n-----END X-----", .wrongKey, "does not contain a private key"),
    ("", .malformed, "no -----BEGIN line"), ("{}", .malformed, "no -----BEGIN line"),
    ("-----BEGIN PRIV", .truncated, "within its -----BEGIN line"),
    ("-----BEGIN PRIVATE KEY-----\nMIG!\n-----END PRIVATE KEY-----", .malformed, "not base64"),
    ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .malformed, "not base64"),
    ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----", .malformed, "no private key"),
  ]) func othersAreCalledByName(text: String, code: CredentialError.Code, words: String) throws {
    let error = try #require(refusal(text))
    #expect(error.code == code)
    #expect(error.message.contains(words), "\(error.message)")
    #expect(!error.remedy.isEmpty)
  }

  /// Wherever a file was cut, what is said is that a part is missing, and nothing of the key is quoted.
  @Test func aKeyCutAnywhereIsRefused() throws {
    let lines = TestKeys.p256.split(separator: "\n").map(String.init)
    for length in 1..<TestKeys.p256.count {
      let cut = String(TestKeys.p256.prefix(length))
      let error = try #require(refusal(cut))
      #expect([.truncated, .malformed].contains(error.code))
      for line in lines[1...2] { #expect(!error.description.contains(line.prefix(12))) }
    }
    // A line lost in the middle.
    let holed = [lines[0], lines[1], lines[lines.count - 1]].joined(separator: "\n")
    let error = try #require(refusal(holed))
    #expect(error.code == .truncated)
    #expect(error.message.contains("a part of it is missing"))
  }

  @Test func whatIsNoTextIsNoPEM() throws {
    do throws(CredentialError) {
      _ = try APNsTokenSigner(keyPEM: [0xFF, 0xFE, 0x30], keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .malformed)
    }
  }

  @Test(arguments: ["", "ABC123DEF", "ABC123DEFGH", "ABC123DEF\"", "ABC123 EFG"])
  func identifiersAreTenLettersAndDigits(text: String) {
    #expect(throws: CredentialError.self) {
      try APNsTokenSigner(keyPEM: Array(TestKeys.p256.utf8), keyID: text, teamID: "DEF123GHIJ")
    }
    #expect(throws: CredentialError.self) {
      try APNsTokenSigner(keyPEM: Array(TestKeys.p256.utf8), keyID: "ABC123DEFG", teamID: text)
    }
  }

  /// Whatever a file holds, it is refused or read, and reading it ends.
  @Test func randomFilesDoNoHarm() {
    var random = SeededGenerator(seed: 11)
    for round in 0..<400 {
      var bytes = Array(TestKeys.p256.utf8)
      for _ in 0..<(1 + round % 7) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try? APNsTokenSigner(keyPEM: bytes, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }
  }
}
