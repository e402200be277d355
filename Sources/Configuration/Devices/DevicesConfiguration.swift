import Measurement

/// Section `devices:`: phones and browsers that join by an invitation and are then measured by Web Push.
public struct DevicesConfiguration: Sendable, Hashable {
  /// Whom push services can ask (VAPID).
  public var subject: String
  /// Where subscriptions and keys are; `nil`: beside the store.
  public var directory: String?
  /// The page over plain HTTP for browsers on this host; `nil` for the receipt listener alone.
  public var listen: ListenAddress?
  public var schedule = ScheduleConfiguration.constant(.every(seconds: 120))
  public var receiptDeadline = Duration.seconds(120)
  /// Push services that may be sent to.
  public var services = PushServicePattern.standard
  public var caFile: String?
  /// How many devices there may be.
  public var maximum = 100
  /// What the notifications of each device contain. The subscription is replaced for each device (``target(of:)``).
  private var variants: [TargetVariant] = []

  /// What of a device the configuration of its target needs.
  public struct Address: Sendable, Hashable {
    public var name: String
    /// The subscription's endpoint.
    public var endpoint: Endpoint
    /// Files of the subscription and of the VAPID key.
    public var subscriptionFile: String
    public var vapidKeyFile: String
    /// The device key's SHA-256 in hexadecimal, which the MACs of its notifications depend on.
    public var keyHash: String

    public init(
      name: String, endpoint: Endpoint, subscriptionFile: String, vapidKeyFile: String, keyHash: String
    ) {
      self.name = name
      self.endpoint = endpoint
      self.subscriptionFile = subscriptionFile
      self.vapidKeyFile = vapidKeyFile
      self.keyHash = keyHash
    }
  }

  /// Whether a text can be a device's name: it is a target's name, too.
  public static func isName(_ text: String) -> Bool { LoopbackDevice.isName(text) && !text.hasPrefix("-") }

  /// What a name has to be, as a remedy.
  public static let nameRule =
    "use 1 to 64 letters, digits, dots, hyphens and underscores, and no hyphen first"

  /// The pattern that allows an endpoint; `nil` where it may not be sent to.
  public func service(of endpoint: Endpoint) -> PushServicePattern? {
    services.first { $0.contains(endpoint) }
  }

  /// The target of a device.
  /// - Returns: `nil` where its push service may not be sent to.
  public func target(of device: Address) -> TargetConfiguration? {
    guard let service = service(of: device.endpoint) else { return nil }
    let credentials = WebPushSettings.Credentials(
      vapidKey: .file(SecretFile(path: device.vapidKeyFile)), subject: subject)
    let addressed = variants.map { variant in
      guard case .webpush(var settings) = variant.settings else { return variant }
      settings.receiver = .subscription(.file(SecretFile(path: device.subscriptionFile)))
      settings.credentials = credentials
      return TargetVariant(name: variant.name, settings: .webpush(settings))
    }
    guard let first = addressed.first else { return nil }
    var target = TargetConfiguration(
      name: device.name, endpoint: device.endpoint, schedule: schedule, settings: first.settings)
    target.variants = addressed
    target.device = device.name
    target.caFile = caFile
    target.receiptDeadline = receiptDeadline
    // A push service that serves many idle connections with PINGs from one host may take that for abuse.
    target.pathProbe = nil
    target.joined = TargetConfiguration.Joined(
      keyHash: device.keyHash, isGlobalOnly: !service.isAddress)
    return target
  }
}

extension DevicesConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "devices"
    static let introduction =
      "Devices that join by an invitation ([devices.md](devices.md)). Needs `collector.receipts` or `listen`."
    let subject = Key(
      "subject", .parsed("`mailto:` or `https:`", DevicesConfiguration.subject),
      required: "subject: mailto:ops@example.com", "whom push services can ask")
    let directory = Key(
      "directory", .directory, standard: "the store's path with `.devices`",
      "subscriptions and keys, mode 0700")
    let listen = Key(
      "listen", .address,
      "a loopback address: page, receipts and clock over plain HTTP for browsers on this host")
    let schedule = Key(
      "schedule", .section(ScheduleConfiguration.self), standard: "`every: 2m`", "when to send to each device"
    )
    let ttl = Key("ttl", listOf: .wholeSeconds(upTo: WebPushDialect.longestTTL), default: .seconds(120), "")
    let urgency = Key("urgency", listOf: .choice(of: WebPushUrgency.self), default: .high, "")
    let receiptDeadline = Key(
      "receipt_deadline", .duration(in: .milliseconds(1) ... .seconds(7 * 86_400)), default: .seconds(120),
      "lost without a receipt in this time")
    let services = Key(
      "services", .read("a list of hosts, `*.` and a host, with a port or without", PushServicePattern.read),
      standard: "those of Chrome, Firefox, Safari and Edge", "push services that may be sent to")
    let caFile = Key("ca_file", .file, standard: "the system's", "authorities to trust instead")
    let maximum = Key("maximum", .integer(in: 1...10_000), default: 100, "how many devices there may be")
  }

  init?(_ section: Section<Keys>) {
    let (lives, urgencies) = (section.ttl, section.urgency)
    let subject = section.subject
    directory = section.directory
    listen = section.listen
    if let listen, !listen.isLoopback {
      section[\.listen]?.report(
        "is not a loopback address, and plain HTTP is for browsers on this host alone",
        remedy: "listen on 127.0.0.1:\(listen.port); other hosts' devices use collector.receipts")
    }
    if section[\.schedule] != nil, let schedule = section.schedule { self.schedule = schedule }
    receiptDeadline = section.receiptDeadline
    services = section.services ?? services
    caFile = section.caFile
    maximum = section.maximum
    let nobody = WebPushSettings.Receiver.subscription(.text(Secret("")))
    variants = TargetVariant.combinations(section.map, lives, urgencies, VariantAxis<Bool>.single) {
      ttl, urgency, _ in
      .webpush(WebPushSettings(receiver: nobody, ttl: ttl.value, urgency: urgency.value))
    }
    guard let subject else { return nil }
    self.subject = subject
  }

  private static func subject(_ text: String) throws(ValueTextError) -> String {
    guard WebPushDialect.isSubject(text), WebPushDialect.isSubjectForApple(text) else {
      throw ValueTextError(
        text, "is not a contact that push services accept",
        remedy: "write mailto:you@your.domain or https://your.domain, no local host")
    }
    return text
  }
}

extension PushServicePattern {
  /// Reads a list of patterns.
  static func read(_ value: YAMLValue) -> [PushServicePattern]? {
    guard let elements = value.sequence() else { return nil }
    if elements.isEmpty {
      value.report("is an empty list", remedy: "write at least one push service, or delete the line")
    }
    return elements.compactMap { $0.parsed(PushServicePattern.parse) }
  }
}
