extension APNsSettings {
  static let keys =
    YAMLMapping.secretKeys("device_token") + [
      "topic", "push_type", "priority", "expiration", "collapse_id", "payload_bytes", "credentials",
    ]

  /// Room for what every payload holds of ours.
  static let minimumPayloadBytes = 256

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis("priority", absent: nil, word: { $0.map(String.init) ?? "" }, read: priority)
    let pushTypes = map.axis(
      "push_type", absent: PushType.alert, word: \.rawValue, read: { $0.choice(of: PushType.self) })
    let sizes = map.payloadAxis(in: minimumPayloadBytes...PushType.voip.maximumPayloadBytes)
    map.check(variants: priorities.choices.count * pushTypes.choices.count * sizes.choices.count)

    let credentials = map.required("credentials", example: tokenExample).flatMap { Credentials($0) }
    let deviceToken = map.secret("device_token", example: "device_token_file: device.token")
    let topic = map["topic"]?.parsed(topic)
    if map["topic"] == nil, case .token = credentials {
      _ = map.required("topic", example: "topic: com.example.app")
    }
    let expiration = map["expiration"]?.parsed(expiration) ?? .once
    let collapseID = map["collapse_id"]?.string(maximumBytes: 64)

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

  private static func priority(_ value: YAMLValue) -> Int?? {
    guard let number = value.integer(in: 1...10) else { return nil }
    guard [1, 5, 10].contains(number) else {
      value.report("\(number) is not a priority", remedy: "write 10, 5 or 1")
      return nil
    }
    return .some(number)
  }

  private static func checkPriority(_ priority: VariantAxis<Int?>.Choice, _ pushType: PushType) {
    guard let number = priority.value, !pushType.priorities.contains(number) else { return }
    priority.source?.report(
      "\(number) does not go with push_type: \(pushType.rawValue)",
      remedy:
        "write \(pushType.priorities.map(String.init).joined(separator: " or ")) for it, in a target of its own"
    )
  }

  private static func checkSize(_ size: VariantAxis<Int?>.Choice, _ pushType: PushType) {
    guard let bytes = size.value, bytes > pushType.maximumPayloadBytes else { return }
    size.source?.report(
      "\(bytes) is more than push_type: \(pushType.rawValue) takes",
      remedy: "write at most \(pushType.maximumPayloadBytes)")
  }

  /// A bundle ID, or whatever else Apple's certificates name.
  private static func topic(_ text: String) throws(ValueTextError) -> String {
    let isPlain = text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "._-".utf8.contains($0)
    }
    guard isPlain, (1...255).contains(text.utf8.count) else {
      throw ValueTextError(text, "is not a topic", remedy: "write the app's bundle ID, like com.example.app")
    }
    return text
  }

  private static func expiration(_ text: String) throws(ValueTextError) -> Expiration {
    if let seconds = Int(text), (0...4_102_444_800).contains(seconds) {
      return seconds == 0 ? .once : .at(seconds)
    }
    guard let duration = try? DurationText.parse(text), duration <= .seconds(30 * 86_400) else {
      throw ValueTextError(
        text, "is not an expiration",
        remedy: "write 0 (now or never), a duration up to 30d like 1h, or Unix seconds")
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
    let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) }
    guard text.utf8.count == 10, isPlain else {
      throw ValueTextError(
        text, "is not ten letters and digits", remedy: "copy it from Apple's developer site")
    }
    return text
  }
}
