import Measurement

/// One target: a push service, its endpoint, schedule and limits.
public struct TargetConfiguration: Sendable, Hashable {
  /// 1 to 64 letters, digits, dots, hyphens and underscores; unique in the file.
  public var name: String
  public var endpoint: Endpoint
  public var caFile: String?
  public var schedule: ScheduleConfiguration
  public var maxInFlight = 1000
  public var maxLag = Duration.seconds(1)
  public var timeout = Duration.seconds(10)
  /// The device that the notifications are for, which other targets may share; `nil` when it is not named.
  public var device: String?
  /// Limit of the time to a receipt; `nil` when none is expected.
  public var receiptDeadline: Duration?
  /// How often each HTTP/2 connection is asked for its round trip by PING; `nil` for never.
  public var pathProbe: Duration? = .seconds(10)
  /// Pauses after server errors; `nil` for none.
  public var backoff: BackoffConfiguration?
  /// Combinations of listed values, in the order of sending; never empty.
  public var variants: [TargetVariant]
  /// Settings of the first variant; all variants have the same provider, endpoint and credentials.
  public var settings: ProviderSettings
  /// What only the target of a device has that joined by an invitation; `nil` for a target of the file.
  public internal(set) var joined: Joined?
  /// Positions in the file, for error messages.
  public var places = TargetLocations()
  /// Names of credentials of the service manager that were checked by their name only.
  public internal(set) var unreadCredentials: [String] = []

  public var provider: ProviderKind { settings.kind }

  /// The properties of a device that joined.
  public struct Joined: Sendable, Hashable {
    /// The device key's SHA-256 in hexadecimal, which the MACs of its notifications depend on.
    public var keyHash: String
    /// Whether its endpoint may only be at global unicast addresses: the device has chosen it.
    public var isGlobalOnly: Bool
  }

  init(
    name: String, endpoint: Endpoint, schedule: ScheduleConfiguration = .gentle, settings: ProviderSettings
  ) {
    self.name = name
    self.endpoint = endpoint
    self.schedule = schedule
    self.settings = settings
    backoff = BackoffConfiguration.standard(for: settings.kind)
    variants = [TargetVariant(settings: settings)]
  }
}

extension TargetConfiguration {
  struct Keys: SectionKeys {
    static let title = "target"
    static let introduction = "Keys of every target; those of its provider follow."
    let name = Key(
      "name",
      .parsed(
        "1 to 64 letters, digits, dots, hyphens, underscores; no hyphen first", TargetConfiguration.name),
      standard: "required", "unique in the file")
    let provider = Key(
      "provider", .choice(of: ProviderKind.self), required: "provider: loopback", "the push service")
    let endpoint = Key(
      "endpoint", .parsed("a URL", Endpoint.parse), standard: "required, but for webpush", "where requests go"
    )
    let caFile = Key("ca_file", .file, standard: "the system's", "authorities to trust instead")
    let schedule = Key(
      "schedule", .section(ScheduleConfiguration.self), standard: "`every: 15s`", "when to send")
    let maxInFlight = Key(
      "max_in_flight", .integer(in: 1...100_000), default: 1000,
      "requests without an answer; beyond it a notification is missed")
    let maxLag = Key(
      "max_lag", .duration(in: .milliseconds(1) ... .seconds(3600)), default: .seconds(1),
      "not sent so long after its planned time: missed")
    let timeout = Key(
      "timeout", .duration(in: .milliseconds(1) ... .seconds(600)), default: .seconds(10),
      "limit of the time to an answer")
    let receiptDeadline = Key(
      "receipt_deadline", .duration(in: .milliseconds(1) ... .seconds(7 * 86_400)),
      "lost without a receipt in this time; with `subscribe`: `30s`")
    let backoff = Key(
      "backoff", .read("a section") { $0 }, standard: "by the provider",
      "pauses after errors of the service")
    let device = Key(
      "device",
      .parsed(
        "1 to 64 letters, digits, dots, hyphens, underscores; no hyphen first", TargetConfiguration.device),
      "the device that it is for")
    let pathProbe = Key(
      "path_probe", .read("`off`, or `10s` to `1h`, loopback from `100ms`") { $0 }, standard: "`10s`",
      "how often a connection is asked for its round trip")
  }

  /// - Parameter hasReceiptListener: whether the collector has a receipt listener.
  init?(_ value: YAMLValue, hasReceiptListener: Bool) {
    // The provider decides which keys are valid.
    guard let word = value.peek("provider") else {
      let map = value.mapping(keys: Keys.names + ProviderKind.allCases.flatMap(\.section.keys))
      _ = map.map { Section<Keys>($0).provider }
      return nil
    }
    guard let kind = word.choice(of: ProviderKind.self),
      let map = value.mapping(keys: Keys.names + kind.section.keys)
    else { return nil }

    let section = Section<Keys>(map)
    if section[\.name] == nil { _ = map.required("name", example: "name: \(kind.rawValue)") }
    let (name, caFile) = (section.name, section.caFile)
    let schedule = section[\.schedule] == nil ? .gentle : section.schedule
    let variants = kind.section.variants(map)
    let settings = variants.first?.settings
    let endpoint = Self.endpoint(of: kind, settings, in: section)
    let (maxInFlight, maxLag, timeout) = (section.maxInFlight, section.maxLag, section.timeout)
    let deadline = section.receiptDeadline
    let backoff = section.backoff.flatMap { BackoffConfiguration($0, of: kind) }
    let pathProbe = section.pathProbe.flatMap { ValueKind.pathProbe(of: kind).read($0) }
    if let endpoint { Self.check(endpoint, of: kind, in: section) }
    if let settings {
      Self.checkReceipts(settings, endpoint, hasReceiptListener: hasReceiptListener, in: section)
    }

    guard let name, let endpoint, let schedule, let settings else { return nil }
    self.init(name: name, endpoint: endpoint, schedule: schedule, settings: settings)
    self.caFile = caFile
    self.variants = variants
    places = TargetLocations(target: value.place, keys: value.places())
    self.maxInFlight = maxInFlight
    self.maxLag = maxLag
    self.timeout = timeout
    receiptDeadline = deadline
    device = section.device
    self.backoff = backoff ?? self.backoff
    self.pathProbe = pathProbe ?? self.pathProbe
    if settings.isReceivedByCollector, deadline == nil { receiptDeadline = Self.ownReceiptDeadline }
    if settings.isReceivedByCollector, map["ttl"] == nil, let receiptDeadline { keep(for: receiptDeadline) }
  }

  /// Default of a target whose notifications the collector receives itself.
  private static let ownReceiptDeadline = Duration.seconds(30)

  /// Has the service of a Web Push target keep notifications for as long as a receipt counts, in whole seconds: what comes while the
  /// collector reconnects is late, and not lost.
  private mutating func keep(for time: Duration) {
    for index in variants.indices {
      guard case .webpush(var webpush) = variants[index].settings else { return }
      webpush.ttl = .seconds(time.wholeSeconds)
      variants[index].settings = .webpush(webpush)
    }
    if let first = variants.first { settings = first.settings }
  }

  /// The value of `endpoint`, or the subscription's endpoint.
  private static func endpoint(
    of kind: ProviderKind, _ settings: ProviderSettings?, in section: Section<Keys>
  ) -> Endpoint? {
    let own: Endpoint? =
      if case .webpush(let webpush)? = settings {
        WebPushSettings.endpoint(Section(section.map), webpush.receiver)
      } else {
        nil
      }
    if section[\.endpoint] == nil {
      if kind == .webpush { return own }
      _ = section.map.required("endpoint", example: "endpoint: \(kind.exampleEndpoint)")
    }
    guard var written = section.endpoint else { return nil }
    // `endpoint` replaces the server; the path remains that of the subscription.
    if kind == .webpush, ["", "/"].contains(written.target) { written.target = own?.target ?? "" }
    return written
  }

  private static func checkReceipts(
    _ settings: ProviderSettings, _ endpoint: Endpoint?, hasReceiptListener: Bool, in section: Section<Keys>
  ) {
    guard let value = section[\.receiptDeadline] else { return }
    switch settings {
    case .http(let http) where !http.containsReceiptFields(endpoint: endpoint):
      value.report(
        "has no effect: the request contains no id that a receipt could refer to",
        remedy: "write {pushscope}, or {id} and {mac}, in body_file or a header, or delete this line")
    case .fcm(let fcm) where fcm.validateOnly:
      value.report(
        "has no effect: with validate_only nothing is delivered", remedy: "delete one of the two lines")
    case _ where settings.isReceivedByCollector: break
    case _ where !hasReceiptListener:
      value.report(
        "needs a receipt listener",
        remedy: "configure one under collector.receipts, or delete this line")
    default: break
    }
  }

  private static func name(_ text: String) throws(ValueTextError) -> String {
    try plainName(text, "target")
  }

  private static func device(_ text: String) throws(ValueTextError) -> String {
    try plainName(text, "device")
  }

  /// Names occur on command lines, in panels and in file names.
  private static func plainName(_ text: String, _ kind: String) throws(ValueTextError) -> String {
    guard LoopbackDevice.isName(text), !text.hasPrefix("-") else {
      throw ValueTextError(
        text, "is not a \(kind) name",
        remedy: DevicesConfiguration.nameRule)
    }
    return text
  }

  private static func check(_ endpoint: Endpoint, of kind: ProviderKind, in section: Section<Keys>) {
    let source = section[\.endpoint]
    if kind.needsTLS, endpoint.scheme != .https {
      source?.report("is not https", remedy: "\(kind.rawValue) requires TLS: write https://")
    }
    if kind.hasOwnPaths, !["", "/"].contains(endpoint.target) {
      source?.report("has a path", remedy: "end it with the host or port: pushscope adds the path")
    }
    if endpoint.scheme == .http {
      section[\.caFile]?.report(
        "has no effect with an http URL", remedy: "delete it, or make the endpoint https")
      section[\.pathProbe]?.report(
        "has no effect with an http URL: PING needs HTTP/2",
        remedy: "delete it, or make the endpoint https")
    }
  }
}

/// Positions of a target and its keys in the configuration, for problems found after the file was read.
public struct TargetLocations: Sendable, Hashable {
  /// Position of the target itself; `nil` for one that is not from a file.
  public var target: FilePosition?
  /// Positions of values by key path below the target, like `credentials.key_id`.
  public var keys: [String: FilePosition] = [:]

  /// Locations of a target that is not from a file.
  public static let unknown = TargetLocations()

  /// Position of a setting at the target or under its `credentials`, with or without `_file`; the target's position when
  /// the setting is not given.
  public func place(of setting: String) -> FilePosition? {
    found(setting)?.place ?? target
  }

  /// The key as written in the configuration, with or without `_file`; `setting` when it is not given.
  public func written(_ setting: String) -> String { found(setting)?.key ?? setting }

  private func found(_ setting: String) -> (key: String, place: FilePosition)? {
    let name = setting.hasSuffix("_file") ? String(setting.dropLast("_file".count)) : setting
    for key in [setting, name, "\(name)_file"] {
      if let place = keys[key] ?? keys["credentials.\(key)"] { return (key, place) }
    }
    return nil
  }
}

extension ValueKind<Duration?> {
  /// How often each HTTP/2 connection is asked for its round trip. A PING each ten seconds is what services take from idle
  /// clients without objection; the loopback service is ours.
  fileprivate static func pathProbe(of kind: ProviderKind) -> Self {
    durationOrOff(in: (kind == .loopback ? .milliseconds(100) : .seconds(10)) ... .seconds(3600), upTo: "1h")
  }
}
