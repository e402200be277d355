import Cryptography
import Testing

@Suite struct CertificateTests {
  private let authorityKey = P256.PrivateKey()
  private let leafKey = P256.PrivateKey()
  private let validity: ClosedRange<Int64> = 1_700_000_000...1_800_000_000

  private func authority() throws -> Certificate {
    try Certificate(
      .init(.authority, subject: [(.commonName, "authority")], validity: validity), selfSignedBy: authorityKey
    )
  }

  private func client(_ issuer: Certificate, subject: [(Certificate.NameAttribute, String)]) throws
    -> Certificate
  {
    try Certificate(
      .init(.client, subject: subject, validity: validity), key: leafKey.publicKey, issuer: issuer,
      issuerKey: authorityKey)
  }

  @Test func saysWhatItWasMadeWith() throws {
    let authority = try authority()
    let made = try client(
      authority, subject: [(.userID, "com.example.app"), (.commonName, "Grüße, \u{1F514}")])
    let read = try Certificate(pem: "Bag Attributes\n\(made.pem)\n\(authority.pem)\n")
    #expect(read.pem == made.pem)
    #expect(read.subject(.userID) == "com.example.app")
    #expect(read.subject(.commonName) == "Grüße, \u{1F514}")
    #expect(read.subject(.organizationalUnit) == nil)
    #expect(read.begins == validity.lowerBound && read.ends == validity.upperBound)
    #expect(read.isForClients && authority.isForClients)
    #expect(read.hasExtension("2.5.29.37") && !authority.hasExtension("2.5.29.37"))
    #expect(!read.hasExtension("1.2.840.113635.100.6.3.1") && !read.hasExtension("rubbish"))
    #expect(try read.hasPrivateKey(pem: leafKey.pem))
    #expect(try !read.hasPrivateKey(pem: authorityKey.pem))
    #expect(throws: CryptographyError.self) { try read.hasPrivateKey(pem: made.pem) }
  }

  @Test func serversAreNotClients() throws {
    let server = try Certificate(
      .init(
        .server(names: ["localhost"], addresses: ["127.0.0.1", "::1"]), subject: [(.commonName, "s")],
        validity: validity), key: leafKey.publicKey, issuer: authority(), issuerKey: authorityKey)
    #expect(!server.isForClients)
    #expect(server.hasExtension("2.5.29.17"))
    // No name, no address.
    #expect(throws: CryptographyError.self) {
      try Certificate(
        .init(.server(names: [], addresses: ["x"]), subject: [], validity: validity), key: leafKey.publicKey,
        issuer: authority(), issuerKey: authorityKey)
    }
  }

  @Test func signaturesAreChecked() throws {
    let authority = try authority()
    let leaf = try client(authority, subject: [(.commonName, "a")])
    let namesake = try Certificate(
      .init(.authority, subject: [(.commonName, "authority")], validity: validity), selfSignedBy: leafKey)
    #expect(leaf.isSigned(by: authority) && authority.isSigned(by: authority))
    #expect(!leaf.isSigned(by: namesake))
    #expect(
      try client(authority, subject: []).pem != client(authority, subject: []).pem, "serial numbers differ")
  }

  /// RFC 5280, section 4.1.2.5: two digits of a year until 2049, four from then on.
  @Test(arguments: [0...1, -3_000_000_000...1, 2_524_607_999...2_524_608_000, 0...253_402_300_799])
  func timesOfAnyCentury(validity: ClosedRange<Int64>) throws {
    let made = try Certificate(
      .init(.authority, subject: [(.commonName, "a")], validity: validity), selfSignedBy: authorityKey)
    let read = try Certificate(pem: made.pem)
    #expect(read.begins == validity.lowerBound && read.ends == validity.upperBound)
  }

  @Test func rubbishIsRefused() throws {
    let pem = try authority().pem
    for length in stride(from: 0, to: pem.count, by: 7) {
      #expect(throws: CryptographyError.self) { try Certificate(pem: String(pem.prefix(length))) }
    }
    #expect(throws: CryptographyError.self) { try Certificate(pem: leafKey.pem) }
    #expect(throws: CryptographyError.self) {
      try Certificate(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    }
  }
}
