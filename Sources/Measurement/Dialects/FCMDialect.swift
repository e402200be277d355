/// Names and limits of Firebase Cloud Messaging's HTTP v1 API.
public enum FCMDialect {
  /// Largest payload of a message to a device, in bytes.
  public static let maximumPayloadBytes = 4096
  /// Largest payload of a message to a topic or condition, in bytes.
  public static let maximumTopicPayloadBytes = 2048
  /// Longest `ttl`, in seconds: four weeks.
  public static let longestTTL = 2_419_200
  /// OAuth scope of an access token.
  public static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// Delay that a 429 without `Retry-After` asks for.
  public static let unspecifiedRetryDelay = Duration.seconds(60)
  /// `@type` of the error detail that contains FCM's `errorCode`.
  public static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
  /// FCM error codes for a registration token that will not become valid again.
  public static let unknownReceiver: Set<String> = ["UNREGISTERED", "SENDER_ID_MISMATCH"]

  /// Path to which a project's messages are posted.
  public static func sendPath(projectID: String) -> String { "/v1/projects/\(projectID)/messages:send" }
}

/// Which identifier of the device a message contains. Newer Google libraries send to the installation ID; FCM accepts both.
public enum FCMReceiver: String, Sendable, Hashable, CaseIterable {
  /// Registration token of the app.
  case token
  /// Firebase installation ID.
  case fid

  /// Whether `text` can be one: 22 characters of base64url (17 bytes), or a token, which has no published form.
  public func accepts(_ text: String) -> Bool {
    switch self {
    case .token: (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isVisible)
    case .fid: text.utf8.count == 22 && text.utf8.allSatisfy(ASCII.isBase64URL)
    }
  }
}

/// Android message priority.
public enum FCMPriority: String, Sendable, Hashable, CaseIterable {
  /// Delivered immediately, waking a sleeping device.
  case high
  /// Delivery may be delayed to save battery.
  case normal
}
