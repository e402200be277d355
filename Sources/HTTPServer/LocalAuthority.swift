import Cryptography
import Foundation
import Measurement

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
      let authority = certificate(files.authorityFile), let server = certificate(files.certificateFile)
    else { return false }
    let needed = unixSeconds(now) + margin.components.seconds
    return server.isSigned(by: authority) && min(authority.ends, server.ends) > needed
  }

  private static func certificate(_ file: String) -> Certificate? {
    (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { try? Certificate(pem: $0) }
  }

  private static func make(_ files: LocalCredentials, in directory: String, now: WallTime) throws {
    let authorityKey = P256.PrivateKey()
    let serverKey = P256.PrivateKey()
    let clientKey = P256.PrivateKey()
    // From an hour ago, for peers with a slow clock.
    let validity = unixSeconds(now) - 3600...unixSeconds(now) + Self.validity.components.seconds
    do {
      let authority = try Certificate(authorityContent(validity), selfSignedBy: authorityKey)
      let server = try Certificate(
        serverContent(validity), key: serverKey.publicKey, issuer: authority, issuerKey: authorityKey)
      let client = try Certificate(
        clientContent(validity), key: clientKey.publicKey, issuer: authority, issuerKey: authorityKey)
      try PrivateFile.makeDirectory(directory)
      try PrivateFile.write(authority.pem + "\n", to: files.authorityFile, mode: 0o644)
      try PrivateFile.write(server.pem + "\n", to: files.certificateFile, mode: 0o644)
      try PrivateFile.write(serverKey.pem + "\n", to: files.keyFile, mode: 0o600)
      try PrivateFile.write(client.pem + "\n", to: files.clientCertificateFile, mode: 0o644)
      try PrivateFile.write(clientKey.pem + "\n", to: files.clientKeyFile, mode: 0o600)
    } catch let error as HTTPServerError {
      throw error
    } catch {
      throw HTTPServerError(
        .identity, place: directory, message: "a certificate cannot be created (\(error))",
        remedy: "check the system's clock")
    }
  }

  private static func authorityContent(_ validity: ClosedRange<Int64>) -> Certificate.Content {
    Certificate.Content(
      .authority,
      // The unit makes the name unique, since clients find issuers by name.
      subject: [
        (.commonName, "pushscope local authority"), (.organizationalUnit, HexText.random(bytes: 16)),
      ], validity: validity)
  }

  private static func serverContent(_ validity: ClosedRange<Int64>) -> Certificate.Content {
    Certificate.Content(
      .server(names: ["localhost"], addresses: ["127.0.0.1", "::1"]),
      subject: [(.commonName, "localhost")], validity: validity)
  }

  /// The client certificate's content, which, like Apple's push certificates, has the topic as UID of the subject.
  private static func clientContent(_ validity: ClosedRange<Int64>) -> Certificate.Content {
    let topic = LocalCredentials.clientTopic
    return Certificate.Content(
      .client, subject: [(.userID, topic), (.commonName, "pushscope client: \(topic)")],
      validity: validity)
  }

  private static func unixSeconds(_ time: WallTime) -> Int64 { time.microseconds / 1_000_000 }
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
