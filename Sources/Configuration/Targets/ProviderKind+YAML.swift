extension ProviderKind {
  /// A target's keys beside those that all have.
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

  /// Empty when something that every variant needs is missing, which is then reported.
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

  /// Whether the service is there over TLS only.
  var needsTLS: Bool {
    switch self {
    case .apns, .fcm, .loopback: true
    case .webpush, .ntfy, .http: false
    }
  }

  /// Whether requests go to paths that the provider makes.
  var hasOwnPaths: Bool {
    switch self {
    case .apns, .fcm, .ntfy, .loopback: true
    case .webpush, .http: false
    }
  }
}
