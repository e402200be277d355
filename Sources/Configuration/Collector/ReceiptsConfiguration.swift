/// The listener that hears receipts: where, with which certificate, and the secret that proves notifications.
public struct ReceiptsConfiguration: Sendable, Hashable {
  public var listen: ListenAddress
  /// PEM, the listener's own certificate first.
  public var certificateFile: String
  /// PEM; readable by its owner alone.
  public var keyFile: SecretFile
  /// The key of the MAC that each payload carries; at least 16 bytes.
  public var secretFile: SecretFile

  public init(listen: ListenAddress, certificateFile: String, keyFile: SecretFile, secretFile: SecretFile) {
    self.listen = listen
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.secretFile = secretFile
  }

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["listen", "certificate_file", "key_file", "secret_file"]) else {
      return nil
    }
    let listen = map.required("listen", example: "listen: 127.0.0.1:8443")?.parsed(ListenAddress.parse)
    let certificate = map.required("certificate_file", example: "certificate_file: receipts.pem")?.file()
    let key = map.required("key_file", example: "key_file: receipts.key")?.secretFile()
    let secret = map.required("secret_file", example: "secret_file: receipts.secret")?
      .secretFile(minimumBytes: 16)
    guard let listen, let certificate, let key, let secret else { return nil }
    self.init(listen: listen, certificateFile: certificate, keyFile: key, secretFile: secret)
  }
}
