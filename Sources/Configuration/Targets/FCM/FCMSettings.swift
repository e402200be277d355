/// What a message through Firebase Cloud Messaging carries, and as whom.
public struct FCMSettings: Sendable, Hashable {
  /// How eagerly Android is to wake for it.
  public enum Priority: String, Sendable, Hashable, CaseIterable {
    case high, normal
  }

  /// What names the device.
  public enum Receiver: String, Sendable, Hashable {
    /// The app's registration token.
    case token
    /// Its Firebase installation ID.
    case fid
  }

  /// Registration token or installation ID, as ``receiver`` says.
  public var deviceToken: SecretReference
  public var receiver: Receiver
  public var priority: Priority
  /// How long FCM may keep it, whole seconds; zero: now or never.
  public var ttl: Duration
  /// Have it checked and not delivered.
  public var validateOnly: Bool
  /// The body's exact size.
  public var payloadBytes: Int?
  /// The service account's JSON.
  public var serviceAccount: SecretReference

  public init(
    deviceToken: SecretReference, receiver: Receiver = .token, priority: Priority = .high,
    ttl: Duration = .zero,
    validateOnly: Bool = false, payloadBytes: Int? = nil, serviceAccount: SecretReference
  ) {
    self.deviceToken = deviceToken
    self.receiver = receiver
    self.priority = priority
    self.ttl = ttl
    self.validateOnly = validateOnly
    self.payloadBytes = payloadBytes
    self.serviceAccount = serviceAccount
  }
}
