import FoundationEssentials
import Measurement

/// What a Web Push message contains, its subscription, and the credentials it is sent with.
public struct WebPushSettings: Sendable, Hashable {
  /// VAPID (RFC 8292).
  public struct Credentials: Sendable, Hashable {
    public var vapidKey: SecretReference
    public var subject: String
  }

  /// Who receives the messages.
  public enum Receiver: Sendable, Hashable {
    /// A browser or an app, by the JSON of its subscription.
    case subscription(SecretReference)
    /// The collector itself, as a user agent of the push service at this URL, whose scheme stands for `wss`.
    case collector(Endpoint)
  }

  public var receiver: Receiver
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
    let subscribe = Key(
      "subscribe", .parsed("a `wss:` URL", WebPushSettings.service),
      "in place of a subscription: the collector subscribes at this push service and receives its own messages"
    )
    let ttl = Key(
      "ttl", listOf: .wholeSeconds(upTo: WebPushDialect.longestTTL), default: .zero,
      "with `subscribe`: `receipt_deadline`")
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
    let (receiver, topic, credentials) = (receiver(section), section.topic, section.credentials)
    if case .collector? = receiver, urgencies.choices.count > 1 {
      section[\.urgency]?.report(
        "has no effect on delivery: push services with user agents like the collector, as Mozilla's, do not read it",
        remedy: "write one value, or delete this line")
    }
    return TargetVariant.combinations(section.map, lives, urgencies, sizes) { ttl, urgency, size in
      guard let receiver else { return nil }
      return .webpush(
        WebPushSettings(
          receiver: receiver, ttl: ttl.value, urgency: urgency.value, topic: topic,
          payloadBytes: size.value, credentials: credentials))
    }
  }

  private static func receiver(_ section: Section<Keys>) -> Receiver? {
    guard !section.lacks(\.subscribe) else { return section.subscription.map(Receiver.subscription) }
    section.exclude(\.subscribe, with: \.subscription)
    return section.subscribe.map(Receiver.collector)
  }

  /// The collector receives the messages.
  var isReceivedByCollector: Bool {
    if case .collector = receiver { true } else { false }
  }

  /// A push service's WebSocket, with the scheme `https`.
  private static func service(_ text: String) throws(ValueTextError) -> Endpoint {
    guard text.lowercased().hasPrefix("wss://") else {
      throw ValueTextError(
        text.contains("@") ? "…" : text, "is not a wss URL",
        remedy: "write the push service's WebSocket, like wss://push.services.mozilla.com/")
    }
    return try Endpoint.endpoint(
      in: "https://" + text.dropFirst("wss://".count),
      userRemedy: "delete it: these push services know no users")
  }

  /// Where a push service's endpoints are, unless the configuration says something else: Mozilla's at another host than its
  /// WebSocket, those of others at the same.
  static func endpoints(of service: Endpoint) -> Endpoint {
    let isMozilla = service.host == "push.services.mozilla.com"
    return Endpoint(
      scheme: .https, host: isMozilla ? "updates.push.services.mozilla.com" : service.host, port: service.port
    )
  }

  private struct Subscription: Decodable {
    var endpoint: String
  }

  /// The subscription's endpoint, or where the collector's own will be; problems are reported at the key that names the subscription.
  static func endpoint(_ section: Section<Keys>, _ receiver: Receiver) -> Endpoint? {
    let subscription: SecretReference
    switch receiver {
    case .subscription(let reference): subscription = reference
    case .collector(let service): return endpoints(of: service)
    }
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
