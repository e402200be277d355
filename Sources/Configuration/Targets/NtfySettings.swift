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
  public var subscribe = false
  /// Exact size of the message.
  public var payloadBytes: Int?
  public var credentials = Credentials.anonymous
}

extension NtfySettings {
  struct Keys: SectionKeys {
    static let title = "ntfy"
    let topic = Key(
      "topic", .parsed("at most 64 characters", NtfySettings.topic), required: "topic: pushscope-3f9a",
      "hard to guess")
    let priority = Key(
      "priority", listOf: .integer(in: NtfyDialect.priorities), standard: "`3`", "")
    let subscribe = Key("subscribe", .boolean, default: false, "receive the own messages")
    let payloadBytes = Key(
      "payload_bytes", listOf: .integer(in: 256...NtfyDialect.maximumMessageBytes),
      "pads the body to exactly this size")
    let credentials = Key(
      "credentials", .section(Credentials.self), "for a topic with access control")
  }

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let (priorities, sizes) = (section.priority, section.payloadBytes)
    let (topic, subscribe) = (section.topic, section.subscribe)
    let credentials = section[\.credentials] == nil ? .anonymous : section.credentials
    return TargetVariant.combinations(section.map, priorities, sizes, .single) { priority, size, _ in
      guard let topic, let credentials else { return nil }
      return .ntfy(
        NtfySettings(
          topic: topic, priority: priority.value, subscribe: subscribe, payloadBytes: size.value,
          credentials: credentials))
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

extension NtfySettings.Credentials: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "ntfy.credentials"
    let token = Key(secret: "token", required: "token_file: ntfy.token", standard: "–", "or `token`")
    let username = Key("username", .text(maximumBytes: 256), "instead of a token")
    let password = Key(
      secret: "password", required: "password_file: ntfy.password", standard: "–", "or `password`")
  }

  init?(_ section: Section<Keys>) {
    if let source = section[\.username] {
      section.exclude(\.username, with: \.token)
      let (name, password) = (section.username, section.password)
      if let name, name.contains(":") {
        source.report("contains a colon", remedy: "write the user name without the password")
      }
      guard let name, let password else { return nil }
      self = .basic(username: name, password: password)
      return
    }
    section[\.password]?.report("has no user name", remedy: "add a line like `username: probe`")
    guard let token = section.token else { return nil }
    self = .token(token)
  }
}
