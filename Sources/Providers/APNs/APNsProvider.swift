import Cryptography
import Measurement

/// Apple Push Notification service (Apple: Sending notification requests to APNs).
public struct APNsProvider: Provider {

  private let url: String
  private let headersBeforeExpiration: [HeaderField]
  private let expiration: APNsExpiration
  private let pushType: APNsPushType
  private let payloadBytes: Int?

  /// - Parameters:
  ///   - origin: scheme, host and port, without a trailing slash.
  ///   - deviceToken: hexadecimal, of whatever length.
  ///   - topic: a bundle ID; the push type's suffix is put behind it where it is missing. `nil` only with a
  ///     certificate that is good for one topic.
  ///   - priority: one of the push type's own; `nil` for its usual one.
  ///   - collapseID: at most 64 bytes: a later notification replaces an earlier one on the device.
  ///   - payloadBytes: fill the payload up to exactly so many bytes.
  /// - Throws: ``ProviderError`` for settings that APNs would refuse.
  public init(
    origin: String, deviceToken: String, topic: String?, pushType: APNsPushType = .alert,
    priority: Int? = nil, expiration: APNsExpiration = .once, collapseID: String? = nil,
    payloadBytes: Int? = nil, authorization: APNsAuthorization
  ) throws(ProviderError) {
    try Self.check(deviceToken: deviceToken, topic: topic.map(pushType.topic), collapseID: collapseID)
    try Self.check(expiration)
    let priority = priority ?? pushType.priorities[0]
    guard pushType.priorities.contains(priority) else {
      throw ProviderError(
        "priority", "\(priority) does not go with push_type: \(pushType.rawValue)",
        remedy: "write \(ListText.or(pushType.priorities.map(String.init)))")
    }
    if topic == nil, case .bearer = authorization {
      throw ProviderError(
        "topic", "is missing", remedy: "write the app's bundle ID: a token is valid for all apps of a team")
    }
    url = origin + APNsDialect.devicePathPrefix + deviceToken
    var headers: [HeaderField] = []
    if case .bearer(let token) = authorization {
      headers.append(HeaderField(APNsDialect.Header.authorization, "bearer \(token)"))
    }
    if let topic {
      headers.append(HeaderField(APNsDialect.Header.topic, pushType.topic(for: topic)))
    }
    headers.append(HeaderField(APNsDialect.Header.pushType, pushType.rawValue))
    headers.append(HeaderField(APNsDialect.Header.priority, String(priority)))
    if let collapseID { headers.append(HeaderField(APNsDialect.Header.collapseID, collapseID)) }
    headers.append(HeaderField("content-type", "application/json"))
    headersBeforeExpiration = headers
    self.expiration = expiration
    self.pushType = pushType
    self.payloadBytes = payloadBytes
    if let payloadBytes {
      let range = Self.smallestPayloadBytes(pushType)...pushType.maximumPayloadBytes
      guard range.contains(payloadBytes) else {
        throw ProviderError(
          "payload_bytes", "\(payloadBytes) is out of range",
          remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }

  /// Size of a payload without padding, with a receipt's MAC.
  public static func smallestPayloadBytes(_ pushType: APNsPushType) -> Int {
    payload(pushType, at: 9_999_999_999, member: PayloadMember.largestJSON, payloadBytes: nil).utf8.count
  }

  private static func check(
    deviceToken: String, topic: String?, collapseID: String?
  ) throws(ProviderError) {
    guard APNsDialect.isDeviceToken(deviceToken) else {
      throw ProviderError(
        "device_token_file", "does not contain a device token",
        remedy: "write the token that the app received, in hexadecimal digits")
    }
    if let topic, !APNsDialect.isTopic(topic) {
      throw ProviderError(
        "topic", "is not valid as \"\(topic)\"", remedy: "write the app's bundle ID, like com.example.app")
    }
    if let collapseID, !(1...APNsDialect.maximumCollapseIDBytes).contains(collapseID.utf8.count) {
      throw ProviderError(
        "collapse_id", "has \(collapseID.utf8.count) bytes",
        remedy: "write 1 to \(APNsDialect.maximumCollapseIDBytes)")
    }
  }

  private static func check(_ expiration: APNsExpiration) throws(ProviderError) {
    let isValid =
      switch expiration {
      case .once: true
      case .at(let seconds): seconds >= 0
      case .after(let duration): (.zero ... .seconds(APNsDialect.longestStorage)).contains(duration)
      }
    guard isValid else {
      throw ProviderError(
        "expiration", "is out of range", remedy: "write a duration up to 30d, or Unix seconds")
    }
  }

  public func request(for notification: PushNotification) -> PushRequest {
    PushRequest(
      url: url,
      headers: [
        HeaderField(APNsDialect.Header.id, notification.id.description),
        HeaderField(APNsDialect.Header.expiration, expirationValue(notification)),
      ] + headersBeforeExpiration,
      body: Array(
        Self.payload(
          pushType, at: notification.plannedAt.seconds,
          member: PayloadMember.json(for: notification), payloadBytes: payloadBytes
        ).utf8))
  }

  private func expirationValue(_ notification: PushNotification) -> String {
    switch expiration {
    case .once: "0"
    case .at(let seconds): String(seconds)
    case .after(let duration):
      String((notification.plannedAt + duration).seconds)
    }
  }

  private static func payload(
    _ pushType: APNsPushType, at seconds: Int64, member: String, payloadBytes: Int?
  ) -> String {
    let head = "{\"aps\":\(pushType.aps(at: seconds)),\"\(PayloadMember.name)\":\(member)"
    let padding = payloadBytes.map { PayloadPadding.text(bytes: $0 - head.utf8.count - 1) } ?? ""
    return head + padding + "}"
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 {
      return ProviderAssessment(
        .accepted, answerID: AnswerID.bounded(response.headers[APNsDialect.Header.uniqueID]))
    }
    let word = ReasonBody.read(response.body)
    let reason = APNsReason(rawValue: word)
    return ProviderAssessment(
      .rejected(reason: word), retryAfter: RetryAfter.pause(response),
      // Apple documents 403 as an error with the certificate or token, so an unknown reason means the same.
      credential: reason?.credential ?? (response.status == 403 && reason == nil ? .refused : nil),
      isReceiverUnknown: reason?.isReceiverUnknown ?? false)
  }
}

/// Credentials of a request to APNs.
public enum APNsAuthorization: Sendable, Hashable, CustomStringConvertible {
  /// A provider token of ``APNsTokenSigner``, in the `authorization` header.
  case bearer(String)
  /// The TLS client certificate of the connection, without a header.
  case certificate

  /// The description without the token.
  public var description: String {
    switch self {
    case .bearer: "bearer (hidden)"
    case .certificate: "certificate"
    }
  }
}

extension APNsPushType {
  /// The `aps` member of a probe.
  ///
  /// - Parameter seconds: Unix seconds; a device applies only the newest update of a live activity.
  fileprivate func aps(at seconds: Int64) -> String {
    switch self {
    case .alert: #"{"alert":{"title":"pushscope"},"mutable-content":1}"#
    case .liveactivity: "{\"timestamp\":\(seconds),\"event\":\"update\",\"content-state\":{}}"
    case .widgets, .controls: #"{"content-changed":true}"#
    default: #"{"content-available":1}"#
    }
  }
}

/// Error reasons of Apple's provider API (Apple: Handling notification responses from APNs). Apple adds reasons;
/// unknown ones are stored unchanged.
public enum APNsReason: String, Sendable, Hashable, CaseIterable {
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  /// Documented, but not observed.
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  /// Observed instead of the documented reason.
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  /// What the reason says about the credential; `nil` for nothing.
  public var credential: CredentialSignal? {
    switch self {
    case .expiredProviderToken: .expired
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
      .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
      .refused
    case .tooManyProviderTokenUpdates: .renewedTooOften
    default: nil
    }
  }

  /// Whether the device token is invalid: nothing should be sent to it any more.
  public var isReceiverUnknown: Bool {
    switch self {
    case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered: true
    default: false
    }
  }
}

/// Signs provider tokens (Apple: Establishing a token-based connection to APNs).
public struct APNsTokenSigner: Sendable {
  private let key: P256.PrivateKey
  private let header: String
  private let teamID: String

  private static let remedy =
    "use the .p8 file as Apple's developer site gave it (Certificates, Identifiers & Profiles, Keys)"

  /// - Parameters:
  ///   - keyPEM: the content of the `.p8` file.
  ///   - keyID: ten characters, as on the developer site and in the file's name.
  ///   - teamID: ten characters, as in the membership's details.
  public init(keyPEM: [UInt8], keyID: String, teamID: String) throws(CredentialError) {
    key = try P256Key.read(keyPEM, remedy: Self.remedy)
    for (name, text) in [("key_id", keyID), ("team_id", teamID)] {
      guard Self.isIdentifier(text) else {
        throw CredentialError(
          .invalid, "goes with a \(name) that is not ten letters and digits",
          remedy: "copy the \(name) from Apple's developer site")
      }
    }
    header = "{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}"
    self.teamID = teamID
  }

  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) }
  }

  /// A token that is valid for an hour. Apple requires renewal after 20 to 60 minutes.
  public func token(issuedAt: WallTime) throws(CredentialError) -> String {
    let seconds = issuedAt.seconds
    return try WebToken.es256(header: header, claims: "{\"iss\":\"\(teamID)\",\"iat\":\(seconds)}", key: key)
  }
}
