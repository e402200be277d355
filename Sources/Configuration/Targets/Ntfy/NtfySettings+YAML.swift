extension NtfySettings {
  static let keys = ["topic", "priority", "subscribe", "payload_bytes", "credentials"]

  /// A body of 4096 bytes is an attachment to ntfy.
  static let payloadBytes = 256...4095
  /// How long a message that we hear ourselves may take, when the target does not say.
  static let usualReceiptDeadline = Duration.seconds(30)

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis(
      "priority", absent: nil, word: { $0.map(String.init) ?? "" }, read: { $0.integer(in: 1...5) })
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
    let isPlain = text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "_-".utf8.contains($0)
    }
    guard isPlain, (1...64).contains(text.utf8.count) else {
      throw ValueTextError(
        text, "is not a topic", remedy: "write 1 to 64 letters, digits, hyphens and underscores")
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
        username.report("has a colon in it", remedy: "a user name that ntfy knows has none")
      }
      let password = map.secret("password", example: "password_file: ntfy.password")
      guard let name, let password else { return nil }
      self = .basic(username: name, password: password)
      return
    }
    for key in YAMLMapping.secretKeys("password") {
      map[key]?.report("has no user", remedy: "add a line like `username: probe`")
    }
    guard let token = map.secret("token", example: "token_file: ntfy.token") else { return nil }
    self = .token(token)
  }
}
