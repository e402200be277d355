import Measurement

/// One target: a push service, its endpoint, schedule and limits.
public struct TargetConfiguration: Sendable, Hashable {
  /// 1 to 64 letters, digits, dots, hyphens and underscores; unique in the file.
  public var name: String
  public var endpoint: Endpoint
  /// PEM file of the certificate authorities to trust instead of the system's.
  public var caFile: String?
  public var schedule: ScheduleConfiguration
  /// Limit of requests without a response; a notification planned beyond it is missed.
  public var maxInFlight: Int
  /// A notification not sent within this time after its planned time is missed.
  public var maxLag: Duration
  /// Limit of the time to a response.
  public var timeout: Duration
  /// The device that the notifications are for, which other targets may share; `nil` when it is not named.
  public var device: String?
  /// Limit of the time to a receipt; `nil` when none is expected.
  public var receiptDeadline: Duration?
  /// How often each HTTP/2 connection is asked for its round trip by PING; `nil` for never.
  public var pathProbe: Duration? = PathProbeInterval.standard
  /// Pauses after server errors; `nil` for none.
  public var backoff: BackoffConfiguration?
  /// Combinations of listed values, in the order of sending; never empty.
  public var variants: [TargetVariant]
  /// Settings of the first variant; all variants have the same provider, endpoint and credentials.
  public var settings: ProviderSettings
  /// Positions in the file, for error messages.
  public var places = TargetLocations()
  /// Names of credentials of the service manager that were checked by their name only.
  public internal(set) var unreadCredentials: [String] = []

  public var provider: ProviderKind { settings.kind }

  public init(
    name: String, endpoint: Endpoint, caFile: String? = nil, schedule: ScheduleConfiguration = .gentle,
    maxInFlight: Int = 1000, maxLag: Duration = .seconds(1), timeout: Duration = .seconds(10),
    receiptDeadline: Duration? = nil, settings: ProviderSettings
  ) {
    self.name = name
    self.endpoint = endpoint
    self.caFile = caFile
    self.schedule = schedule
    self.maxInFlight = maxInFlight
    self.maxLag = maxLag
    self.timeout = timeout
    self.receiptDeadline = receiptDeadline
    self.settings = settings
    backoff = BackoffConfiguration.standard(for: settings.kind)
    variants = [TargetVariant(settings: settings)]
  }
}

extension TargetConfiguration {
  private static let commonKeys = [
    "name", "provider", "endpoint", "ca_file", "schedule", "max_in_flight", "max_lag", "timeout",
    "receipt_deadline", "backoff", "device", "path_probe",
  ]

  /// - Parameter hasReceiptListener: whether the collector has a receipt listener.
  init?(_ value: YAMLValue, hasReceiptListener: Bool) {
    // The provider decides which keys are valid.
    guard let word = value.peek("provider") else {
      _ = value.mapping(keys: Self.commonKeys + ProviderKind.allCases.flatMap(\.keys))?
        .required("provider", example: "provider: loopback")
      return nil
    }
    guard let kind = word.choice(of: ProviderKind.self),
      let map = value.mapping(keys: Self.commonKeys + kind.keys)
    else { return nil }

    let name = map.required("name", example: "name: \(kind.rawValue)")?.parsed(Self.name)
    let caFile = map["ca_file"]?.file()
    let schedule = map["schedule"].map { ScheduleConfiguration($0) } ?? .gentle
    let variants = kind.variants(map)
    let settings = variants.first?.settings
    let endpoint = Self.endpoint(of: kind, settings, in: map)
    let maxInFlight = map["max_in_flight"]?.integer(in: 1...100_000)
    let maxLag = map["max_lag"]?.duration(in: .milliseconds(1) ... .seconds(3600))
    let timeout = map["timeout"]?.duration(in: .milliseconds(1) ... .seconds(600))
    let deadline = map["receipt_deadline"]?.duration(in: .milliseconds(1) ... .seconds(7 * 86_400))
    let backoff = map["backoff"].flatMap { BackoffConfiguration($0, of: kind) }
    let pathProbe = map["path_probe"].flatMap { PathProbeInterval.read($0, of: kind) }
    if let endpoint { Self.check(endpoint, of: kind, in: map) }
    if let settings {
      Self.checkReceipts(settings, endpoint, hasReceiptListener: hasReceiptListener, in: map)
    }

    guard let name, let endpoint, let schedule, let settings else { return nil }
    self.init(name: name, endpoint: endpoint, caFile: caFile, schedule: schedule, settings: settings)
    self.variants = variants
    places = TargetLocations(target: value.place, keys: value.places())
    self.maxInFlight = maxInFlight ?? self.maxInFlight
    self.maxLag = maxLag ?? self.maxLag
    self.timeout = timeout ?? self.timeout
    receiptDeadline = deadline
    device = map["device"]?.parsed { text throws(ValueTextError) in try Self.plainName(text, "device") }
    self.backoff = backoff ?? self.backoff
    self.pathProbe = pathProbe ?? self.pathProbe
    if case .ntfy(let ntfy) = settings, ntfy.subscribe, deadline == nil {
      receiptDeadline = NtfySettings.defaultReceiptDeadline
    }
  }

  /// The value of `endpoint`, or the subscription's endpoint.
  private static func endpoint(
    of kind: ProviderKind, _ settings: ProviderSettings?, in map: YAMLMapping
  ) -> Endpoint? {
    let own: Endpoint? =
      if case .webpush(let webpush)? = settings { WebPushSettings.endpoint(map, webpush.subscription) } else {
        nil
      }
    if kind == .webpush, map["endpoint"] == nil { return own }
    guard
      var written = map.required("endpoint", example: "endpoint: \(kind.exampleEndpoint)")?
        .parsed(Endpoint.parse)
    else { return nil }
    // `endpoint` replaces the server; the path remains that of the subscription.
    if kind == .webpush, ["", "/"].contains(written.target) { written.target = own?.target ?? "" }
    return written
  }

  private static func checkReceipts(
    _ settings: ProviderSettings, _ endpoint: Endpoint?, hasReceiptListener: Bool, in map: YAMLMapping
  ) {
    guard let value = map["receipt_deadline"] else { return }
    switch settings {
    case .http(let http) where !http.containsReceiptFields(endpoint: endpoint):
      value.report(
        "has no effect: the request contains no id that a receipt could refer to",
        remedy: "write {pushscope}, or {id} and {mac}, in body_file or a header, or delete this line")
    case .fcm(let fcm) where fcm.validateOnly:
      value.report(
        "has no effect: with validate_only nothing is delivered", remedy: "delete one of the two lines")
    case .ntfy(let ntfy) where ntfy.subscribe: break
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

  /// Names occur on command lines, in panels and in file names.
  private static func plainName(_ text: String, _ kind: String) throws(ValueTextError) -> String {
    guard LoopbackDevice.isName(text), !text.hasPrefix("-") else {
      throw ValueTextError(
        text, "is not a \(kind) name",
        remedy: "use 1 to 64 letters, digits, dots, hyphens and underscores, and no hyphen first")
    }
    return text
  }

  private static func check(_ endpoint: Endpoint, of kind: ProviderKind, in map: YAMLMapping) {
    let source = map["endpoint"]
    if kind.needsTLS, endpoint.scheme != .https {
      source?.report("is not https", remedy: "\(kind.rawValue) requires TLS: write https://")
    }
    if kind.hasOwnPaths, !["", "/"].contains(endpoint.target) {
      source?.report("has a path", remedy: "end it with the host or port: pushscope adds the path")
    }
    if endpoint.scheme == .http {
      map["ca_file"]?.report(
        "has no effect with an http URL", remedy: "delete it, or make the endpoint https")
      map["path_probe"]?.report(
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
  public var keys: [String: FilePosition]

  public init(target: FilePosition? = nil, keys: [String: FilePosition] = [:]) {
    self.target = target
    self.keys = keys
  }

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

/// The key `path_probe` of a target: how often each HTTP/2 connection is asked for its round trip by PING.
private enum PathProbeInterval {
  static let standard = Duration.seconds(10)
  /// A PING each ten seconds is what services take from idle clients without objection.
  private static let shortest = Duration.seconds(10)
  /// The loopback service is ours.
  private static let shortestOnLoopback = Duration.milliseconds(100)
  private static let longest = Duration.seconds(3600)

  /// - Returns: the interval, `.some(nil)` for `off`, and `nil` for a value that was refused.
  static func read(_ value: YAMLValue, of kind: ProviderKind) -> Duration?? {
    let shortest = kind == .loopback ? shortestOnLoopback : shortest
    let remedy =
      "write a duration from \(DurationText.format(shortest)) to \(DurationText.format(longest)), or off"
    return value.parsed { text throws(ValueTextError) -> Duration? in
      if text == "off" { return nil }
      guard let duration = try? DurationText.parse(text) else {
        throw ValueTextError(text, "is neither a duration nor off", remedy: remedy)
      }
      guard (shortest...longest).contains(duration) else {
        throw ValueTextError(text, "is out of range", remedy: remedy)
      }
      return duration
    }
  }
}
