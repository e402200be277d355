/// What a message through ntfy carries, and as whom.
public struct NtfySettings: Sendable, Hashable {
  /// Who publishes and subscribes.
  public enum Credentials: Sendable, Hashable {
    /// Nobody: a topic that everybody may use.
    case anonymous
    /// An access token, `tk_…`.
    case token(SecretReference)
    case basic(username: String, password: SecretReference)
  }

  public var topic: String
  /// 1 to 5; `nil` for the server's own.
  public var priority: Int?
  /// Whether the collector listens to the topic itself: end to end on one host with one clock.
  public var subscribe: Bool
  /// The message's exact size.
  public var payloadBytes: Int?
  public var credentials: Credentials

  public init(
    topic: String, priority: Int? = nil, subscribe: Bool = false, payloadBytes: Int? = nil,
    credentials: Credentials = .anonymous
  ) {
    self.topic = topic
    self.priority = priority
    self.subscribe = subscribe
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}
