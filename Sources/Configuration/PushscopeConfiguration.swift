import Glibc

/// A configuration file, checked as a whole.
public struct PushscopeConfiguration: Sendable, Hashable {
  public var collector: CollectorConfiguration
  /// The targets in file order; names are unique.
  public var targets: [TargetConfiguration]
  public var dashboard = DashboardConfiguration()
  /// `nil`: everything is kept.
  public var retention: RetentionConfiguration?
  public var service: ServiceConfiguration?
  /// The labels in file order; names are unique.
  public var labels: [ConfiguredLabel] = []
  /// The objectives in file order; names are unique.
  public var objectives: [ObjectiveConfiguration] = []
  public var alerts: AlertConfiguration?
  public var fleet: FleetConfiguration?
  /// Devices that join by invitations; `nil`: none do.
  public var devices: DevicesConfiguration?
  /// Name of the file as the user gave it.
  public var file: String
  /// Names of credentials of the service manager that were checked by their name only.
  public internal(set) var unreadCredentials: [String] = []

  /// Reads and checks the file.
  ///
  /// - Parameters:
  ///   - environment: variables for `${NAME}`, and `CREDENTIALS_DIRECTORY` for `credential:NAME`.
  ///   - checksOnly: accepts `credential:NAME` outside the unit that gives the file, by its name only.
  /// - Throws: all problems, in file order.
  public static func load(
    path: String, environment: [String: String], checksOnly: Bool = false
  ) throws(ConfigurationError) -> PushscopeConfiguration {
    try YAMLFile.load(path: path, environment: environment, acceptsUnreadCredentials: checksOnly) {
      Self($0, file: path)
    }
  }

  /// Reads the section `fleet` alone: a host that only looks at a fleet has no targets, and what else is wrong does not matter.
  /// - Returns: `nil` where there is none.
  /// - Throws: all problems of the section, in file order.
  public static func loadFleet(path: String, environment: [String: String]) throws(ConfigurationError)
    -> FleetConfiguration?
  {
    struct Section {
      var fleet: FleetConfiguration?
    }
    return try YAMLFile.load(path: path, environment: environment) { value -> Section? in
      value.section(Keys.self).map { Section(fleet: $0.fleet) }
    }.fleet
  }

  /// Default paths in search order: the user's, then the system's.
  public static func defaultPaths(environment: [String: String]) -> [String] {
    var paths: [String] = []
    if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
      paths.append("\(base)/pushscope/pushscope.yaml")
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      paths.append("\(home)/.config/pushscope/pushscope.yaml")
    }
    return paths + ["/etc/pushscope/pushscope.yaml"]
  }

  /// Whether it asks for an endpoint, an objective or an alert.
  public var isMonitored: Bool { service != nil || !objectives.isEmpty || alerts != nil }
}

extension PushscopeConfiguration {
  struct Keys: SectionKeys {
    static let title = "top"
    let collector = Key(
      "collector", .section(CollectorConfiguration.self), default: CollectorConfiguration(), standard: "–",
      "the collector as a whole")
    let dashboard = Key(
      "dashboard", .section(DashboardConfiguration.self), "appearance and keys of the dashboard")
    let retention = Key(
      "retention", .section(RetentionConfiguration.self), "how long rows are kept; without it everything is")
    let targets = Key(
      "targets", .read("a list") { $0.sequence() },
      standard: "required, but for `devices`", "what to send to")
    let devices = Key(
      "devices", .section(DevicesConfiguration.self),
      "phones and browsers that join by an invitation ([devices.md](devices.md))")
    let service = Key(
      "service", .section(ServiceConfiguration.self),
      "web endpoint with metrics, health, readiness and reload ([operations.md](operations.md#watch))")
    let labels = Key(
      "labels", .read("at most \(LabelSection.maximumCount) names and values", LabelSection.read),
      "labels of every metric and alert")
    let objectives = Key(
      "objectives", .read("a list, at most \(ObjectiveConfiguration.maximumCount)") { $0 },
      "what is promised of targets ([operations.md](operations.md#objectives))")
    let alerts = Key(
      "alerts", .section(AlertConfiguration.self),
      "who is told of breached objectives and of findings ([operations.md](operations.md#alerts))")
    let fleet = Key(
      "fleet", .section(FleetConfiguration.self),
      "the ClickHouse that stores are forwarded to ([fleet.md](fleet.md))")
  }

  init?(_ value: YAMLValue, file: String) {
    guard let section = value.section(Keys.self) else { return nil }
    let collector = section.collector
    let devices = section.devices
    if section.lacks(\.devices, \.targets) {
      _ = section.map.required("targets", example: "targets: [{ name: …, provider: …, endpoint: … }]")
    }
    guard let elements = section[\.targets] == nil ? [] : section.targets else { return nil }
    if elements.isEmpty, section[\.devices] == nil {
      section[\.targets]?.report("is empty", remedy: "configure at least one target")
    }
    if devices != nil, collector.receipts == nil, section[\.devices]?.peek("listen") == nil,
      section[\.collector]?.peek("receipts") == nil
    {
      section[\.devices]?.report(
        "need a listener", remedy: "configure collector.receipts, or devices.listen for browsers on this host"
      )
    }
    var targets: [TargetConfiguration] = []
    var names: Set<String> = []
    var unreadNames: Set<String> = []
    for element in elements {
      let known = element.context.unreadCredentials.count
      guard
        var target = TargetConfiguration(
          element, hasReceiptListener: section[\.collector]?.peek("receipts") != nil)
      else {
        if let name = element.peekText("name") { unreadNames.insert(name) }
        continue
      }
      if !names.insert(target.name).inserted {
        element.report(
          "is another target named \"\(target.name)\"", remedy: "give each target a name of its own")
      }
      target.unreadCredentials = Array(element.context.unreadCredentials[known...])
      targets.append(target)
    }
    self.init(collector: collector, targets: targets, file: file)
    retention = section.retention
    service = section.service
    labels = section.labels ?? []
    objectives =
      section.objectives.map {
        ObjectiveConfiguration.read($0, targets: targets, devices: devices, unread: unreadNames)
      } ?? []
    alerts = section.alerts
    fleet = section.fleet
    self.devices = devices
    unreadCredentials = value.context.unreadCredentials
    dashboard = DashboardConfiguration(section: section[\.dashboard], file: file)
  }
}

/// Section `collector:`: settings of the collector as a whole.
public struct CollectorConfiguration: Sendable, Hashable {
  public var receipts: ReceiptsConfiguration?
  public var durability = Durability.normal
  /// The group that may read the store; `nil` for the collector's own user only.
  public var storeGroup: StoreGroup?
  public var analyst = Analyst.on

  /// Where what explains, judges, tells and forwards runs.
  public enum Analyst: String, Sendable, Hashable, CaseIterable {
    /// A process of its own.
    case on
    /// The collector's process.
    case off
  }

  /// A group of this host.
  public struct StoreGroup: Sendable, Hashable {
    public var name: String
    public var number: UInt32
  }

  /// Durability of a commit.
  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// The log is synced once a second: nothing is lost when the process crashes, about a second when the power fails.
    case normal
    /// Each commit is synced: a power failure costs nothing.
    case full
  }
}

extension CollectorConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "collector"
    let receipts = Key(
      "receipts", .section(ReceiptsConfiguration.self), "listener for receipts of devices")
    let durability = Key(
      "durability", .choice(of: Durability.self), default: CollectorConfiguration().durability,
      "what a power failure may cost: about a second, or nothing")
    let storeGroup = Key(
      "store_group", .parsed("a group of the host", StoreGroup.named), "members may read the store")
    let analyst = Key(
      "analyst", .choice(of: Analyst.self), default: CollectorConfiguration().analyst,
      "`off`: findings, objectives, alerts and forwarding in the collector's own process, which takes less memory, and which a "
        + "fault in them ends")
  }

  init(_ section: Section<Keys>) {
    receipts = section.receipts
    durability = section.durability
    storeGroup = section.storeGroup
    analyst = section.analyst
  }
}

extension CollectorConfiguration.StoreGroup {
  static func named(_ name: String) throws(ValueTextError) -> Self {
    guard let entry = getgrnam(name) else {
      throw ValueTextError(
        name, "is not a group of this host", remedy: "write the name of one (getent group), or create it")
    }
    return Self(name: name, number: entry.pointee.gr_gid)
  }
}

/// Listener for receipts: address, certificate, and the secret that authenticates notifications.
public struct ReceiptsConfiguration: Sendable, Hashable {
  public var listen: ListenAddress
  public var certificateFile: String
  public var keyFile: SecretFile
  public var secretFile: SecretFile
  /// How devices reach it; `nil`: by the certificate's name.
  public var publicURL: Endpoint?
}

extension ReceiptsConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "collector.receipts"
    let listen = Key(
      "listen", .address, required: "listen: 127.0.0.1:8443", "like `127.0.0.1:8443`, `'[::]:8443'`")
    let certificateFile = Key(
      "certificate_file", .file, required: "certificate_file: receipts.pem",
      "PEM, the listener's certificate first")
    let keyFile = Key("key_file", .secretFile(), required: "key_file: receipts.key", "PEM")
    let secretFile = Key(
      "secret_file", .secretFile(minimumBytes: 16), required: "secret_file: receipts.secret",
      "at least 16 bytes; key of the MAC in each notification")
    let publicURL = Key(
      "public_url", .parsed("an https URL", ReceiptsConfiguration.publicURL),
      standard: "the certificate's first DNS name, and the port", "how devices reach it, for invitations")
  }

  init?(_ section: Section<Keys>) {
    let (listen, certificate) = (section.listen, section.certificateFile)
    let (key, secret) = (section.keyFile, section.secretFile)
    guard let listen, let certificate, let key, let secret else { return nil }
    self.init(listen: listen, certificateFile: certificate, keyFile: key, secretFile: secret)
    publicURL = section.publicURL
  }

  private static func publicURL(_ text: String) throws(ValueTextError) -> Endpoint {
    let url = try Endpoint.parse(text)
    guard url.scheme == .https, ["", "/"].contains(url.target) else {
      throw ValueTextError(
        text, "is not an https URL without a path", remedy: "write one like https://push.example.com:8443")
    }
    return url
  }
}
