/// A configuration file, checked as a whole.
public struct PushscopeConfiguration: Sendable, Hashable {
  public var collector: CollectorConfiguration
  /// In file order; names are unique.
  public var targets: [TargetConfiguration]
  public var dashboard = DashboardConfiguration()
  /// Name of the file as the user gave it.
  public var file: String

  public init(collector: CollectorConfiguration, targets: [TargetConfiguration], file: String) {
    self.collector = collector
    self.targets = targets
    self.file = file
  }

  /// Reads and checks the file.
  ///
  /// - Parameter environment: variables for `${NAME}`.
  /// - Throws: all problems, in file order.
  public static func load(
    path: String, environment: [String: String]
  ) throws(ConfigurationError) -> PushscopeConfiguration {
    try YAMLFile.load(path: path, environment: environment) { Self($0, file: path) }
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

  init?(_ value: YAMLValue, file: String) {
    guard let map = value.mapping(keys: ["collector", "dashboard", "targets"]) else { return nil }
    let collector = map["collector"].map { CollectorConfiguration($0) } ?? CollectorConfiguration()
    guard
      let list = map.required("targets", example: "targets: [{ name: …, provider: …, endpoint: … }]"),
      let elements = list.sequence()
    else { return nil }
    if elements.isEmpty { list.report("is empty", remedy: "configure at least one target") }
    var targets: [TargetConfiguration] = []
    for element in elements {
      guard
        let target = TargetConfiguration(
          element, hasReceiptListener: map["collector"]?.peek("receipts") != nil)
      else { continue }
      if targets.contains(where: { $0.name == target.name }) {
        element.report(
          "is another target named \"\(target.name)\"", remedy: "give each target a name of its own")
      }
      targets.append(target)
    }
    self.init(collector: collector, targets: targets, file: file)
    dashboard = DashboardConfiguration(section: map["dashboard"], file: file)
  }
}
