import Cryptography
import Measurement
import Providers

/// The properties of a TLS client certificate that decide whether a push service accepts it.
struct CertificateProperties: Sendable {
  /// The subject's common name.
  let commonName: String
  /// The app's bundle ID: Apple writes it as the subject's user ID.
  let bundleID: String?
  let begins: WallTime
  let ends: WallTime
  /// Apple's extensions for sandbox and production; both `false` for certificates of others.
  let isForSandbox: Bool
  let isForProduction: Bool
  private let certificate: Certificate

  private static let sandbox = "1.2.840.113635.100.6.3.1"
  private static let production = "1.2.840.113635.100.6.3.2"
  private static let remedy =
    "export the push certificate with its key as .p12 and split it: "
    + "openssl pkcs12 -in push.p12 -clcerts -nokeys -out push.pem"

  /// - Parameter pem: a PEM file; its first certificate counts.
  init(pem: [UInt8]) throws(CredentialError) {
    let text = try Self.block(of: pem, remedy: Self.remedy) { $0 == "CERTIFICATE" }
    do {
      certificate = try Certificate(pem: text)
    } catch {
      throw CredentialError(.malformed, "holds no X.509 certificate that can be read", remedy: Self.remedy)
    }
    guard certificate.isForClients else {
      throw CredentialError(
        .invalid, "is no client certificate: it may be used for other purposes only", remedy: Self.remedy)
    }
    commonName = certificate.subject(.commonName) ?? "(no common name)"
    bundleID = certificate.subject(.userID)
    begins = WallTime(seconds: certificate.begins)
    ends = WallTime(seconds: certificate.ends)
    isForSandbox = certificate.hasExtension(Self.sandbox)
    isForProduction = certificate.hasExtension(Self.production)
  }

  /// Checks that a private key belongs to this certificate.
  /// - Parameter pem: a PEM file; its first private key counts.
  func check(keyPEM pem: [UInt8]) throws(CredentialError) {
    let remedy = "take the certificate's own key: openssl pkcs12 -in push.p12 -nocerts -nodes -out push.key"
    let text = try Self.block(of: pem, remedy: remedy) { $0.hasSuffix("PRIVATE KEY") }
    guard !text.contains("ENCRYPTED") else {
      throw CredentialError(
        .wrongKey, "is encrypted with a passphrase", remedy: "take it off: openssl pkey -in FILE -out FILE2")
    }
    let isItsKey: Bool
    do {
      isItsKey = try certificate.hasPrivateKey(pem: text)
    } catch {
      throw CredentialError(.malformed, "holds no private key that can be read", remedy: remedy)
    }
    guard isItsKey else {
      throw CredentialError(.wrongKey, "is not the key of the certificate", remedy: remedy)
    }
  }

  /// Checks that a PEM file has a certificate, as a file of authorities must.
  static func checkAuthority(pem: [UInt8]) throws(CredentialError) {
    let remedy = "name a PEM file with the authority that signed the server's certificate"
    let text = try block(of: pem, remedy: remedy) { $0.hasSuffix("CERTIFICATE") }
    guard (try? Certificate(pem: text)) != nil else {
      throw CredentialError(.malformed, "holds no certificate that can be read", remedy: remedy)
    }
  }

  /// Why it is not valid at an instant, and what to do.
  func problem(at now: WallTime) -> (message: String, remedy: String)? {
    if now >= ends {
      return ("the certificate expired at \(ends.rfc3339)", "get a new one from Apple's developer site")
    }
    if now < begins {
      return ("the certificate is not valid before \(begins.rfc3339)", "check this machine's clock")
    }
    return nil
  }

  /// The first PEM block with a fitting label. Text around it is ignored: tools write names and dates there.
  private static func block(
    of pem: [UInt8], remedy: String, _ fits: (Substring) -> Bool
  ) throws(CredentialError) -> String {
    guard let text = String(validating: pem, as: UTF8.self) else {
      throw CredentialError(.malformed, "\(KeyText.problem(ofText: pem)), so not PEM", remedy: remedy)
    }
    do {
      return try block(in: text, remedy: remedy, fits)
    } catch {
      guard (try? block(in: KeyText.pem(text), remedy: remedy, fits)) != nil else { throw error }
      // The TLS library reads the file itself.
      throw CredentialError(
        .malformed, "has its line breaks written as \\n, or none, or is in quotes",
        remedy: "write it with line breaks: printf '%b\\n' \"$TEXT\" > FILE")
    }
  }

  private static func block(
    in text: String, remedy: String, _ fits: (Substring) -> Bool
  ) throws(CredentialError) -> String {
    var lines: [Substring] = []
    var end: String?
    for line in text.split(whereSeparator: \.isNewline) {
      if let wanted = end {
        lines.append(line)
        if line.hasPrefix(wanted) { return lines.joined(separator: "\n") + "\n" }
      } else if line.hasPrefix("-----BEGIN "), let label = line.dropFirst(11).split(separator: "-").first,
        fits(label)
      {
        lines = [line]
        end = "-----END \(label)-----"
      }
    }
    throw end == nil
      ? CredentialError(.malformed, "has no PEM block of the expected kind", remedy: remedy)
      : CredentialError(
        .truncated, "ends before its -----END line: a part of it is missing", remedy: remedy)
  }
}
