import Measurement

/// Builds the requests of a push service and interprets its responses.
///
/// Implementations are values with pure functions: no sockets, clocks and files. Tokens are part of the value and are
/// renewed by a new one.
public protocol Provider: Sendable {
  /// The request for a notification. Called on the timing thread shortly before the planned time; must not block.
  func request(for notification: PushNotification) -> PushRequest

  /// Interprets a response, which is untrusted data of limited size.
  func assess(_ response: PushResponse) -> ProviderAssessment
}

/// A notification to be sent.
public struct PushNotification: Sendable, Hashable {
  public var id: NotificationID
  /// Authenticates the id to the receipt listener; `nil` without a listener.
  public var mac: String?
  /// Planned time of the schedule.
  public var plannedAt: WallTime

  public init(id: NotificationID, mac: String? = nil, plannedAt: WallTime) {
    self.id = id
    self.mac = mac
    self.plannedAt = plannedAt
  }
}

/// Invalid settings, found before anything is sent.
public struct ProviderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Key in the configuration, like `payload_bytes`.
  public let setting: String
  /// What is wrong: a predicate whose subject is the setting.
  public let message: String
  public let remedy: String

  public init(_ setting: String, _ message: String, remedy: String) {
    self.setting = setting
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(setting) \(message); \(remedy)" }
}

/// An HTTP request, independent of the client.
///
/// Providers with constant requests return the same arrays each time, so that the transport detects shared storage and
/// reuses its settings.
public struct PushRequest: Sendable, Hashable {
  public var method: String
  /// Absolute `https` or `http` URL.
  public var url: String
  public var headers: [HeaderField]
  public var body: [UInt8]
  /// Secrets that are not recognizable by their position: see ``RequestSecrets``.
  public var secrets: [String]

  public init(
    method: String = "POST", url: String, headers: [HeaderField] = [], body: [UInt8] = [],
    secrets: [String] = []
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.secrets = secrets
  }
}
