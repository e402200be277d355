import Cryptography
import FoundationEssentials
import Measurement

/// Web Push (RFC 8030, 8291, 8292): browsers and UnifiedPush.
public struct WebPushProvider: Provider {

  /// Key and salt of one message.
  public struct MessageKeys: Sendable {
    var key: P256.PrivateKey
    /// 16 bytes.
    var salt: [UInt8]

    /// New random values of the system's generator.
    public static func random() -> MessageKeys {
      MessageKeys(key: P256.PrivateKey(), salt: RandomBytes.make(16))
    }
  }

  private var subscription: PushSubscription
  private var headers: [HeaderField]
  private let ttl: Int64
  private let payloadBytes: Int?
  private let messageKeys: @Sendable () -> MessageKeys

  /// - Parameters:
  ///   - ttl: how long the service may keep it, whole seconds; zero: now or never.
  ///   - topic: a later message replaces an earlier one of the same topic that still waits; see
  ///     ``WebPushDialect/isTopic(_:)`` and ``WebPushDialect/isTopicForApple(_:)``.
  ///   - payloadBytes: make the encrypted body exactly so long.
  ///   - authorization: as ``VAPIDSigner`` makes it; `nil` for services that ask for none.
  ///   - messageKeys: key and salt for one message.
  /// - Throws: ``ProviderError`` for settings that services would refuse.
  public init(
    subscription: PushSubscription, ttl: Duration = .zero, urgency: WebPushUrgency = .high,
    topic: String? = nil, payloadBytes: Int? = nil, authorization: String?,
    messageKeys: @escaping @Sendable () -> MessageKeys = MessageKeys.random
  ) throws(ProviderError) {
    let seconds = ttl.components.seconds
    guard (0...Int64(WebPushDialect.longestTTL)).contains(seconds) else {
      throw ProviderError("ttl", "is out of range", remedy: "write a duration from 0s to 30d")
    }
    if let topic, !WebPushDialect.isTopic(topic) {
      throw ProviderError("topic", "is not a topic", remedy: "write 1 to 32 letters, digits, - and _")
    }
    if let topic, subscription.isAtApple, !WebPushDialect.isTopicForApple(topic) {
      throw ProviderError(
        "topic", "\"\(topic)\" is not valid for Apple's push service, which decodes it as base64url",
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
    self.ttl = seconds
    self.subscription = subscription
    self.payloadBytes = payloadBytes
    self.messageKeys = messageKeys
  }

  /// The same for another subscription, at another service with the same rules.
  /// - Parameter least: the time to live at the least; seconds that are begun count.
  public func addressed(to subscription: PushSubscription, leastTTL least: Duration = .zero)
    -> WebPushProvider
  {
    var provider = self
    provider.subscription = subscription
    let seconds = min(max(ttl, least.wholeSeconds), Int64(WebPushDialect.longestTTL))
    if seconds != ttl { provider.headers[0] = HeaderField(WebPushDialect.Header.ttl, String(seconds)) }
    return provider
  }

  /// Size of the encrypted body without padding, with a receipt's MAC.
  public static var smallestPayloadBytes: Int {
    plaintext(PayloadMember.largestJSON).count + WebPushCipher.overheadBytes
  }

  private static func plaintext(_ member: String) -> [UInt8] {
    Array("{\"\(PayloadMember.name)\":\(member)}".utf8)
  }

  public func request(for notification: PushNotification) -> PushRequest {
    let plaintext = Self.plaintext(PayloadMember.json(for: notification))
    let fresh = messageKeys()
    let padding = payloadBytes.map { $0 - plaintext.count - WebPushCipher.overheadBytes } ?? 0
    let body = try? WebPushCipher.encrypt(
      plaintext, padding: padding, for: subscription, key: fresh.key, salt: fresh.salt)
    // Sizes and keys have been checked, so encryption succeeds; without a body a service responds 400.
    return PushRequest(url: subscription.endpoint, headers: headers, body: body ?? [])
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    // 201 and 202 are of RFC 8030, section 5; UnifiedPush servers also respond 200.
    if (200...202).contains(response.status) || response.status == 204 {
      return ProviderAssessment(.accepted, answerID: AnswerID.location(response.headers["location"]))
    }
    let refusal = WebPushRefusal(response)
    return ProviderAssessment(
      .rejected(reason: refusal.reason), retryAfter: RetryAfter.pause(response),
      credential: refusal.credential,
      // RFC 8030, section 7.3: the subscription has expired.
      isReceiverUnknown: response.status == 404 || response.status == 410)
  }
}

/// Why a push service refused a message. RFC 8030 defines statuses only; the service is identified by its response
/// format, not by its address, which may be that of a test server.
public struct WebPushRefusal: Sendable, Hashable {
  /// Push services that can be told apart by how they refuse.
  public enum Service: Sendable, Hashable {
    /// autopush: `{"code":…,"errno":…,"error":…,"message":…}`.
    case mozilla
    /// `{"reason":…}`.
    case apple
    /// Plain text.
    case google
    /// WNS: `X-WNS-*` headers.
    case windows
    /// `{"code":…,"http":…,"error":…}`, of ntfy as UnifiedPush server.
    case ntfy
    /// Another service: a UnifiedPush server without a body, or a proxy.
    case unknown
  }

  public let service: Service
  /// The service's reason; with number for Mozilla, like `errno 103 Gone`.
  public let reason: String
  public let credential: CredentialSignal?

  private struct Body: Decodable {
    var reason: String?
    var errno: Int?
    var code: Int?
    var http: Int?
    var error: String?
    var message: String?

    enum Key: String, CodingKey { case reason, errno, code, http, error, message }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      reason = try? container.decode(String.self, forKey: .reason)
      errno = try? container.decode(Int.self, forKey: .errno)
      code = try? container.decode(Int.self, forKey: .code)
      http = try? container.decode(Int.self, forKey: .http)
      error = try? container.decode(String.self, forKey: .error)
      message = try? container.decode(String.self, forKey: .message)
    }
  }

  public init(_ response: PushResponse) {
    let (service, reason) = Self.read(response)
    self.service = service
    self.reason = ReasonBody.bounded(reason)
    credential =
      switch (response.status, reason) {
      case (_, "ExpiredJwtToken"): .expired
      case (401, _), (403, _): .refused
      default: nil
      }
  }

  private static func read(_ response: PushResponse) -> (Service, String) {
    let wns = ["x-wns-error-description", "x-wns-status", "x-wns-notificationstatus"]
    if let words = wns.lazy.compactMap({ response.headers[$0] }).first(where: { !$0.isEmpty }) {
      return (.windows, words)
    }
    guard ReasonBody.isJSONObject(response.body) else {
      let text = plainText(response)
      return text.isEmpty ? (.unknown, "") : (.google, text)
    }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)) else {
      return (.unknown, "")
    }
    if let errno = body.errno {
      return (
        .mozilla, ["errno \(errno)", body.error ?? body.message].compactMap { $0 }.joined(separator: " ")
      )
    }
    if let reason = body.reason { return (.apple, reason) }
    if body.http != nil, let code = body.code { return (.ntfy, "\(code) \(body.error ?? "")") }
    return (.unknown, body.error ?? body.message ?? "")
  }

  /// The first line of a plain text. A body with a content coding is not read, since none was requested.
  private static func plainText(_ response: PushResponse) -> String {
    let type = response.headers["content-type"]?.lowercased() ?? ""
    let coding = response.headers["content-encoding"]?.lowercased() ?? "identity"
    guard type.isEmpty || type.hasPrefix("text/plain"), coding == "identity" else { return "" }
    let text = String(decoding: response.body.prefix(1024), as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) }),
      !line.hasPrefix("<")
    else { return "" }
    return String(line)
  }
}
