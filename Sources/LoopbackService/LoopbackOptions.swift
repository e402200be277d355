import Configuration

/// How to start the loopback service.
public struct LoopbackOptions: Sendable {
  /// An address of this host.
  public var host: String
  /// 0: any free port.
  public var port: Int
  /// Where the service's certificates and every client's credentials are, or are made.
  public var credentialsDirectory: String
  public var scenario: Scenario
  /// Where the simulated device posts its receipts; without it, it keeps silent.
  public var receipts: ReceiptDestination?
  /// What the device calls itself.
  public var device: String
  /// What is between the device and everybody else; `nil`: it lives on this host and shares its clock.
  public var remote: RemoteDevice?
  /// Told once so many receipts are stored by the collector.
  public var receiptLimit: ReceiptLimit?
  /// How many entries of the script are kept for ``LoopbackServer/script()``.
  public var scriptRoom: Int
  /// A file for the script as JSON lines.
  public var scriptFile: String?

  public init(
    host: String = "127.0.0.1", port: Int = 8471, credentialsDirectory: String,
    scenario: Scenario = .lifelike, receipts: ReceiptDestination? = nil,
    device: String = "loopback-device", remote: RemoteDevice? = nil, receiptLimit: ReceiptLimit? = nil,
    scriptRoom: Int = 0, scriptFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.credentialsDirectory = credentialsDirectory
    self.scenario = scenario
    self.receipts = receipts
    self.device = device
    self.remote = remote
    self.receiptLimit = receiptLimit
    self.scriptRoom = scriptRoom
    self.scriptFile = scriptFile
  }
}
