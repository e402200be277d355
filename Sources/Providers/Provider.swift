import Measurement

/// Builds the requests of a push service and interprets its responses.
///
/// Implementations are values with pure functions: no sockets, clocks and files. Tokens are part of the value and are
/// renewed by a new one.
public protocol Provider: Sendable {
  /// Name in the configuration and in the `provider` column.
  var name: String { get }

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
