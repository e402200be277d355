/// Files of a throw-away certificate authority, of the one certificate it ever signed, and a secret.
public struct LocalCredentials: Sendable, Equatable {
  /// What clients are pointed at (`ca_file`).
  public var authorityFile: String
  public var certificateFile: String
  /// 0600.
  public var keyFile: String
  /// 32 random bytes in hexadecimal, for the MAC that proves receipts. 0600.
  public var secretFile: String

  init(directory: String) {
    authorityFile = "\(directory)/ca.pem"
    certificateFile = "\(directory)/server.pem"
    keyFile = "\(directory)/server.key"
    secretFile = "\(directory)/receipts.secret"
  }
}
