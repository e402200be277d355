extension FCMSettings {
  static let keys =
    YAMLMapping.secretKeys("device_token") + YAMLMapping.secretKeys("fid") + [
      "priority", "ttl", "validate_only", "payload_bytes", "credentials",
    ]

  /// Room for a token and what every message holds of ours.
  static let payloadBytes = 768...4096

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis(
      "priority", absent: Priority.high, word: \.rawValue, read: { $0.choice(of: Priority.self) })
    let lives = map.ttlAxis(longest: .seconds(28 * 86_400))
    let sizes = map.payloadAxis(in: payloadBytes)
    map.check(variants: priorities.choices.count * lives.choices.count * sizes.choices.count)

    let (device, receiver) = receiver(map)
    let validateOnly = map["validate_only"]?.boolean() ?? false
    let account = map.required("credentials", example: "credentials: { service_account_file: account.json }")?
      .mapping(keys: YAMLMapping.secretKeys("service_account"))?
      .secret("service_account", example: "service_account_file: account.json")
    guard let device, let account else { return [] }

    return priorities.choices.flatMap { priority in
      lives.choices.flatMap { ttl in
        sizes.choices.map { size in
          TargetVariant(
            name: TargetVariant.name(priorities.part(priority), lives.part(ttl), sizes.part(size)),
            settings: .fcm(
              FCMSettings(
                deviceToken: device, receiver: receiver, priority: priority.value, ttl: ttl.value,
                validateOnly: validateOnly, payloadBytes: size.value, serviceAccount: account)))
        }
      }
    }
  }
}

extension FCMSettings {
  /// Either of them, and not both.
  private static func receiver(_ map: YAMLMapping) -> (SecretReference?, Receiver) {
    let keys = YAMLMapping.secretKeys("fid")
    guard keys.contains(where: { map[$0] != nil }) else {
      return (map.secret("device_token", example: "device_token_file: fcm.token"), .token)
    }
    for token in YAMLMapping.secretKeys("device_token") {
      for fid in keys { map.exclude(token, with: fid) }
    }
    return (map.secret("fid", example: nil), .fid)
  }
}

extension YAMLMapping {
  /// The axis of `ttl`: whole seconds; zero, now or never, when it is not given.
  func ttlAxis(longest: Duration) -> VariantAxis<Duration> {
    axis("ttl", absent: .zero, word: { "\($0.components.seconds)s" }) { value in
      guard let ttl = value.duration(in: .zero...longest) else { return nil }
      guard ttl.components.attoseconds == 0 else {
        value.report("\(DurationText.format(ttl)) is no whole number of seconds", remedy: "write like 60s")
        return nil
      }
      return ttl
    }
  }
}
