import Configuration

/// Options of the loopback service.
public struct LoopbackOptions: Sendable {
  /// An address of this host.
  public var host: String
  /// 0: a free port.
  public var port: Int
  /// Directory of the service's certificates and the clients' credentials, which are created when missing.
  public var credentialsDirectory: String
  public var scenario: Scenario
  /// Receipt listener to which the simulated device posts; `nil`: no receipts.
  public var receipts: ReceiptDestination?
  /// Name of the device.
  public var device: String
  /// Clock and network of the device; `nil`: a device on this host with its clock.
  public var remote: RemoteDevice?
  /// Called when the collector has stored a number of receipts.
  public var receiptLimit: ReceiptLimit?
  /// Limit of script entries that ``LoopbackServer/script()`` returns.
  public var scriptCapacity: Int
  /// File for the script, as JSON Lines.
  public var scriptFile: String?
  /// Told when no descriptor is left for further connections, with the limit of them.
  public var onShortage: (@Sendable (_ limit: UInt64) -> Void)?

  public init(
    host: String = "127.0.0.1", port: Int = 8471, credentialsDirectory: String,
    scenario: Scenario = .lifelike, receipts: ReceiptDestination? = nil,
    device: String = "loopback-device", remote: RemoteDevice? = nil, receiptLimit: ReceiptLimit? = nil,
    scriptCapacity: Int = 0, scriptFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.credentialsDirectory = credentialsDirectory
    self.scenario = scenario
    self.receipts = receipts
    self.device = device
    self.remote = remote
    self.receiptLimit = receiptLimit
    self.scriptCapacity = scriptCapacity
    self.scriptFile = scriptFile
  }
}

/// A collector's receipt listener.
public struct ReceiptDestination: Sendable, Hashable {
  /// URL like `https://127.0.0.1:8443/v1/receipts`; an empty path means `/v1/receipts`.
  public var endpoint: Endpoint
  /// Authority of the listener's certificate; `nil`: the system's. Read at every connect, so it may be created after
  /// the service has started.
  public var authorityFile: String?

  public init(endpoint: Endpoint, authorityFile: String?) {
    self.endpoint = endpoint
    self.authorityFile = authorityFile
  }
}

/// A count of receipts and an action.
public struct ReceiptLimit: Sendable {
  public var count: Int
  /// Called once, on the service's thread.
  public var action: @Sendable () -> Void

  public init(count: Int, action: @escaping @Sendable () -> Void) {
    self.count = count
    self.action = action
  }
}

/// Why the loopback service cannot start.
public struct LoopbackError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong with them.
  public enum Code: Sendable, Equatable {
    /// A file in the credentials directory is invalid.
    case unusableFile
    /// A file cannot be written.
    case cannotWrite
  }

  public var code: Code
  /// Option or file.
  public var place: String
  public var message: String
  /// What the user can do.
  public var remedy: String

  public init(_ code: Code, place: String, message: String, remedy: String) {
    self.code = code
    self.place = place
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(place): \(message); \(remedy)" }
}
