/// What a request to Apple's push service carries, and as whom.
public struct APNsSettings: Sendable, Hashable {
  /// `apns-push-type`.
  public enum PushType: String, Sendable, Hashable, CaseIterable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk,
      voip, widgets

    /// The priorities that Apple takes with it, the usual one first.
    public var priorities: [Int] {
      switch self {
      case .background: [5, 1]
      case .liveactivity: [10, 5]
      default: [10, 5, 1]
      }
    }

    /// Bytes of the payload.
    public var maximumPayloadBytes: Int { self == .voip ? 5120 : 4096 }
  }

  /// `apns-expiration`.
  public enum Expiration: Sendable, Hashable {
    /// One attempt and no storing.
    case once
    /// Unix seconds.
    case at(Int)
    /// So long after the planned instant.
    case after(Duration)
  }

  /// Who says that we may send.
  public enum Credentials: Sendable, Hashable {
    /// The `.p8` key that tokens are signed with.
    case token(signingKey: SecretReference, keyID: String, teamID: String)
    /// PEM of a TLS client certificate and its key.
    case certificate(certificateFile: String, privateKeyFile: SecretFile)
  }

  public var deviceToken: SecretReference
  /// A bundle ID; `nil` only with a certificate.
  public var topic: String?
  public var pushType: PushType
  /// One of the push type's own.
  public var priority: Int
  public var expiration: Expiration
  public var collapseID: String?
  /// The payload's exact size.
  public var payloadBytes: Int?
  public var credentials: Credentials

  public init(
    deviceToken: SecretReference, topic: String?, pushType: PushType = .alert, priority: Int? = nil,
    expiration: Expiration = .once, collapseID: String? = nil, payloadBytes: Int? = nil,
    credentials: Credentials
  ) {
    self.deviceToken = deviceToken
    self.topic = topic
    self.pushType = pushType
    self.priority = priority ?? pushType.priorities[0]
    self.expiration = expiration
    self.collapseID = collapseID
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}
