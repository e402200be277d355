import Measurement

/// Apple Push Notification service (Apple: Sending notification requests to APNs).
public struct APNsProvider: Provider {
  public let name = "apns"

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
        remedy: "write \(pushType.priorities.map(String.init).joined(separator: " or "))")
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
          pushType, at: notification.plannedAt.microseconds / 1_000_000,
          member: PayloadMember.json(for: notification), payloadBytes: payloadBytes
        ).utf8))
  }

  private func expirationValue(_ notification: PushNotification) -> String {
    switch expiration {
    case .once: "0"
    case .at(let seconds): String(seconds)
    case .after(let duration):
      String((notification.plannedAt.microseconds + duration.microseconds) / 1_000_000)
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
    if response.status == 200 { return ProviderAssessment(.accepted) }
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

  /// Without the token.
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
