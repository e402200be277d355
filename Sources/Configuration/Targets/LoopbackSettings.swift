import Measurement

/// What a request to the built-in service contains; it speaks APNs' dialect.
public struct LoopbackSettings: Sendable, Hashable {
  /// `apns-topic`.
  public var topic = "com.example.app"
  /// `alert` or `background`.
  public var pushType = APNsPushType.alert
  /// One of ``APNsPushType/priorities``.
  public var priority = 10
  /// `apns-expiration`, Unix seconds; 0 asks for one delivery attempt.
  public var expiration = 0
  /// Exact size of the payload.
  public var payloadBytes: Int?
}

extension LoopbackSettings {
  struct Keys: SectionKeys {
    static let title = "loopback"
    let topic = Key(
      "topic",
      .parsed("a bundle ID") { text throws(ValueTextError) in try APNsSettings.topic(text, for: []) },
      default: LoopbackSettings().topic, "")
    let pushType = Key(
      "push_type", listOf: .choice(among: [APNsPushType.alert, .background]),
      default: LoopbackSettings().pushType, "")
    let priority = Key("priority", listOf: .apnsPriority, standard: "by the push type", "")
    let expiration = Key(
      "expiration", .integer(in: 0...4_102_444_800), default: LoopbackSettings().expiration, "Unix seconds")
    let payloadBytes = Key(
      "payload_bytes",
      listOf: .integer(in: APNsSettings.minimumPayloadBytes...APNsDialect.maximumPayloadBytes),
      "pads the body to exactly this size")
  }

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let (priorities, pushTypes, sizes) = (section.priority, section.pushType, section.payloadBytes)
    let (topic, expiration) = (section.topic, section.expiration)
    return TargetVariant.combinations(section.map, priorities, pushTypes, sizes) { priority, pushType, size in
      APNsSettings.checkPriority(priority, pushType.value)
      return .loopback(
        LoopbackSettings(
          topic: topic, pushType: pushType.value,
          priority: priority.value ?? pushType.value.priorities[0], expiration: expiration,
          payloadBytes: size.value))
    }
  }
}
