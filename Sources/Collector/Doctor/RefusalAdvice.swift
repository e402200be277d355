import Configuration

/// What to do when a provider refuses a notification, by its reason or else by the status.
enum RefusalAdvice {
  private static let byReason: [String: String] = [
    // Apple.
    "BadDeviceToken":
      "is the device token of this environment? Sandbox tokens need api.sandbox.push.apple.com, those of the App Store api.push.apple.com",
    "DeviceTokenNotForTopic": "set topic to the bundle ID of the app that gave the device token",
    "TopicDisallowed": "set topic to a bundle ID of the key's team",
    "BadTopic": "set topic to the app's bundle ID",
    "Unregistered": "the app was removed from the device: get a new device token",
    "ExpiredToken": "get a new device token from the app",
    "UnrelatedKeyIdInToken": "use one key for all targets of a team",
    "InvalidProviderToken": "check that key_id, team_id and the signing key belong together",
    "ExpiredProviderToken": "check this machine's clock",
    "BadEnvironmentKeyInToken": "the key is for the other environment: production or sandbox",
    "BadEnvironmentKeyIdInToken": "the key is for the other environment: production or sandbox",
    "BadCertificate": "check certificate_file: is it a push certificate, and not expired?",
    "BadCertificateEnvironment": "the certificate is for the other environment: production or sandbox",
    "TooManyRequests": "the device received too many notifications: wait",
    // FCM.
    "UNAUTHENTICATED":
      "check this machine's clock, and that the service account is enabled",
    "UNREGISTERED": "the app was removed from the device: get a new registration token",
    "SENDER_ID_MISMATCH": "the registration token belongs to another project's app",
    "PERMISSION_DENIED": "enable the Firebase Cloud Messaging API for the project",
    "INVALID_ARGUMENT: message.token": "that is no registration token: get a new one from the app",
    "INVALID_ARGUMENT: message.fid": "that is no installation ID: get a new one from the app",
    // Web Push.
    "VapidPkHashMismatch": "subscribe again with this VAPID key's public key",
    "BadJwtToken": "check credentials.subject and this machine's clock",
  ]

  static func text(_ provider: ProviderKind, status: Int, reason: String) -> String {
    if let advice = byReason[reason] { return advice }
    // ntfy as a UnifiedPush server, with a sentence behind the number.
    if reason.hasPrefix("50701") {
      return
        "no device subscribes to the topic: start the app that gave the endpoint, or get a new one from it"
    }
    switch (provider, status) {
    case (.webpush, 404), (.webpush, 410): return "the subscription is gone: subscribe again in the browser"
    case (.webpush, 401), (.webpush, 403):
      return "subscribe again with this VAPID key's public key, and check this machine's clock"
    case (.ntfy, 401), (.ntfy, 403): return "check credentials, and who may write to the topic"
    case (.http, 401), (.http, 403):
      return
        "check the headers that authenticate the sender; to measure such answers, add the status to success"
    case (.http, _): return "check method, headers and body; success lists the accepted statuses"
    case (_, 429): return "wait, and send less often"
    case (_, 500...): return "the service reports an error of its own: try again later"
    default: return "look the reason up in the provider's documentation"
    }
  }
}
