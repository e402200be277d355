import Configuration
import Measurement

/// What a run needs before it can begin, or go on with another configuration.
struct RunPreparation: Sendable {
  /// The selected ones.
  let targets: [TargetBuilder]
  /// The secret of the receipt listener; `nil` without one, and before the device directory has been made that has it.
  let secret: [UInt8]?

  /// Checks the configuration before anything is opened or changed.
  /// - Throws: ``CollectorError``, `FileReadError`.
  init(_ configuration: PushscopeConfiguration, _ environment: CollectorEnvironment) throws {
    targets = try TargetBuilder.selected(
      from: configuration, options: environment.options, at: environment.clock.wallNow())
    secret = try Self.secret(configuration, environment)
  }

  static func secret(
    _ configuration: PushscopeConfiguration, _ environment: CollectorEnvironment
  ) throws -> [UInt8]? {
    try configuration.collector.receipts.map { try $0.secretFile.read() }
      ?? environment.devices?.directory.secret()
  }

  /// The secret of the MACs in notifications; `nil` when nothing needs one. Without a receipt listener it is valid for its run
  /// only.
  /// - Parameter former: the run's, before a reload.
  func signingSecret(after former: [UInt8]?) -> [UInt8]? {
    secret ?? (targets.contains(where: \.hearsItself) ? former ?? Self.temporarySecret() : nil)
  }

  private static func temporarySecret() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
