/// Files of a throw-away certificate authority, of the one certificate it ever signed, and a secret.
public struct LocalCredentials: Sendable, Equatable {
  /// What clients are pointed at (`ca_file`).
  public var authorityFile: String
  public var certificateFile: String
  /// 0600.
  public var keyFile: String
  /// 32 random bytes in hexadecimal, for the MAC that proves receipts. 0600.
  public var secretFile: String

  /// A client certificate of the same authority, for a push service that asks for one.
  public var clientCertificateFile: String
  /// 0600.
  public var clientKeyFile: String

  /// The one topic that the client certificate is for, as `UID` of its subject.
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
