/// The words of FCM's HTTP v1 API, as a client and as the loopback service need them.
public enum FCMDialect {
  /// Bytes of a message to a device.
  public static let maximumPayloadBytes = 4096
  /// Seconds that a message may be kept: four weeks.
  public static let longestTTL = 2_419_200
  /// What an access token must be good for.
  public static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// What 429 asks for when it names no time.
  public static let unspecifiedRetryDelay = Duration.seconds(60)
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

/// What names the device in a message. Google's newer libraries send to the installation ID; both are taken.
public enum FCMReceiver: String, Sendable, Hashable, CaseIterable {
  /// A registration token.
  case token
  /// A Firebase installation ID.
  case fid

  /// Whether a text can be one: 22 characters of base64url (17 bytes), or a token of no certain form.
  public func accepts(_ text: String) -> Bool {
    switch self {
    case .token: (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    case .fid:
      text.utf8.count == 22
        && text.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F
        }
    }
  }
}

/// How eagerly Android is to wake for a message.
public enum FCMPriority: String, Sendable, Hashable, CaseIterable {
  /// At once, also out of deep sleep.
  case high
  /// When it suits the device's battery.
  case normal
}
