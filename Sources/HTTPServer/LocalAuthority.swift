import Crypto
import Foundation
import Measurement
import NIOSSL
import SwiftASN1
import X509

/// Creates credentials for a server on this host: a certificate authority that signs a server and a client certificate,
/// after which its private key is discarded. Trust in the authority is therefore trust in that server only.
public enum LocalAuthority {
  /// Validity of the certificates.
  static let validity = Duration.seconds(365 * 86_400)
  /// Minimum remaining validity for reuse.
  static let margin = Duration.seconds(7 * 86_400)

  /// The credentials in `directory`. Existing ones are reused if they match and remain valid for a week, so that
  /// clients can trust them across restarts; otherwise new ones are created, with the directory if it is missing.
  ///
  /// - Throws: ``HTTPServerError`` when a file cannot be written.
  public static func credentials(in directory: String, now: WallTime) throws -> LocalCredentials {
    let files = LocalCredentials(directory: directory)
    if !isUsable(files, now: now) { try make(files, in: directory, now: now) }
    if !FileManager.default.fileExists(atPath: files.secretFile) {
      try PrivateFile.write(
        HexText.random(bytes: 32) + "\n", to: files.secretFile, mode: 0o600)
    }
    return files
  }

  private static func isUsable(_ files: LocalCredentials, now: WallTime) -> Bool {
    guard
      (try? ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile)) != nil,
      (try? ServerIdentity(certificateFile: files.clientCertificateFile, keyFile: files.clientKeyFile))
        != nil,
      let authority = try? NIOSSLCertificate.fromPEMFile(files.authorityFile).first,
      let server = try? NIOSSLCertificate.fromPEMFile(files.certificateFile).first
    else { return false }
    let needed = Date(now).addingTimeInterval(Double(margin.components.seconds))
    guard let issuer = try? X509.Certificate(derEncoded: authority.toDERBytes()),
      let leaf = try? X509.Certificate(derEncoded: server.toDERBytes())
    else { return false }
    return issuer.publicKey.isValidSignature(leaf.signature, for: leaf)
      && min(issuer.notValidAfter, leaf.notValidAfter) > needed
  }

  private static func make(_ files: LocalCredentials, in directory: String, now: WallTime) throws {
    let authorityKey = P256.Signing.PrivateKey()
    let serverKey = P256.Signing.PrivateKey()
    let clientKey = P256.Signing.PrivateKey()
    let authority: X509.Certificate
    let server: X509.Certificate
    let client: X509.Certificate
    do {
      authority = try authorityCertificate(key: authorityKey, now: now)
      server = try serverCertificate(
        key: serverKey, authority: authority, authorityKey: authorityKey, now: now)
      client = try clientCertificate(
        key: clientKey, authority: authority, authorityKey: authorityKey, now: now)
      try PrivateFile.makeDirectory(directory)
      try PrivateFile.write(authority.serializeAsPEM().pemString + "\n", to: files.authorityFile, mode: 0o644)
      try PrivateFile.write(server.serializeAsPEM().pemString + "\n", to: files.certificateFile, mode: 0o644)
      try PrivateFile.write(serverKey.pemRepresentation + "\n", to: files.keyFile, mode: 0o600)
      try PrivateFile.write(
        client.serializeAsPEM().pemString + "\n", to: files.clientCertificateFile, mode: 0o644)
      try PrivateFile.write(clientKey.pemRepresentation + "\n", to: files.clientKeyFile, mode: 0o600)
    } catch let error as HTTPServerError {
      throw error
    } catch {
      throw HTTPServerError(
        .identity, place: directory, message: "a certificate cannot be created (\(error))",
        remedy: "check the system's clock")
    }
  }

  private static func authorityCertificate(
    key: P256.Signing.PrivateKey, now: WallTime
  ) throws -> X509.Certificate {
    let signer = X509.Certificate.PrivateKey(key)
    let name = try DistinguishedName {
      CommonName("pushscope local authority")
      // Makes the name unique, since clients find issuers by name.
      OrganizationalUnitName(HexText.random(bytes: 16))
    }
    return try X509.Certificate(
      version: .v3, serialNumber: .init(), publicKey: signer.publicKey, notValidBefore: start(now),
      notValidAfter: end(now), issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try X509.Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
        SubjectKeyIdentifier(hash: signer.publicKey)
      },
      issuerPrivateKey: signer)
  }

  private static func serverCertificate(
    key: P256.Signing.PrivateKey, authority: X509.Certificate, authorityKey: P256.Signing.PrivateKey,
    now: WallTime
  ) throws -> X509.Certificate {
    let publicKey = X509.Certificate.PrivateKey(key).publicKey
    return try X509.Certificate(
      version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: start(now),
      notValidAfter: end(now), issuer: authority.subject,
      subject: try DistinguishedName { CommonName("localhost") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try X509.Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames([
          .dnsName("localhost"),
          .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
          .ipAddress(ASN1OctetString(contentBytes: ArraySlice(repeatElement(0, count: 15)) + [1])),
        ])
        AuthorityKeyIdentifier(
          keyIdentifier: try authority.extensions.subjectKeyIdentifier?.keyIdentifier)
      },
      issuerPrivateKey: X509.Certificate.PrivateKey(authorityKey))
  }

  /// Like Apple's push certificates, with the topic as UID of the subject.
  private static func clientCertificate(
    key: P256.Signing.PrivateKey, authority: X509.Certificate, authorityKey: P256.Signing.PrivateKey,
    now: WallTime
  ) throws -> X509.Certificate {
    let publicKey = X509.Certificate.PrivateKey(key).publicKey
    let topic = LocalCredentials.clientTopic
    let subject = try DistinguishedName([
      RelativeDistinguishedName.Attribute(type: [0, 9, 2342, 19_200_300, 100, 1, 1], utf8String: topic),
      RelativeDistinguishedName.Attribute(
        type: .RDNAttributeType.commonName, utf8String: "pushscope client: \(topic)"),
    ])
    return try X509.Certificate(
      version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: start(now),
      notValidAfter: end(now), issuer: authority.subject, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try X509.Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.clientAuth])
        AuthorityKeyIdentifier(
          keyIdentifier: try authority.extensions.subjectKeyIdentifier?.keyIdentifier)
      },
      issuerPrivateKey: X509.Certificate.PrivateKey(authorityKey))
  }

  /// An hour ago, for peers with a slow clock.
  private static func start(_ now: WallTime) -> Date { Date(now).addingTimeInterval(-3600) }

  private static func end(_ now: WallTime) -> Date {
    Date(now).addingTimeInterval(Double(validity.components.seconds))
  }
}

extension Date {
  fileprivate init(_ time: WallTime) {
    self.init(timeIntervalSince1970: Double(time.microseconds / 1_000_000))
  }
}

/// Files of a local certificate authority, the certificates it signed, and a receipt secret.
public struct LocalCredentials: Sendable, Equatable {
  /// Authority for clients (`ca_file`).
  public var authorityFile: String
  public var certificateFile: String
  /// Mode 0600.
  public var keyFile: String
  /// Key of the receipts' MAC, 32 random bytes in hexadecimal. Mode 0600.
  public var secretFile: String

  /// Client certificate of the same authority.
  public var clientCertificateFile: String
  /// 0600.
  public var clientKeyFile: String

  /// Topic of the client certificate: `UID` of its subject.
  public static let clientTopic = "com.example.app"

  init(directory: String) {
    authorityFile = "\(directory)/ca.pem"
    certificateFile = "\(directory)/server.pem"
    keyFile = "\(directory)/server.key"
    clientCertificateFile = "\(directory)/client.pem"
    clientKeyFile = "\(directory)/client.key"
    secretFile = "\(directory)/receipts.secret"
  }
}
