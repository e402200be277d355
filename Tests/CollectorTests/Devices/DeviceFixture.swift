import Configuration
import Foundation
import Logging
import Measurement
import Store
import Synchronization
import TestKit

@testable import Collector

/// A registry of devices with a store, and what a run would do with a change.
final class DeviceFixture: Sendable {
  let clock = SteppedHostClock()
  let directory: TemporaryDirectory
  let store: CollectorStore
  let registry: DeviceRegistry
  private let configuration: PushscopeConfiguration
  private let outcome = Mutex(ReloadOutcome.taken(""))
  private let reasons = Mutex<[String]>([])

  /// - Parameter devices: further keys of the section.
  init(_ devices: String = "", targets: String = "", directory: TemporaryDirectory? = nil) throws {
    self.directory = try directory ?? TemporaryDirectory("devices")
    let file = try self.directory.write(
      "pushscope.yaml",
      """
      devices:
        subject: mailto:ops@example.com
        listen: 127.0.0.1:8480
        \(devices)
      \(targets)
      """)
    configuration = try PushscopeConfiguration.load(path: file, environment: [:])
    let path = self.directory.file("store.sqlite")
    store = try CollectorStore.open(at: path, clock: clock, options: CollectorStoreOptions(bootID: "boot"))
    let section = configuration.devices
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    guard let section else { throw NeverHappened(what: "a section devices", seen: file) }
    registry = DeviceRegistry(section, store: path, clock: clock, logger: logger)
  }

  /// Begins to take invitations.
  func open() throws {
    try registry.load()
    registry.adopt(registry.effective(configuration))
    try registry.open(store) { [self] reason in
      reasons.withLock { $0.append(reason) }
      let outcome = outcome.withLock { $0 }
      if case .taken = outcome { registry.adopt(effective) }
      return outcome
    }
  }

  /// The configuration with the devices' targets.
  var effective: PushscopeConfiguration { registry.effective(configuration) }
  /// Why the configuration changed, in order.
  var changes: [String] { reasons.withLock { $0 } }
  /// What becomes of later changes.
  func answer(_ outcome: ReloadOutcome) { self.outcome.withLock { $0 = outcome } }

  /// Leaves an invitation.
  /// - Returns: its token.
  func invite(_ name: String, for length: Duration = .seconds(3600)) async throws -> String {
    let token = "token-of-\(name)-\(UUID().uuidString)"
    let refusal = await registry.carryOut(
      .invite(
        DeviceInvitation(
          name: name, expiresAt: clock.wallNow() + length, tokenHash: DeviceRegistry.hash(token))))
    if let refusal { throw NeverHappened(what: "an invitation for \(name)", seen: refusal) }
    return token
  }

  /// A browser's subscription. The keys are those of RFC 8291, appendix A.
  static func subscription(_ endpoint: String = "https://fcm.googleapis.com/fcm/send/a")
    -> JoinedDevice.Subscription
  {
    JoinedDevice.Subscription(
      endpoint: endpoint, expirationTime: nil,
      keys: .init(
        p256dh:
          "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg"))
  }

  /// Has a device join.
  func join(_ name: String, _ endpoint: String = "https://fcm.googleapis.com/fcm/send/a") async throws
    -> DeviceRegistry.Admission
  {
    try await registry.join(
      token: try await invite(name), Self.subscription(endpoint), platform: "Firefox on Linux"
    ).get()
  }

  /// Rows of the table `device`.
  func rows() throws -> [DeviceRecord] {
    let reader = try StoreReader.open(at: store.path)
    defer { reader.close() }
    return try reader.devices()
  }
}
