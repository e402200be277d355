import Measurement

/// The built-in push service. It speaks APNs' dialect, so that measurements use the same code as real pushes.
public struct LoopbackProvider: Provider {

  /// Default device of the service.
  public static let defaultDeviceToken = String(repeating: "70757368", count: 8)
  /// Bearer token that the service accepts without verification.
  public static let defaultBearer = "loopback"

  private let url: String
  private let sameHeaders: [HeaderField]
  private let aps: String
  private let payloadBytes: Int?

  /// - Parameters:
  ///   - origin: scheme, host and port, without a trailing slash.
  ///   - deviceToken: hexadecimal.
  ///   - priority: 1, 5 or 10.
  ///   - expiration: Unix seconds; 0 asks for one attempt and no storing.
  ///   - payloadBytes: fill the payload up to exactly so many bytes, where it is not longer already.
  public init(
    origin: String, deviceToken: String = LoopbackProvider.defaultDeviceToken,
    topic: String = "com.example.app", pushType: APNsPushType = .alert, priority: Int = 10,
    expiration: Int = 0,
    payloadBytes: Int? = nil, bearer: String = LoopbackProvider.defaultBearer
  ) {
    url = origin + APNsDialect.devicePathPrefix + deviceToken
    sameHeaders = [
      HeaderField(APNsDialect.Header.authorization, "bearer \(bearer)"),
      HeaderField(APNsDialect.Header.topic, topic),
      HeaderField(APNsDialect.Header.pushType, pushType.rawValue),
      HeaderField(APNsDialect.Header.priority, String(priority)),
      HeaderField(APNsDialect.Header.expiration, String(expiration)),
      HeaderField("content-type", "application/json"),
    ]
    aps =
      pushType == .background
      ? #"{"content-available":1}"#
      : #"{"alert":{"title":"pushscope"},"mutable-content":1}"#
    self.payloadBytes = payloadBytes
  }

  public func request(for notification: PushNotification) -> PushRequest {
    let member = PayloadMember.json(for: notification)
    let head = "{\"aps\":\(aps),\"\(PayloadMember.name)\":\(member)"
    let padding = payloadBytes.map { PayloadPadding.text(bytes: $0 - head.utf8.count - 1) } ?? ""
    return PushRequest(
      url: url,
      headers: [HeaderField(APNsDialect.Header.id, notification.id.description)] + sameHeaders,
      body: Array((head + padding + "}").utf8))
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 { return ProviderAssessment(.accepted) }
    return ProviderAssessment(
      .rejected(reason: ReasonBody.read(response.body)), retryAfter: RetryAfter.pause(response))
  }
}
