import Configuration
import Foundation
import Logging
import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector

/// Keeps what is told of reloads.
private final class ReloadObserver: CollectionObserver {
  private let told = Mutex<[Bool]>([])

  /// What was told last; valid before anything is.
  var isValid: Bool { told.withLock { $0.last ?? true } }

  func reloaded(isSuccessful: Bool) { told.withLock { $0.append(isSuccessful) } }
}

@Suite("Whether the configuration is told to be valid")
struct ReloadVerdictTests {
  private let directory: TemporaryDirectory
  private let observer = ReloadObserver()
  private let reloader: ConfigurationReloader

  init() throws {
    let directory = try TemporaryDirectory("reload")
    self.directory = directory
    try Self.write("secret", in: directory)
    try Self.write(rate: "4/s", in: directory)
    let load: @Sendable () throws -> PushscopeConfiguration = {
      try PushscopeConfiguration.load(path: directory.file("pushscope.yaml"), environment: [:])
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    reloader = ConfigurationReloader(
      try load(), control: RunCoordinator(staysAfterRun: true, drain: .zero, clock: SystemClock()),
      environment: CollectorEnvironment(
        options: CollectorOptions(storePath: directory.file("store.sqlite")), clock: SystemClock(),
        logger: logger, observer: observer), load: load)
  }

  private static func write(_ token: String, in directory: TemporaryDirectory) throws {
    try directory.write("token", token)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: directory.file("token"))
  }

  private static func write(rate: String, in directory: TemporaryDirectory) throws {
    try directory.write(
      "pushscope.yaml",
      """
      targets:
        - { name: a, provider: ntfy, endpoint: 'https://127.0.0.1:1', topic: probes, schedule: { rate: \(rate) },
            credentials: { token_file: token } }
      """)
  }

  private func replace(_ token: String) async throws {
    try Self.write(token, in: directory)
    await reloader.reloadCredentials([directory.file("token")])
  }

  @Test("a credential that is rubbish and then right again")
  func credential() async throws {
    try await replace("two words")
    #expect(!observer.isValid)
    try await replace("still rubbish")
    #expect(!observer.isValid)
    try await replace("secret")
    #expect(observer.isValid)
  }

  @Test("a right credential does not make a refused file right")
  func file() async throws {
    try Self.write(rate: "often", in: directory)
    _ = await reloader.reload()
    try await replace("another")
    #expect(!observer.isValid)
    // Valid, but not what the collector works by.
    try Self.write(rate: "8/s", in: directory)
    try await replace("yet-another")
    #expect(!observer.isValid)
    _ = await reloader.reload()
    #expect(observer.isValid)
  }

  @Test("a reload that was refused because of a credential is mended by the credential")
  func reloadWithCredential() async throws {
    try Self.write("two words", in: directory)
    _ = await reloader.reload()
    #expect(!observer.isValid)
    try await replace("secret")
    #expect(observer.isValid)
  }
}
