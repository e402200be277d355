import Configuration
import HTTPServer
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

  /// What a run goes on with when its devices change: what is not of a device stays as it is, and is not read again.
  /// - Throws: ``CollectorError``, `FileReadError` of a device.
  init(
    devicesOf configuration: PushscopeConfiguration, in run: ActiveRun, _ environment: CollectorEnvironment
  ) throws {
    let now = environment.clock.wallNow()
    let joined = TargetBuilder.chosen(from: configuration, options: environment.options).filter {
      $0.joined != nil
    }
    let others = run.entries.map(\.target).filter { $0.configuration.joined == nil }
    targets =
      try others
      + joined.map { target in
        let builder = try TargetBuilder(target, options: environment.options)
        try builder.check(at: now)
        return builder
      }
    secret = run.secret
  }

  static func secret(
    _ configuration: PushscopeConfiguration, _ environment: CollectorEnvironment
  ) throws -> [UInt8]? {
    try configuration.collector.receipts.map { try $0.secretFile.read() }
      ?? environment.devices?.directory.secret()
  }

  /// The secret of the MACs in notifications; `nil` when nothing needs one. Without a receipt listener it is kept beside the store:
  /// what a run sends to the collector itself may come to the next one.
  /// - Parameters:
  ///   - former: the run's, before a reload.
  ///   - store: path of the store.
  func signingSecret(after former: [UInt8]?, store: String) -> [UInt8]? {
    secret ?? (targets.contains(where: \.hearsItself) ? former ?? Self.keptSecret(besideStore: store) : nil)
  }

  /// Where it cannot be kept it is valid for one run.
  private static func keptSecret(besideStore store: String) -> [UInt8] {
    let file = SecretFile(path: "\(store).secret")
    if let secret = try? file.read(), secret.count >= 32 { return secret }
    let secret = HexText.random(bytes: 32)
    if !store.isEmpty { try? PrivateFile.write(secret + "\n", to: file.path, mode: 0o600, isSynced: true) }
    return Array(secret.utf8)
  }
}
