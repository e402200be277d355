import Measurement

/// What a request to APNs contains, and the credentials it is sent with.
public struct APNsSettings: Sendable, Hashable {
  /// How the sender proves who it is.
  public enum Credentials: Sendable, Hashable {
    /// The `.p8` key that signs provider tokens.
    case token(signingKey: SecretReference, keyID: String, teamID: String)
    /// PEM files of a TLS client certificate and its key.
    case certificate(certificateFile: String, privateKeyFile: SecretFile)
  }

  public var deviceToken: SecretReference
  /// Bundle ID; `nil` only with a certificate.
  public var topic: String?
  public var pushType = APNsPushType.alert
  /// One of ``APNsPushType/priorities``.
  public var priority = 10
  public var expiration = APNsExpiration.once
  public var collapseID: String?
  /// Exact size of the payload.
  public var payloadBytes: Int?
  public var credentials: Credentials
}

extension APNsSettings {
  struct Keys: SectionKeys {
    static let title = "apns"
    let deviceToken = Key(
      secret: "device_token", required: "device_token_file: device.token", "or `device_token`")
    let topic = Key(
      "topic", .read("a bundle ID") { $0 }, required: "topic: com.example.app",
      standard: "from the certificate", "required with a key")
    let pushType = Key("push_type", listOf: .choice(of: APNsPushType.self), default: .alert, "")
    let priority = Key("priority", listOf: .apnsPriority, standard: "by the push type", "")
    let expiration = Key(
      "expiration",
      .parsed("`0`, a duration up to `30d`, or Unix seconds", APNsSettings.expiration, text: { _ in "0" }),
      default: .once, "`0`: one delivery attempt")
    let collapseID = Key(
      "collapse_id", .text(maximumBytes: APNsDialect.maximumCollapseIDBytes),
      "replaces an earlier notification")
    let payloadBytes = Key(
      "payload_bytes",
      listOf: .integer(in: minimumPayloadBytes...APNsPushType.voip.maximumPayloadBytes),
      "pads the body to exactly this size, which the push type limits as well")
    let credentials = Key(
      "credentials", .section(Credentials.self),
      required: "credentials: { signing_key_file: AuthKey_ABC123DEFG.p8, key_id: …, team_id: … }",
      "a key or a certificate")
  }

  /// Enough for the members that every payload has.
  static let minimumPayloadBytes = 256

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let (priorities, pushTypes, sizes) = (section.priority, section.pushType, section.payloadBytes)
    let (credentials, deviceToken) = (section.credentials, section.deviceToken)
    let topic = section[\.topic]?.parsed { text throws(ValueTextError) in
      try Self.topic(text, for: pushTypes.choices.map(\.value))
    }
    if case .token = credentials { _ = section.topic }
    let (expiration, collapseID) = (section.expiration, section.collapseID)
    return TargetVariant.combinations(section.map, priorities, pushTypes, sizes) { priority, pushType, size in
      checkPriority(priority, pushType.value)
      checkSize(size, pushType.value)
      guard let deviceToken, let credentials else { return nil }
      return .apns(
        APNsSettings(
          deviceToken: deviceToken, topic: topic, pushType: pushType.value,
          priority: priority.value ?? pushType.value.priorities[0], expiration: expiration,
          collapseID: collapseID, payloadBytes: size.value, credentials: credentials))
    }
  }

  /// Also of the loopback service, which has APNs' priorities.
  fileprivate static func priority(_ value: YAMLValue) -> Int? {
    guard let number = value.integer(in: 1...10) else { return nil }
    guard [1, 5, 10].contains(number) else {
      value.report("\(number) is not a priority", remedy: "write 10, 5 or 1")
      return nil
    }
    return number
  }

  static func checkPriority(_ priority: VariantAxis<Int?>.Choice, _ pushType: APNsPushType) {
    guard let number = priority.value, !pushType.priorities.contains(number) else { return }
    priority.source?.report(
      "\(number) does not go with push_type: \(pushType.rawValue)",
      remedy:
        "write \(ListText.or(pushType.priorities.map(String.init))) for it, in a target of its own"
    )
  }

  private static func checkSize(_ size: VariantAxis<Int?>.Choice, _ pushType: APNsPushType) {
    guard let bytes = size.value, bytes > pushType.maximumPayloadBytes else { return }
    size.source?.report(
      "\(bytes) is more than push_type: \(pushType.rawValue) allows",
      remedy: "write at most \(pushType.maximumPayloadBytes)")
  }

  /// A bundle ID, or another name that Apple's certificates contain. The limit applies with the push type's suffix.
  static func topic(_ text: String, for pushTypes: [APNsPushType]) throws(ValueTextError) -> String {
    guard APNsDialect.isTopic(text) else {
      throw ValueTextError(text, "is not a topic", remedy: "write the app's bundle ID, like com.example.app")
    }
    if let long = pushTypes.first(where: { !APNsDialect.isTopic($0.topic(for: text)) }) {
      throw ValueTextError(
        text, "is too long with \(long.topicSuffix) behind it",
        remedy: "shorten it to \(255 - long.topicSuffix.utf8.count) bytes")
    }
    return text
  }

  private static func expiration(_ text: String) throws(ValueTextError) -> APNsExpiration {
    if let seconds = Int(text), (0...4_102_444_800).contains(seconds) {
      return seconds == 0 ? .once : .at(seconds)
    }
    guard let duration = try? DurationText.parse(text), duration <= .seconds(APNsDialect.longestStorage)
    else {
      throw ValueTextError(
        text, "is not an expiration",
        remedy: "write 0 (one delivery attempt), a duration up to 30d like 1h, or Unix seconds")
    }
    return duration < .seconds(1) ? .once : .after(duration)
  }
}

extension ValueKind<Int> {
  static var apnsPriority: Self { read("`10`, `5` or `1`", APNsSettings.priority) }
}

extension APNsSettings.Credentials: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "apns.credentials"
    let signingKey = Key(
      secret: "signing_key", required: "signing_key_file: AuthKey_ABC123DEFG.p8", standard: "–",
      "the .p8 file; or `signing_key`")
    let keyID = Key("key_id", .appleID, required: "key_id: ABC123DEFG", standard: "–", "of the key")
    let teamID = Key("team_id", .appleID, required: "team_id: DEF123GHIJ", standard: "–", "of the key")
    let certificateFile = Key("certificate_file", .file, "PEM; instead of a key")
    let privateKeyFile = Key(
      "private_key_file", .secretFile(), required: "private_key_file: push.key", standard: "–",
      "PEM, of the certificate")
  }

  init?(_ section: Section<Keys>) {
    if section[\.certificateFile] != nil {
      section.exclude(\.certificateFile, with: \.signingKey, \.keyID, \.teamID)
      let (file, key) = (section.certificateFile, section.privateKeyFile)
      guard let file, let key else { return nil }
      self = .certificate(certificateFile: file, privateKeyFile: key)
      return
    }
    section[\.privateKeyFile]?.report(
      "has no certificate", remedy: "name its certificate with certificate_file, or delete this line")
    let (key, keyID, teamID) = (section.signingKey, section.keyID, section.teamID)
    guard let key, let keyID, let teamID else { return nil }
    self = .token(signingKey: key, keyID: keyID, teamID: teamID)
  }

  fileprivate static func identifier(_ text: String) throws(ValueTextError) -> String {
    guard text.utf8.count == 10, text.utf8.allSatisfy({ ASCII.isDigit($0) || ASCII.isLetter($0) }) else {
      throw ValueTextError(
        text, "is not ten letters and digits", remedy: "copy it from Apple's developer site")
    }
    return text
  }
}

extension ValueKind<String> {
  fileprivate static var appleID: Self { parsed("10 characters", APNsSettings.Credentials.identifier) }
}
