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

  static let keys = ["topic", "push_type", "priority", "expiration"]

  public init(
    topic: String = "com.example.app", pushType: PushType = .alert, priority: Int? = nil, expiration: Int = 0
  ) {
    self.topic = topic
    self.pushType = pushType
    self.priority = priority ?? (pushType == .background ? 5 : 10)
    self.expiration = expiration
  }

  init(_ map: YAMLMapping) {
    let pushType = map["push_type"]?.choice(of: PushType.self) ?? .alert
    let priority = map["priority"]?.integer(in: 1...10)
    if let priority, ![1, 5, 10].contains(priority) {
      map["priority"]?.report("\(priority) is not a priority", remedy: "write 1, 5 or 10")
    } else if priority == 10, pushType == .background {
      map["priority"]?.report("10 does not go with a background push", remedy: "write 5, or push_type: alert")
    }
    self.init(
      topic: map["topic"]?.string(maximumBytes: 256) ?? "com.example.app", pushType: pushType,
      priority: priority,
      expiration: map["expiration"]?.integer(in: 0...4_102_444_800) ?? 0)
  }
}
