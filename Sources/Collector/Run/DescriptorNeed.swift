import Configuration
import Threads

/// How many descriptors a collector needs, by what it has open at rest.
enum DescriptorNeed {
  /// Standard streams, the store with its readers, threads and event loops, signals.
  private static let collector = 44
  /// An event loop, its socket, and a connection.
  private static let listener = 6
  /// A connection, and what names and credentials take for a moment.
  private static let target = 2
  private static let fleet = 4
  /// Two pipes, and their other ends.
  private static let alertCommand = 4

  /// - Parameter targets: those that are sent to.
  static func of(_ configuration: PushscopeConfiguration, targets: Int) -> Int {
    var count = collector + target * targets
    if configuration.collector.receipts != nil { count += listener }
    if configuration.service != nil { count += listener }
    if configuration.fleet != nil { count += fleet }
    if configuration.alerts?.command != nil { count += alertCommand }
    return count
  }

  /// - Throws: `DescriptorShortage` where the limit is lower.
  static func check(_ configuration: PushscopeConfiguration, targets: Int) throws(DescriptorShortage) {
    try DescriptorLimit.require(of(configuration, targets: targets), for: "this configuration")
  }
}
