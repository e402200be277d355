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

/// Keys of a provider's targets beside those of every target, and how they are read.
struct ProviderSection {
  let keys: [String]
  /// Empty when a required key is missing, which is reported.
  let variants: (YAMLMapping) -> [TargetVariant]

  init<Keys>(_ variants: @escaping (Section<Keys>) -> [TargetVariant]) {
    keys = Keys.names
    self.variants = { variants(Section($0)) }
  }
}

extension ProviderKind {
  var section: ProviderSection {
    switch self {
    case .apns: ProviderSection(APNsSettings.variants)
    case .fcm: ProviderSection(FCMSettings.variants)
    case .webpush: ProviderSection(WebPushSettings.variants)
    case .ntfy: ProviderSection(NtfySettings.variants)
    case .http: ProviderSection(HTTPSettings.variants)
    case .loopback: ProviderSection(LoopbackSettings.variants)
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

  /// Whether the collector receives the notifications itself, so that receipts need no device.
  public var isReceivedByCollector: Bool {
    switch self {
    case .ntfy(let settings): settings.subscribe
    case .webpush(let settings): settings.isReceivedByCollector
    case .apns, .fcm, .http, .loopback: false
    }
  }

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
