/// The words of FCM's HTTP v1 API, as a client and as the loopback service need them.
public enum FCMDialect {
  /// Bytes of a message to a device.
  public static let maximumPayloadBytes = 4096
  /// Seconds that a message may be kept: four weeks.
  public static let longestTTL = 2_419_200
  /// What an access token must be good for.
  public static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// What 429 asks for when it names no time.
  public static let unnamedPause = Duration.seconds(60)
  /// The type of the error detail that carries ``FCMStatus``'s word.
  public static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
  public static let badRequestType = "type.googleapis.com/google.rpc.BadRequest"
  /// FcmError's codes for a registration token that is of no use: its app is gone, or another project's.
  public static let unknownReceiver: Set<String> = ["UNREGISTERED", "SENDER_ID_MISMATCH"]
  /// The id in the answer to a message that was only validated.
  public static let validatedMessageID = "fake_message_id"

  /// Where a project's messages are posted.
  public static func sendPath(projectID: String) -> String { "/v1/projects/\(projectID)/messages:send" }
}

/// How eagerly Android is to wake for a message.
public enum FCMPriority: String, Sendable, Hashable, CaseIterable {
  /// At once, also out of deep sleep.
  case high
  /// When it suits the device's battery.
  case normal
}
