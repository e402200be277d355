import Crypto
import Measurement

/// Web Push (RFC 8030, 8291, 8292): browsers, and whatever speaks UnifiedPush.
public struct WebPushProvider: Provider {
  public let name = "webpush"

  /// What must be new for every message.
  public struct Ingredients: Sendable {
    var key: P256.KeyAgreement.PrivateKey
    /// 16 bytes.
    var salt: [UInt8]

    /// From the system's generator.
    public static func random() -> Ingredients {
      var generator = SystemRandomNumberGenerator()
      return Ingredients(
        key: P256.KeyAgreement.PrivateKey(),
        salt: (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }
  }

  private let subscription: PushSubscription
  private let headers: [HeaderField]
  private let payloadBytes: Int?
  private let ingredients: @Sendable () -> Ingredients

  /// - Parameters:
  ///   - ttl: how long the service may keep it, whole seconds; zero: now or never.
  ///   - topic: a later message replaces an earlier one of the same topic that still waits; see
  ///     ``WebPushDialect/isTopic(_:)`` and ``WebPushDialect/isTopicForApple(_:)``.
  ///   - payloadBytes: make the encrypted body exactly so long.
  ///   - authorization: as ``VAPIDSigner`` makes it; `nil` for services that ask for none.
  ///   - ingredients: key and salt for one message.
  /// - Throws: ``ProviderError`` for what services would refuse.
  public init(
    subscription: PushSubscription, ttl: Duration = .zero, urgency: WebPushUrgency = .high,
    topic: String? = nil, payloadBytes: Int? = nil, authorization: String?,
    ingredients: @escaping @Sendable () -> Ingredients = Ingredients.random
  ) throws(ProviderError) {
    let seconds = ttl.components.seconds
    guard (0...Int64(WebPushDialect.longestTTL)).contains(seconds) else {
      throw ProviderError("ttl", "is out of range", remedy: "write a duration from 0s to 30d")
    }
    if let topic, !WebPushDialect.isTopic(topic) {
      throw ProviderError("topic", "is none", remedy: "write 1 to 32 letters, digits, - and _")
    }
    if let topic, subscription.isAtApple, !WebPushDialect.isTopicForApple(topic) {
      throw ProviderError(
        "topic", "\"\(topic)\" is none that Apple's push service takes, which decodes it as base64url",
        remedy: "make it a character longer or shorter")
    }
    if let payloadBytes {
      let range = Self.smallestPayloadBytes...WebPushDialect.maximumBodyBytes
      guard range.contains(payloadBytes) else {
        throw ProviderError(
          "payload_bytes", "\(payloadBytes) is out of range",
          remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
    var headers = [
      HeaderField(WebPushDialect.Header.ttl, String(seconds)),
      HeaderField(WebPushDialect.Header.urgency, urgency.rawValue),
      HeaderField(WebPushDialect.Header.contentEncoding, "aes128gcm"),
      HeaderField("content-type", "application/octet-stream"),
    ]
    if let topic { headers.append(HeaderField(WebPushDialect.Header.topic, topic)) }
    if let authorization { headers.append(HeaderField("authorization", authorization)) }
    self.headers = headers
    self.subscription = subscription
    self.payloadBytes = payloadBytes
    self.ingredients = ingredients
  }

  /// Of the encrypted body, with a receipt's MAC in it.
  public static var smallestPayloadBytes: Int {
    plaintext(PayloadMember.largestJSON).count + WebPushCipher.overheadBytes
  }

  private static func plaintext(_ member: String) -> [UInt8] {
    Array("{\"\(PayloadMember.name)\":\(member)}".utf8)
  }

  public func request(for notification: PushNotification) -> PushRequest {
    let plaintext = Self.plaintext(PayloadMember.json(for: notification))
    let fresh = ingredients()
    let padding = payloadBytes.map { $0 - plaintext.count - WebPushCipher.overheadBytes } ?? 0
    let body = try? WebPushCipher.encrypt(
      plaintext, padding: padding, for: subscription, key: fresh.key, salt: fresh.salt)
    // Sizes and keys were checked before, so there is always a body; without one a service answers 400.
    return PushRequest(url: subscription.endpoint, headers: headers, body: body ?? [])
  }

  public func judge(_ response: PushResponse) -> ProviderAssessment {
    // 201 and 202 are RFC 8030's (section 5); UnifiedPush servers answer 200 as well.
    if (200...202).contains(response.status) || response.status == 204 {
      return ProviderAssessment(.accepted)
    }
    let refusal = WebPushRefusal(response)
    return ProviderAssessment(
      .rejected(reason: refusal.reason), retryAfter: RetryAfter.pause(response),
      credential: refusal.credential,
      // RFC 8030, section 7.3: the subscription has expired. Nothing should be sent to it again.
      isReceiverUnknown: response.status == 404 || response.status == 410)
  }
}
