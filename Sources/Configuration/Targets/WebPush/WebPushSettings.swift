/// What a Web Push message carries, for whom, and as whom.
public struct WebPushSettings: Sendable, Hashable {
  /// RFC 8030, section 5.3.
  public enum Urgency: String, Sendable, Hashable, CaseIterable {
    case veryLow = "very-low"
    case low, normal, high
  }

  /// RFC 8292.
  public struct Credentials: Sendable, Hashable {
    public var vapidKey: SecretReference
    /// `mailto:` or `https:`.
    public var subject: String

    public init(vapidKey: SecretReference, subject: String) {
      self.vapidKey = vapidKey
      self.subject = subject
    }
  }

  /// The browser's subscription as JSON.
  public var subscription: SecretReference
  /// How long the service may keep it, whole seconds; zero: now or never.
  public var ttl: Duration
  public var urgency: Urgency
  /// Replaces a message of the same topic that still waits.
  public var topic: String?
  /// The encrypted body's exact size.
  public var payloadBytes: Int?
  /// `nil` for services that ask for none.
  public var credentials: Credentials?

  public init(
    subscription: SecretReference, ttl: Duration = .zero, urgency: Urgency = .high, topic: String? = nil,
    payloadBytes: Int? = nil, credentials: Credentials?
  ) {
    self.subscription = subscription
    self.ttl = ttl
    self.urgency = urgency
    self.topic = topic
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}
