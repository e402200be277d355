/// Section `collector:`: settings of the collector as a whole.
public struct CollectorConfiguration: Sendable, Hashable {
  /// Listener for receipts from devices; `nil` for none.
  public var receipts: ReceiptsConfiguration?
  public var durability: Durability

  /// Durability of a commit.
  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// SQLite's WAL without a sync for each commit: nothing is lost when the process crashes, the last commits may be when
    /// the machine does.
    case normal
    /// fsync for each commit.
    case full
  }

  public init(receipts: ReceiptsConfiguration? = nil, durability: Durability = .normal) {
    self.receipts = receipts
    self.durability = durability
  }

  init(_ value: YAMLValue) {
    self.init()
    guard let map = value.mapping(keys: ["receipts", "durability"]) else { return }
    receipts = map["receipts"].flatMap { ReceiptsConfiguration($0) }
    durability = map["durability"]?.choice(of: Durability.self) ?? .normal
  }
}

/// Listener for receipts: address, certificate, and the secret that authenticates notifications.
public struct ReceiptsConfiguration: Sendable, Hashable {
  public var listen: ListenAddress
  /// PEM chain, the listener's certificate first.
  public var certificateFile: String
  /// PEM; readable by its owner only.
  public var keyFile: SecretFile
  /// Key of the MAC in each payload; at least 16 bytes.
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
