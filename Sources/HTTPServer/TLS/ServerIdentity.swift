import NIOCore
import NIOSSL

/// The certificate chain and key with which a server proves who it is, read and checked.
public struct ServerIdentity: Sendable {
  let chain: [NIOSSLCertificate]
  let key: NIOSSLPrivateKey

  /// Reads PEM files. The chain starts with the server's own certificate.
  ///
  /// - Throws: ``HTTPServerError`` naming the file at fault.
  public init(certificateFile: String, keyFile: String) throws {
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificateFile)
    } catch {
      throw HTTPServerError(
        .identity, place: certificateFile, message: "no PEM certificate can be read from it (\(error))",
        remedy: "name a readable file with the certificate chain in PEM")
    }
    guard !chain.isEmpty else {
      throw HTTPServerError(
        .identity, place: certificateFile, message: "holds no certificate",
        remedy: "name a file with the certificate chain in PEM")
    }
    do {
      key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    } catch {
      throw HTTPServerError(
        .identity, place: keyFile, message: "no PEM private key can be read from it (\(error))",
        remedy: "name a readable, unencrypted private key in PEM")
    }
    do {
      _ = try context(protocols: [])
    } catch {
      throw HTTPServerError(
        .identity, place: keyFile, message: "does not fit the certificate in \(certificateFile) (\(error))",
        remedy: "use the private key that the certificate was issued for")
    }
  }

  /// TLS 1.2 at least, as all push services ask.
  ///
  /// - Parameter clientAuthorityFile: whose certificates clients may show; they need not.
  func context(
    protocols: [HTTPServerConfiguration.ApplicationProtocol], clientAuthorityFile: String? = nil
  ) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = protocols.map(\.rawValue)
    if let clientAuthorityFile {
      configuration.trustRoots = .file(clientAuthorityFile)
      configuration.certificateVerification = .optionalVerification
    }
    configuration.shutdownTimeout = .milliseconds(500)
    return try NIOSSLContext(configuration: configuration)
  }
}
