import Glibc

/// A configuration file, checked as a whole.
public struct PushscopeConfiguration: Sendable, Hashable {
  public var collector: CollectorConfiguration
  /// The targets in file order; names are unique.
  public var targets: [TargetConfiguration]
  public var dashboard = DashboardConfiguration()
  /// `nil`: everything is kept.
  public var retention: RetentionConfiguration?
  /// The web endpoint; `nil` for none.
  public var service: ServiceConfiguration?
  /// The labels in file order; names are unique.
  public var labels: [ConfiguredLabel] = []
  /// The objectives in file order; names are unique.
  public var objectives: [ObjectiveConfiguration] = []
  /// Who is told; `nil` for nobody.
  public var alerts: AlertConfiguration?
  /// Where the store is forwarded to; `nil` for nowhere.
  public var fleet: FleetConfiguration?
  /// Name of the file as the user gave it.
  public var file: String
  /// Names of credentials of the service manager that were checked by their name only.
  public internal(set) var unreadCredentials: [String] = []

  public init(collector: CollectorConfiguration, targets: [TargetConfiguration], file: String) {
    self.collector = collector
    self.targets = targets
    self.file = file
  }

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
      value.mapping(keys: keys).map { Section(fleet: $0["fleet"].flatMap { FleetConfiguration($0) }) }
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

  private static let keys = [
    "collector", "dashboard", "retention", "targets", "service", "labels", "objectives", "alerts", "fleet",
  ]

  init?(_ value: YAMLValue, file: String) {
    guard let map = value.mapping(keys: Self.keys) else { return nil }
    let collector = map["collector"].map { CollectorConfiguration($0) } ?? CollectorConfiguration()
    guard
      let list = map.required("targets", example: "targets: [{ name: …, provider: …, endpoint: … }]"),
      let elements = list.sequence()
    else { return nil }
    if elements.isEmpty { list.report("is empty", remedy: "configure at least one target") }
    var targets: [TargetConfiguration] = []
    var names: Set<String> = []
    var unreadNames: Set<String> = []
    for element in elements {
      let known = element.context.unreadCredentials.count
      guard
        var target = TargetConfiguration(
          element, hasReceiptListener: map["collector"]?.peek("receipts") != nil)
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
    retention = map["retention"].flatMap { RetentionConfiguration($0) }
    service = map["service"].flatMap { ServiceConfiguration($0) }
    labels = map["labels"].map { LabelSection.read($0) } ?? []
    objectives =
      map["objectives"].map { ObjectiveConfiguration.read($0, targets: targets, unread: unreadNames) } ?? []
    alerts = map["alerts"].flatMap { AlertConfiguration($0) }
    fleet = map["fleet"].flatMap { FleetConfiguration($0) }
    unreadCredentials = value.context.unreadCredentials
    dashboard = DashboardConfiguration(section: map["dashboard"], file: file)
  }
}

/// Section `collector:`: settings of the collector as a whole.
public struct CollectorConfiguration: Sendable, Hashable {
  /// Listener for receipts from devices; `nil` for none.
  public var receipts: ReceiptsConfiguration?
  public var durability: Durability
  /// The group that may read the store; `nil` for the collector's own user only.
  public var storeGroup: StoreGroup?

  /// A group of this host.
  public struct StoreGroup: Sendable, Hashable {
    public var name: String
    public var number: UInt32
  }

  /// Durability of a commit.
  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// SQLite's WAL without a sync for each commit: nothing is lost when the process crashes, the last commits may be when
    /// the machine does.
    case normal
    /// fsync for each commit.
    case full
  }

  public init(receipts: ReceiptsConfiguration? = nil, durability: Durability = .normal) {
    self.receipts = receipts
    self.durability = durability
  }

  init(_ value: YAMLValue) {
    self.init()
    guard let map = value.mapping(keys: ["receipts", "durability", "store_group"]) else { return }
    receipts = map["receipts"].flatMap { ReceiptsConfiguration($0) }
    durability = map["durability"]?.choice(of: Durability.self) ?? .normal
    storeGroup = map["store_group"]?.parsed(StoreGroup.named)
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
  /// PEM chain, the listener's certificate first.
  public var certificateFile: String
  /// PEM; readable by its owner only.
  public var keyFile: SecretFile
  /// Key of the MAC in each payload; at least 16 bytes.
  public var secretFile: SecretFile

  public init(listen: ListenAddress, certificateFile: String, keyFile: SecretFile, secretFile: SecretFile) {
    self.listen = listen
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.secretFile = secretFile
  }

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["listen", "certificate_file", "key_file", "secret_file"]) else {
      return nil
    }
    let listen = map.required("listen", example: "listen: 127.0.0.1:8443")?.parsed(ListenAddress.parse)
    let certificate = map.required("certificate_file", example: "certificate_file: receipts.pem")?.file()
    let key = map.required("key_file", example: "key_file: receipts.key")?.secretFile()
    let secret = map.required("secret_file", example: "secret_file: receipts.secret")?
      .secretFile(minimumBytes: 16)
    guard let listen, let certificate, let key, let secret else { return nil }
    self.init(listen: listen, certificateFile: certificate, keyFile: key, secretFile: secret)
  }
}
