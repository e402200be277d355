/// What only one kind of push service needs to know.
public enum ProviderSettings: Sendable, Hashable {
  case apns(APNsSettings)
  case fcm(FCMSettings)
  case webpush(WebPushSettings)
  case ntfy(NtfySettings)
  case http(HTTPSettings)
  case loopback(LoopbackSettings)

  public var kind: ProviderKind {
    switch self {
    case .apns: .apns
    case .fcm: .fcm
    case .webpush: .webpush
    case .ntfy: .ntfy
    case .http: .http
    case .loopback: .loopback
    }
  }
}
