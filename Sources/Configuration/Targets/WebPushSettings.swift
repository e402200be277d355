import FoundationEssentials
import Measurement

/// What a Web Push message contains, its subscription, and the credentials it is sent with.
public struct WebPushSettings: Sendable, Hashable {
  /// VAPID (RFC 8292).
  public struct Credentials: Sendable, Hashable {
    public var vapidKey: SecretReference
    /// `mailto:` or `https:`.
    public var subject: String

    public init(vapidKey: SecretReference, subject: String) {
      self.vapidKey = vapidKey
      self.subject = subject
    }
  }

  /// JSON of the browser's subscription.
  public var subscription: SecretReference
  /// How long the service may store the message, in whole seconds; zero: one delivery attempt.
  public var ttl: Duration
  public var urgency: WebPushUrgency
  /// A message replaces an undelivered one of the same topic.
  public var topic: String?
  /// Exact size of the encrypted body.
  public var payloadBytes: Int?
  /// `nil` for services that require none.
  public var credentials: Credentials?

  public init(
    subscription: SecretReference, ttl: Duration = .zero, urgency: WebPushUrgency = .high,
    topic: String? = nil,
    payloadBytes: Int? = nil, credentials: Credentials?
  ) {
    self.subscription = subscription
    self.ttl = ttl
    self.urgency = urgency
    self.topic = topic
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}

extension WebPushSettings {
  static let keys =
    YAMLMapping.secretKeys("subscription") + ["ttl", "urgency", "topic", "payload_bytes", "credentials"]

  static let payloadBytes = 256...WebPushDialect.maximumBodyBytes

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let lives = map.ttlAxis(longest: .seconds(WebPushDialect.longestTTL))
    let urgencies = map.axis(
      "urgency", absent: WebPushUrgency.high, word: \.rawValue, read: { $0.choice(of: WebPushUrgency.self) })
    let sizes = map.payloadAxis(in: payloadBytes)
    map.check(variants: lives.choices.count * urgencies.choices.count * sizes.choices.count)

    let subscription = map.secret("subscription", example: "subscription_file: subscription.json")
    let topic = map["topic"]?.parsed(topic)
    let credentials = map["credentials"].flatMap { Credentials($0) }
    guard let subscription else { return [] }

    return lives.choices.flatMap { ttl in
      urgencies.choices.flatMap { urgency in
        sizes.choices.map { size in
          TargetVariant(
            name: TargetVariant.name(lives.part(ttl), urgencies.part(urgency), sizes.part(size)),
            settings: .webpush(
              WebPushSettings(
                subscription: subscription, ttl: ttl.value, urgency: urgency.value, topic: topic,
                payloadBytes: size.value, credentials: credentials)))
        }
      }
    }
  }

  private struct Subscription: Decodable {
    var endpoint: String
  }

  /// The subscription's endpoint; problems are reported at the key that names the subscription.
  static func endpoint(_ map: YAMLMapping, _ subscription: SecretReference) -> Endpoint? {
    let source = map["subscription_file"] ?? map["subscription"] ?? map.value
    // Checked by its name only, so that the endpoint is not known. Nothing is sent from such a configuration.
    if case .file(let file) = subscription, file.isUnread {
      return try? Endpoint.parse("https://subscription.invalid/")
    }
    guard let bytes = try? subscription.read() else { return nil }
    guard let text = try? JSONDecoder().decode(Subscription.self, from: Data(bytes)).endpoint else {
      source.report(
        "\(subscription) is not a push subscription",
        remedy: "use the browser's JSON of PushSubscription.toJSON()")
      return nil
    }
    guard let endpoint = try? Endpoint.parse(text), text.utf8.count <= 4096 else {
      source.report(
        "the endpoint in \(subscription) is not an https URL",
        remedy: "use the browser's JSON of PushSubscription.toJSON()")
      return nil
    }
    return endpoint
  }

  /// RFC 8030, section 5.4; the provider checks the additional rules of single services.
  private static func topic(_ text: String) throws(ValueTextError) -> String {
    guard WebPushDialect.isTopic(text) else {
      throw ValueTextError(text, "is not a topic", remedy: "write 1 to 32 letters, digits, - and _")
    }
    return text
  }
}

extension WebPushSettings.Credentials {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: YAMLMapping.secretKeys("vapid_key") + ["subject"]) else { return nil }
    let key = map.secret("vapid_key", example: "vapid_key_file: vapid.pem")
    let subject = map.required("subject", example: "subject: mailto:ops@example.com")?.parsed(Self.subject)
    guard let key, let subject else { return nil }
    self.init(vapidKey: key, subject: subject)
  }

  private static func subject(_ text: String) throws(ValueTextError) -> String {
    guard WebPushDialect.isSubject(text) else {
      throw ValueTextError(
        text, "is not a contact", remedy: "write mailto:you@your.domain or https://your.domain")
    }
    return text
  }
}
