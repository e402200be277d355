import Measurement
import Providers
import Testing

@Suite struct VAPIDSignerTests {
  @Test func theHeaderHasTokenAndKey() throws {
    let signer = try VAPIDSigner(keyPEM: Array(TestKeys.p256.utf8), subject: "mailto:ops@example.com")
    let value = try signer.authorization(for: "https://push.example.net", issuedAt: Probes.plannedAt)
    #expect(value.hasPrefix("vapid t=") && value.hasSuffix(",k=\(signer.publicKey)"))
    #expect(Base64URL.decode(signer.publicKey)?.count == 65)
    #expect(HeaderField("authorization", value).isSendable)
  }

  /// RFC 8292, section 2.4: header and claims, byte for byte. (A signature is another one each time.)
  @Test func theTokenIsMadeAsInTheRFC() throws {
    let signer = try VAPIDSigner(keyPEM: Array(TestKeys.p256.utf8), subject: "mailto:push@example.com")
    let end = WallTime(microseconds: 1_453_523_768_000_000)
    let value = try signer.authorization(
      for: "https://push.example.net",
      issuedAt: end.advanced(byMicroseconds: -VAPIDSigner.tokenLifetime.microseconds))
    let signed =
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6"
      + "Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0."
    #expect(value.hasPrefix("vapid t=\(signed)"))
  }

  /// The key of RFC 8291's example, as JavaScript libraries print it.
  @Test func aBareKeyIsTakenToo() throws {
    let signer = try VAPIDSigner(
      keyPEM: Array("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw".utf8),
      subject: "https://example.com/contact")
    #expect(
      signer.publicKey
        == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
  }

  @Test(arguments: [
    "", "ops@example.com", "mailto:", "mailto:@", "mailto:a b@c", "mailto:<a@b>", "https://",
    "http://a.example",
    "mailto:a@b@c", "https://a\"b",
  ]) func subjectsAreContacts(subject: String) {
    #expect(throws: CredentialError.self) {
      try VAPIDSigner(keyPEM: Array(TestKeys.p256.utf8), subject: subject)
    }
  }

  @Test func otherKeysAreRefused() {
    for key in [TestKeys.p384, TestKeys.rsa, "AAAA", String(repeating: "A", count: 43)] {
      #expect(throws: CredentialError.self) {
        try VAPIDSigner(keyPEM: Array(key.utf8), subject: "mailto:a@b")
      }
    }
  }
}
