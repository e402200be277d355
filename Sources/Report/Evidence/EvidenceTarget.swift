import Configuration
import Cryptography
import Measurement

/// What a provider's engineers ask for of a target's requests, as the configuration has it now. It contains no secret: of tokens,
/// subscriptions and topics that are kept secret only the first digits of a hash.
public struct EvidenceTarget: Sendable, Equatable {
  /// A name, as the provider's protocol has it, and a value.
  public struct Field: Sendable, Equatable {
    public let name: String
    public let value: String
  }

  /// Fields by the names of variants; the name is empty where nothing is listed.
  private let variants: [String: [Field]]
  /// The longest time for which the service may keep a notification; `nil` of services that are not asked.
  let longestLife: Duration?

  public init(_ target: TargetConfiguration) {
    variants = Dictionary(
      target.variants.map { ($0.name, Self.fields(of: $0.settings, at: target.endpoint)) },
      uniquingKeysWith: { first, _ in first })
    longestLife = target.variants.compactMap { Self.life(of: $0.settings) }.max()
  }

  private static func life(of settings: ProviderSettings) -> Duration? {
    guard case .webpush(let webpush) = settings else { return nil }
    return webpush.ttl
  }

  /// The fields of a variant; of one that the configuration does not have any more, none.
  func fields(of variant: String) -> [Field] { variants[variant] ?? [] }

  private static func fields(of settings: ProviderSettings, at endpoint: Endpoint) -> [Field] {
    switch settings {
    case .apns(let apns):
      let topic = apns.topic.map { Field(name: "apns-topic", value: apns.pushType.topic(for: $0)) }
      return [topic].compactMap { $0 } + [
        Field(name: "apns-push-type", value: apns.pushType.rawValue),
        Field(name: "apns-priority", value: "\(apns.priority)"),
        Field(name: "apns-expiration", value: text(apns.expiration)), token(apns.deviceToken),
      ]
    case .fcm(let fcm):
      return [
        Field(name: "android.priority", value: fcm.priority.rawValue),
        Field(name: "android.ttl", value: "\(fcm.ttl.wholeSeconds)s"),
        token(fcm.deviceToken, name: fcm.receiver.rawValue),
      ]
    case .webpush(let webpush):
      return [
        Field(name: "Urgency", value: webpush.urgency.rawValue),
        Field(name: "TTL", value: "\(webpush.ttl.wholeSeconds)"),
      ] + (webpush.topic.map { [Field(name: "Topic", value: $0)] } ?? [])
        + [Field(name: "endpoint_sha256", value: digest(Array((endpoint.origin + endpoint.target).utf8)))]
    case .ntfy(let ntfy):
      // Who knows a topic can read it.
      return (ntfy.priority.map { [Field(name: "priority", value: "\($0)")] } ?? [])
        + [Field(name: "topic_sha256", value: digest(Array(ntfy.topic.utf8)))]
    case .loopback(let loopback):
      return [
        Field(name: "apns-topic", value: loopback.pushType.topic(for: loopback.topic)),
        Field(name: "apns-push-type", value: loopback.pushType.rawValue),
        Field(name: "apns-priority", value: "\(loopback.priority)"),
        Field(name: "apns-expiration", value: "\(loopback.expiration)"),
      ]
    case .http: return []
    }
  }

  private static func text(_ expiration: APNsExpiration) -> String {
    switch expiration {
    case .once: "0"
    case .at(let seconds): "\(seconds)"
    case .after(let duration): "\(DurationText.format(duration)) after it was planned"
    }
  }

  private static func token(_ secret: SecretReference, name: String = "token") -> Field {
    let text = (try? secret.read()).map(digest)
    return Field(name: "\(name)_sha256", value: text ?? "not readable here")
  }

  /// The first eight digits of the hash: enough to tell tokens apart, not enough to find one.
  private static func digest(_ bytes: [UInt8]) -> String {
    String(HexText.make(SHA256.hash(bytes)).prefix(8))
  }
}
