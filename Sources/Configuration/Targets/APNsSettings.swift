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
  public var pushType: APNsPushType
  /// One of ``APNsPushType/priorities``.
  public var priority: Int
  public var expiration: APNsExpiration
  public var collapseID: String?
  /// Exact size of the payload.
  public var payloadBytes: Int?
  public var credentials: Credentials

  public init(
    deviceToken: SecretReference, topic: String?, pushType: APNsPushType = .alert, priority: Int? = nil,
    expiration: APNsExpiration = .once, collapseID: String? = nil, payloadBytes: Int? = nil,
    credentials: Credentials
  ) {
    self.deviceToken = deviceToken
    self.topic = topic
    self.pushType = pushType
    self.priority = priority ?? pushType.priorities[0]
    self.expiration = expiration
    self.collapseID = collapseID
    self.payloadBytes = payloadBytes
    self.credentials = credentials
  }
}

extension APNsSettings {
  static let keys =
    YAMLMapping.secretKeys("device_token") + [
      "topic", "push_type", "priority", "expiration", "collapse_id", "payload_bytes", "credentials",
    ]

  /// Enough for the members that every payload has.
  static let minimumPayloadBytes = 256

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis("priority", absent: nil, word: { $0.map(String.init) ?? "" }, read: priority)
    let pushTypes = map.axis(
      "push_type", absent: APNsPushType.alert, word: \.rawValue, read: { $0.choice(of: APNsPushType.self) })
    let sizes = map.payloadAxis(in: minimumPayloadBytes...APNsPushType.voip.maximumPayloadBytes)
    map.check(variants: priorities.choices.count * pushTypes.choices.count * sizes.choices.count)

    let credentials = map.required("credentials", example: tokenExample).flatMap { Credentials($0) }
    let deviceToken = map.secret("device_token", example: "device_token_file: device.token")
    let topic = map["topic"]?.parsed { text throws(ValueTextError) in
      try Self.topic(text, for: pushTypes.choices.map(\.value))
    }
    if map["topic"] == nil, case .token = credentials {
      _ = map.required("topic", example: "topic: com.example.app")
    }
    let expiration = map["expiration"]?.parsed(expiration) ?? .once
    let collapseID = map["collapse_id"]?.string(maximumBytes: APNsDialect.maximumCollapseIDBytes)

    var variants: [TargetVariant] = []
    for priority in priorities.choices {
      for pushType in pushTypes.choices {
        checkPriority(priority, pushType.value)
        for size in sizes.choices {
          checkSize(size, pushType.value)
          guard let deviceToken, let credentials else { continue }
          variants.append(
            TargetVariant(
              name: TargetVariant.name(
                priorities.part(priority), pushTypes.part(pushType), sizes.part(size)),
              settings: .apns(
                APNsSettings(
                  deviceToken: deviceToken, topic: topic, pushType: pushType.value, priority: priority.value,
                  expiration: expiration, collapseID: collapseID, payloadBytes: size.value,
                  credentials: credentials))))
        }
      }
    }
    return variants
  }

  /// Also of the loopback service, which has APNs' priorities.
  static func priority(_ value: YAMLValue) -> Int?? {
    guard let number = value.integer(in: 1...10) else { return nil }
    guard [1, 5, 10].contains(number) else {
      value.report("\(number) is not a priority", remedy: "write 10, 5 or 1")
      return nil
    }
    return .some(number)
  }

  static func checkPriority(_ priority: VariantAxis<Int?>.Choice, _ pushType: APNsPushType) {
    guard let number = priority.value, !pushType.priorities.contains(number) else { return }
    priority.source?.report(
      "\(number) does not go with push_type: \(pushType.rawValue)",
      remedy:
        "write \(pushType.priorities.map(String.init).joined(separator: " or ")) for it, in a target of its own"
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

private let tokenExample = "credentials: { signing_key_file: AuthKey_ABC123DEFG.p8, key_id: …, team_id: … }"

extension APNsSettings.Credentials {
  private static let keys =
    YAMLMapping.secretKeys("signing_key") + ["key_id", "team_id", "certificate_file", "private_key_file"]

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: Self.keys) else { return nil }
    if let certificate = map["certificate_file"] {
      for key in YAMLMapping.secretKeys("signing_key") + ["key_id", "team_id"] {
        map.exclude("certificate_file", with: key)
      }
      let file = certificate.file()
      let key = map.required("private_key_file", example: "private_key_file: push.key")?.secretFile()
      guard let file, let key else { return nil }
      self = .certificate(certificateFile: file, privateKeyFile: key)
      return
    }
    map["private_key_file"]?.report(
      "has no certificate", remedy: "name its certificate with certificate_file, or delete this line")
    let key = map.secret("signing_key", example: "signing_key_file: AuthKey_ABC123DEFG.p8")
    let keyID = map.required("key_id", example: "key_id: ABC123DEFG")?.parsed(Self.identifier)
    let teamID = map.required("team_id", example: "team_id: DEF123GHIJ")?.parsed(Self.identifier)
    guard let key, let keyID, let teamID else { return nil }
    self = .token(signingKey: key, keyID: keyID, teamID: teamID)
  }

  private static func identifier(_ text: String) throws(ValueTextError) -> String {
    guard text.utf8.count == 10, text.utf8.allSatisfy({ ASCII.isDigit($0) || ASCII.isLetter($0) }) else {
      throw ValueTextError(
        text, "is not ten letters and digits", remedy: "copy it from Apple's developer site")
    }
    return text
  }
}
