/// Files of a throw-away certificate authority and the one certificate it ever signed.
public struct LocalCredentials: Sendable, Equatable {
  /// What clients are pointed at (`ca_file`).
  public var authorityFile: String
  public var certificateFile: String
  /// 0600.
  public var keyFile: String

  init(directory: String) {
    authorityFile = "\(directory)/ca.pem"
    certificateFile = "\(directory)/server.pem"
    keyFile = "\(directory)/server.key"
  }
}
