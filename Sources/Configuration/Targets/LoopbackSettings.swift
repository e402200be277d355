import Measurement

/// What a request to the built-in service contains; it speaks APNs' dialect.
public struct LoopbackSettings: Sendable, Hashable {
  /// `apns-topic`.
  public var topic: String
  /// `alert` or `background`.
  public var pushType: APNsPushType
  /// One of ``APNsPushType/priorities``.
  public var priority: Int
  /// `apns-expiration`, Unix seconds; 0 asks for one delivery attempt.
  public var expiration: Int
  /// Exact size of the payload.
  public var payloadBytes: Int?

  static let keys = ["topic", "push_type", "priority", "expiration", "payload_bytes"]

  public init(
    topic: String = "com.example.app", pushType: APNsPushType = .alert, priority: Int? = nil,
    expiration: Int = 0,
    payloadBytes: Int? = nil
  ) {
    self.topic = topic
    self.pushType = pushType
    self.priority = priority ?? pushType.priorities[0]
    self.expiration = expiration
    self.payloadBytes = payloadBytes
  }

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis(
      "priority", absent: nil, word: { $0.map(String.init) ?? "" }, read: APNsSettings.priority)
    let pushTypes = map.axis(
      "push_type", absent: APNsPushType.alert, word: \.rawValue,
      read: { $0.choice(among: [APNsPushType.alert, .background]) })
    let sizes = map.payloadAxis(in: APNsSettings.minimumPayloadBytes...APNsDialect.maximumPayloadBytes)
    map.check(variants: priorities.choices.count * pushTypes.choices.count * sizes.choices.count)
    let topic = map["topic"]?.parsed { text throws(ValueTextError) in
      try APNsSettings.topic(text, for: [])
    }
    let expiration = map["expiration"]?.integer(in: 0...4_102_444_800) ?? 0

    return priorities.choices.flatMap { priority in
      pushTypes.choices.flatMap { pushType in
        APNsSettings.checkPriority(priority, pushType.value)
        return sizes.choices.map { size in
          TargetVariant(
            name: TargetVariant.name(priorities.part(priority), pushTypes.part(pushType), sizes.part(size)),
            settings: .loopback(
              LoopbackSettings(
                topic: topic ?? "com.example.app", pushType: pushType.value, priority: priority.value,
                expiration: expiration, payloadBytes: size.value)))
        }
      }
    }
  }
}
