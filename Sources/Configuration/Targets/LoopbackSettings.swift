/// What a request to the built-in service carries; it speaks APNs' words.
public struct LoopbackSettings: Sendable, Hashable {
  public enum PushType: String, Sendable, Hashable, CaseIterable {
    case alert, background
  }

  /// `apns-topic`.
  public var topic: String
  /// `apns-push-type`.
  public var pushType: PushType
  /// `apns-priority`: 1, 5 or 10; a background push goes with 5 or 1 only.
  public var priority: Int
  /// `apns-expiration`, Unix seconds; 0 asks for one attempt and no storing.
  public var expiration: Int
  /// The payload's exact size.
  public var payloadBytes: Int?

  static let keys = ["topic", "push_type", "priority", "expiration", "payload_bytes"]

  public init(
    topic: String = "com.example.app", pushType: PushType = .alert, priority: Int? = nil, expiration: Int = 0,
    payloadBytes: Int? = nil
  ) {
    self.topic = topic
    self.pushType = pushType
    self.priority = priority ?? (pushType == .background ? 5 : 10)
    self.expiration = expiration
    self.payloadBytes = payloadBytes
  }

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis("priority", absent: nil, word: { $0.map(String.init) ?? "" }, read: priority)
    let pushTypes = map.axis(
      "push_type", absent: PushType.alert, word: \.rawValue, read: { $0.choice(of: PushType.self) })
    let sizes = map.payloadAxis(in: 256...4096)
    map.check(variants: priorities.choices.count * pushTypes.choices.count * sizes.choices.count)
    let topic = map["topic"]?.string(maximumBytes: 256) ?? "com.example.app"
    let expiration = map["expiration"]?.integer(in: 0...4_102_444_800) ?? 0

    return priorities.choices.flatMap { priority in
      pushTypes.choices.flatMap { pushType in
        check(priority, pushType.value)
        return sizes.choices.map { size in
          TargetVariant(
            name: TargetVariant.name(priorities.part(priority), pushTypes.part(pushType), sizes.part(size)),
            settings: .loopback(
              LoopbackSettings(
                topic: topic, pushType: pushType.value, priority: priority.value, expiration: expiration,
                payloadBytes: size.value)))
        }
      }
    }
  }

  private static func priority(_ value: YAMLValue) -> Int?? {
    guard let number = value.integer(in: 1...10) else { return nil }
    guard [1, 5, 10].contains(number) else {
      value.report("\(number) is not a priority", remedy: "write 1, 5 or 10")
      return nil
    }
    return .some(number)
  }

  private static func check(_ priority: VariantAxis<Int?>.Choice, _ pushType: PushType) {
    guard priority.value == 10, pushType == .background else { return }
    priority.source?.report(
      "10 does not go with a background push", remedy: "write 5, or push_type: alert")
  }
}
