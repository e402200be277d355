import Measurement

/// What a message through ntfy contains, and the credentials it is sent with.
public struct NtfySettings: Sendable, Hashable {
  /// How the sender proves who it is.
  public enum Credentials: Sendable, Hashable {
    /// No credentials, for a topic without access control.
    case anonymous
    /// An access token, `tk_…`.
    case token(SecretReference)
    case basic(username: String, password: SecretReference)
  }

  public var topic: String
  /// 1 to 5; `nil` for the server's own.
  public var priority: Int?
  /// Whether the collector subscribes to the topic, which measures delivery on one host with one clock.
  public var subscribe: Bool
  /// Exact size of the message.
  public var payloadBytes: Int?
  public var credentials: Credentials

  public init(
    topic: String, priority: Int? = nil, subscribe: Bool = false, payloadBytes: Int? = nil,
    credentials: Credentials = .anonymous
  ) {
    self.topic = topic
    self.priority = priority
    self.subscribe = subscribe
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}

extension NtfySettings {
  static let keys = ["topic", "priority", "subscribe", "payload_bytes", "credentials"]

  static let payloadBytes = 256...NtfyDialect.maximumMessageBytes
  /// Default of a target that subscribes.
  static let defaultReceiptDeadline = Duration.seconds(30)

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis(
      "priority", absent: nil, word: { $0.map(String.init) ?? "" },
      read: { $0.integer(in: NtfyDialect.priorities) })
    let sizes = map.payloadAxis(in: payloadBytes)
    map.check(variants: priorities.choices.count * sizes.choices.count)
    let topic = map.required("topic", example: "topic: pushscope-3f9a")?.parsed(topic)
    let subscribe = map["subscribe"]?.boolean() ?? false
    let credentials: Credentials? =
      if let value = map["credentials"] { Credentials(value) } else { .anonymous }
    guard let topic, let credentials else { return [] }

    return priorities.choices.flatMap { priority in
      sizes.choices.map { size in
        TargetVariant(
          name: TargetVariant.name(priorities.part(priority), sizes.part(size)),
          settings: .ntfy(
            NtfySettings(
              topic: topic, priority: priority.value, subscribe: subscribe, payloadBytes: size.value,
              credentials: credentials)))
      }
    }
  }

  private static func topic(_ text: String) throws(ValueTextError) -> String {
    guard NtfyDialect.isTopic(text) else {
      throw ValueTextError(
        text, "is not a topic", remedy: "write 1 to 64 letters, digits, hyphens and underscores")
    }
    guard !NtfyDialect.reservedTopics.contains(text) else {
      throw ValueTextError(text, "is a topic that ntfy reserves", remedy: "choose another name")
    }
    return text
  }
}

extension NtfySettings.Credentials {
  init?(_ value: YAMLValue) {
    let keys = YAMLMapping.secretKeys("token") + ["username"] + YAMLMapping.secretKeys("password")
    guard let map = value.mapping(keys: keys) else { return nil }
    if let username = map["username"] {
      for key in YAMLMapping.secretKeys("token") { map.exclude("username", with: key) }
      let name = username.string(maximumBytes: 256)
      if let name, name.contains(":") {
        username.report("contains a colon", remedy: "write the user name without the password")
      }
      let password = map.secret("password", example: "password_file: ntfy.password")
      guard let name, let password else { return nil }
      self = .basic(username: name, password: password)
      return
    }
    for key in YAMLMapping.secretKeys("password") {
      map[key]?.report("has no user name", remedy: "add a line like `username: probe`")
    }
    guard let token = map.secret("token", example: "token_file: ntfy.token") else { return nil }
    self = .token(token)
  }
}
