import FoundationEssentials
import Measurement

/// What a Web Push message contains, its subscription, and the credentials it is sent with.
public struct WebPushSettings: Sendable, Hashable {
  /// VAPID (RFC 8292).
  public struct Credentials: Sendable, Hashable {
    public var vapidKey: SecretReference
    public var subject: String
  }

  public var subscription: SecretReference
  /// How long the service may store the message, in whole seconds; zero: one delivery attempt.
  public var ttl = Duration.zero
  public var urgency = WebPushUrgency.high
  public var topic: String?
  /// Exact size of the encrypted body.
  public var payloadBytes: Int?
  /// `nil` for services that require none.
  public var credentials: Credentials?
}

extension WebPushSettings {
  struct Keys: SectionKeys {
    static let title = "webpush"
    let subscription = Key(
      secret: "subscription", required: "subscription_file: subscription.json",
      "JSON of the browser; or `subscription`")
    let ttl = Key("ttl", listOf: .wholeSeconds(upTo: WebPushDialect.longestTTL), default: .zero, "")
    let urgency = Key("urgency", listOf: .choice(of: WebPushUrgency.self), default: .high, "")
    let topic = Key(
      "topic", .parsed("at most 32 characters", WebPushSettings.topic), "replaces an undelivered notification"
    )
    let payloadBytes = Key(
      "payload_bytes", listOf: .integer(in: 256...WebPushDialect.maximumBodyBytes),
      "pads the body to exactly this size")
    let credentials = Key("credentials", .section(Credentials.self), "VAPID")
  }

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let (lives, urgencies, sizes) = (section.ttl, section.urgency, section.payloadBytes)
    let (subscription, topic, credentials) = (section.subscription, section.topic, section.credentials)
    return TargetVariant.combinations(section.map, lives, urgencies, sizes) { ttl, urgency, size in
      guard let subscription else { return nil }
      return .webpush(
        WebPushSettings(
          subscription: subscription, ttl: ttl.value, urgency: urgency.value, topic: topic,
          payloadBytes: size.value, credentials: credentials))
    }
  }

  private struct Subscription: Decodable {
    var endpoint: String
  }

  /// The subscription's endpoint; problems are reported at the key that names the subscription.
  static func endpoint(_ section: Section<Keys>, _ subscription: SecretReference) -> Endpoint? {
    let source = section[\.subscription] ?? section.map.value
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

extension WebPushSettings.Credentials: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "webpush.credentials"
    let vapidKey = Key(secret: "vapid_key", required: "vapid_key_file: vapid.pem", "PEM; or `vapid_key`")
    let subject = Key(
      "subject", .parsed("`mailto:` or `https:`", WebPushSettings.Credentials.subject),
      required: "subject: mailto:ops@example.com", "whom the service can ask")
  }

  init?(_ section: Section<Keys>) {
    let (key, subject) = (section.vapidKey, section.subject)
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
