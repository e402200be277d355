/// What proves a client to a server that asks for a certificate during the TLS handshake (RFC 8446, section 4.3.2).
public struct ClientCertificate: Sendable, Hashable {
  /// PEM: the certificate, and what chains it to an authority the server knows.
  public var certificateFile: String
  /// PEM of its private key, without a passphrase.
  public var keyFile: String

  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}
