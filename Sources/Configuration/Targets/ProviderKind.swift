/// The supported push services.
public enum ProviderKind: String, Sendable, Hashable, CaseIterable {
  /// Apple Push Notification service.
  case apns
  /// Firebase Cloud Messaging, HTTP v1.
  case fcm
  /// Browsers and UnifiedPush servers (RFC 8030).
  case webpush
  case ntfy
  /// Any HTTP endpoint.
  case http
  /// The built-in service, `pushscope loopback`.
  case loopback
}

extension ProviderKind {
  /// Keys of a target beside those of every provider.
  var keys: [String] {
    switch self {
    case .apns: APNsSettings.keys
    case .fcm: FCMSettings.keys
    case .webpush: WebPushSettings.keys
    case .ntfy: NtfySettings.keys
    case .http: HTTPSettings.keys
    case .loopback: LoopbackSettings.keys
    }
  }

  /// Empty when a required key is missing, which is reported.
  func variants(_ map: YAMLMapping) -> [TargetVariant] {
    switch self {
    case .apns: APNsSettings.variants(map)
    case .fcm: FCMSettings.variants(map)
    case .webpush: WebPushSettings.variants(map)
    case .ntfy: NtfySettings.variants(map)
    case .http: HTTPSettings.variants(map)
    case .loopback: LoopbackSettings.variants(map)
    }
  }

  var exampleEndpoint: String {
    switch self {
    case .apns: "https://api.push.apple.com"
    case .fcm: "https://fcm.googleapis.com"
    case .ntfy: "https://ntfy.example.com"
    case .webpush, .http, .loopback: "https://127.0.0.1:8471"
    }
  }

  /// Whether the service requires TLS.
  var needsTLS: Bool {
    switch self {
    case .apns, .fcm, .loopback: true
    case .webpush, .ntfy, .http: false
    }
  }

  /// Whether the provider determines the request path.
  var hasOwnPaths: Bool {
    switch self {
    case .apns, .fcm, .ntfy, .loopback: true
    case .webpush, .http: false
    }
  }
}

/// Settings of one provider.
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
