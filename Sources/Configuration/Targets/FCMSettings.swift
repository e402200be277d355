import Measurement

/// What a message through Firebase Cloud Messaging contains, and the credentials it is sent with.
public struct FCMSettings: Sendable, Hashable {
  /// Registration token or installation ID, as ``receiver`` says.
  public var deviceToken: SecretReference
  public var receiver: FCMReceiver
  public var priority: FCMPriority
  /// How long FCM may store the message, in whole seconds; zero: one delivery attempt.
  public var ttl: Duration
  /// FCM checks the message and does not deliver it.
  public var validateOnly: Bool
  /// Exact size of the request's body. FCM counts the payload in it, which is smaller.
  public var payloadBytes: Int?
  /// JSON of the service account.
  public var serviceAccount: SecretReference

  public init(
    deviceToken: SecretReference, receiver: FCMReceiver = .token, priority: FCMPriority = .high,
    ttl: Duration = .zero, validateOnly: Bool = false, payloadBytes: Int? = nil,
    serviceAccount: SecretReference
  ) {
    self.deviceToken = deviceToken
    self.receiver = receiver
    self.priority = priority
    self.ttl = ttl
    self.validateOnly = validateOnly
    self.payloadBytes = payloadBytes
    self.serviceAccount = serviceAccount
  }
}

extension FCMSettings {
  static let keys =
    YAMLMapping.secretKeys("device_token") + YAMLMapping.secretKeys("fid") + [
      "priority", "ttl", "validate_only", "payload_bytes", "credentials",
    ]

  /// The least is enough for a registration token and the members that every message has.
  static let payloadBytes = 768...FCMDialect.maximumPayloadBytes

  static func variants(_ map: YAMLMapping) -> [TargetVariant] {
    let priorities = map.axis(
      "priority", absent: FCMPriority.high, word: \.rawValue, read: { $0.choice(of: FCMPriority.self) })
    let lives = map.ttlAxis(longest: .seconds(FCMDialect.longestTTL))
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

  /// `device_token` or `fid`; reported when both are given.
  private static func receiver(_ map: YAMLMapping) -> (SecretReference?, FCMReceiver) {
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
  /// The axis of `ttl`: whole seconds; zero, one delivery attempt, when it is not given.
  func ttlAxis(longest: Duration) -> VariantAxis<Duration> {
    axis("ttl", absent: .zero, word: { "\($0.components.seconds)s" }) { value in
      guard let ttl = value.duration(in: .zero...longest) else { return nil }
      guard ttl.components.attoseconds == 0 else {
        value.report("\(DurationText.format(ttl)) is not a whole number of seconds", remedy: "write like 60s")
        return nil
      }
      return ttl
    }
  }
}
