import FoundationEssentials

extension WebPushSettings {
  static let keys =
    YAMLMapping.secretKeys("subscription") + ["ttl", "urgency", "topic", "payload_bytes", "credentials"]

  static let payloadBytes = 256...4096

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let lives = map.ttlAxis(longest: .seconds(30 * 86_400))
    let urgencies = map.axis(
      "urgency", absent: Urgency.high, word: \.rawValue, read: { $0.choice(of: Urgency.self) })
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

  /// Where the subscription says to send; reported where it stands in the configuration.
  static func endpoint(_ map: YAMLMapping, _ subscription: SecretReference) -> Endpoint? {
    let source = map["subscription_file"] ?? map["subscription"] ?? map.value
    guard let bytes = try? subscription.read() else { return nil }
    guard let text = try? JSONDecoder().decode(Subscription.self, from: Data(bytes)).endpoint else {
      source.report(
        "\(subscription) is no push subscription",
        remedy: "put in the JSON of PushSubscription.toJSON(), as the browser gave it")
      return nil
    }
    guard let endpoint = try? Endpoint.parse(text), text.utf8.count <= 4096 else {
      source.report(
        "the endpoint in \(subscription) is no https URL",
        remedy: "put in the JSON of PushSubscription.toJSON(), as the browser gave it")
      return nil
    }
    return endpoint
  }

  /// RFC 8030, section 5.4; what single services ask for beyond it is their provider's to know.
  private static func topic(_ text: String) throws(ValueTextError) -> String {
    let isPlain = text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "_-".utf8.contains($0)
    }
    guard isPlain, (1...32).contains(text.utf8.count) else {
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
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\".utf8.contains($0) }
    let address = text.hasPrefix("mailto:") ? text.dropFirst(7) : ""
    let isMail =
      address.split(separator: "@", omittingEmptySubsequences: false).count == 2
      && !address.hasPrefix("@") && !address.hasSuffix("@")
    guard isPlain, text.utf8.count <= 256, isMail || (text.hasPrefix("https://") && text.utf8.count > 8)
    else {
      throw ValueTextError(
        text, "is not a contact", remedy: "write mailto:you@your.domain or https://your.domain")
    }
    return text
  }
}
