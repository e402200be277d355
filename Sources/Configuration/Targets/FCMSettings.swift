import Measurement

/// What a message through Firebase Cloud Messaging contains, and the credentials it is sent with.
public struct FCMSettings: Sendable, Hashable {
  /// Registration token or installation ID, as ``receiver`` says.
  public var deviceToken: SecretReference
  public var receiver = FCMReceiver.token
  public var priority = FCMPriority.high
  /// How long FCM may store the message, in whole seconds; zero: one delivery attempt.
  public var ttl = Duration.zero
  public var validateOnly = false
  /// Exact size of the request's body. FCM counts the payload in it, which is smaller.
  public var payloadBytes: Int?
  public var serviceAccount: SecretReference
}

extension FCMSettings {
  struct Keys: SectionKeys {
    static let title = "fcm"
    let deviceToken = Key(
      secret: "device_token", required: "device_token_file: fcm.token",
      "registration token; or `device_token`, `fid_file`, `fid`")
    let fid = Key(secret: "fid", "installation ID")
    let priority = Key("priority", listOf: .choice(of: FCMPriority.self), default: .high, "")
    let ttl = Key("ttl", listOf: .wholeSeconds(upTo: FCMDialect.longestTTL), default: .zero, "")
    let validateOnly = Key(
      "validate_only", .boolean, default: false, "FCM checks and delivers nothing")
    // The least is enough for a registration token and the members that every message has.
    let payloadBytes = Key(
      "payload_bytes", listOf: .integer(in: 768...FCMDialect.maximumPayloadBytes),
      "pads the body to exactly this size")
    let credentials = Key(
      "credentials", .read("a section") { $0.section(CredentialKeys.self)?.serviceAccount },
      required: "credentials: { service_account_file: account.json }", "a service account")
  }

  struct CredentialKeys: SectionKeys {
    static let title = "fcm.credentials"
    let serviceAccount = Key(
      secret: "service_account", required: "service_account_file: account.json",
      "JSON; or `service_account`")
  }

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let (priorities, lives, sizes) = (section.priority, section.ttl, section.payloadBytes)
    let (device, receiver) = receiver(section)
    let (validateOnly, account) = (section.validateOnly, section.credentials)
    return TargetVariant.combinations(section.map, priorities, lives, sizes) { priority, ttl, size in
      guard let device, let account else { return nil }
      return .fcm(
        FCMSettings(
          deviceToken: device, receiver: receiver, priority: priority.value, ttl: ttl.value,
          validateOnly: validateOnly, payloadBytes: size.value, serviceAccount: account))
    }
  }

  /// `device_token` or `fid`; reported when both are given.
  private static func receiver(_ section: Section<Keys>) -> (SecretReference?, FCMReceiver) {
    guard section[\.fid] != nil else { return (section.deviceToken, .token) }
    section.exclude(\.deviceToken, with: \.fid)
    return (section.fid, .fid)
  }
}

extension ValueKind<Duration> {
  /// Whole seconds, of which zero means one delivery attempt.
  static func wholeSeconds(upTo longest: Int) -> Self {
    let kind = duration(in: .zero ... .seconds(longest))
    return Self(values: kind.values, text: { "\($0.components.seconds)s" }) { value in
      guard let ttl = kind.read(value) else { return nil }
      guard ttl.components.attoseconds == 0 else {
        value.report("\(DurationText.format(ttl)) is not a whole number of seconds", remedy: "write like 60s")
        return nil
      }
      return ttl
    }
  }
}
