import Configuration
import Providers

extension Scenario {
  /// Reads a scenario file for a service that speaks APNs' dialect: its words need no status.
  ///
  /// - Throws: all mistakes at once, each with file, line, column, key and remedy.
  public static func load(
    path: String, environment: [String: String] = [:]
  ) throws(ConfigurationError) -> Scenario {
    try load(path: path, environment: environment, reasons: APNsReason.statuses)
  }
}

extension APNsReason {
  static let statuses = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0.status) })
}
