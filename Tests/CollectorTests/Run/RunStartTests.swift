import Configuration
import Foundation
import GRDB
import Logging
import Measurement
import Store
import TestKit
import TestTraits
import Testing

@testable import Collector
@testable import Transport

/// A run that fails while it starts, part by part: what had started is ended, and the next run in the same store begins.
@Suite("Start of a run", .ownThread, .timeLimit(.minutes(10)))
struct RunStartTests {
  enum Part: CaseIterable {
    case registration, credentials, transport

    /// The ends of the runs that the store then has.
    var recordedEnds: [Stored<RunEndReason>?] {
      switch self {
      case .registration: []
      case .credentials, .transport: [Stored(.failed)]
      }
    }
  }

  private let directory: TemporaryDirectory
  private let configuration: PushscopeConfiguration

  init() throws {
    directory = try TemporaryDirectory("start")
    let account = try TestAccount().file(tokenURI: "https://127.0.0.1:1/token")
    let schedule = "schedule: { arrivals: constant, rate: 20/s }, timeout: 1s"
    let file = directory.file("pushscope.yaml")
    try """
    targets:
      - { name: web, provider: http, endpoint: 'https://127.0.0.1:1', \(schedule) }
      - { name: droid, provider: fcm, endpoint: 'https://127.0.0.1:1', device_token: '${TOKEN}', \(schedule),
          credentials: { service_account_file: \(account) } }
    """.write(toFile: file, atomically: true, encoding: .utf8)
    configuration = try PushscopeConfiguration.load(path: file, environment: ["TOKEN": "device"])
  }

  private func run(failing part: Part?) -> CollectorRun {
    var configuration = configuration
    configuration.targets.removeAll { $0.name == (part == .credentials ? "web" : "droid") }
    // Too short for a request: the transport refuses it.
    if part == .transport { configuration.targets[0].timeout = .microseconds(1) }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return CollectorRun(
      configuration,
      in: CollectorEnvironment(
        options: CollectorOptions(storePath: "", count: 2, startTimeout: .milliseconds(50)),
        clock: SystemClock(), logger: logger),
      RunCoordinator(staysAfterRun: false, drain: .seconds(1), clock: SystemClock()), listener: nil)
  }

  @Test("a part that fails leaves nothing behind", arguments: Part.allCases)
  func failure(of part: Part) async throws {
    let path = directory.file("store.sqlite")
    let store = try CollectorStore.open(
      at: path, clock: SystemClock(), options: CollectorStoreOptions(bootID: "boot"))
    defer { store.close() }
    let failing = run(failing: part)
    if part == .registration {
      let other = try DatabaseQueue(path: path)
      try await other.write {
        try $0.execute(
          sql: "CREATE TRIGGER full BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'full'); END")
      }
      await #expect(throws: (any Error).self) { try await failing.run(in: store, bootID: "boot") }
      try await other.write { try $0.execute(sql: "DROP TRIGGER full") }
    } else if part == .credentials {
      await #expect(throws: CollectorError.self) { try await failing.run(in: store, bootID: "boot") }
    } else {
      await #expect(throws: TransportError.self) { try await failing.run(in: store, bootID: "boot") }
    }
    let reader = try StoreReader.open(at: path)
    defer { reader.close() }
    #expect(try reader.runs().map(\.endReason) == part.recordedEnds)
    // What was posted before the failure is recorded.
    let lines = try reader.changes(LogLine.self, after: 0, limit: 100).rows.map(\.line.message)
    #expect(lines.contains { $0.hasPrefix("sending to ") } == !part.recordedEnds.isEmpty, "\(lines)")
    let end = try await run(failing: nil).run(in: store, bootID: "boot")
    #expect(!end.wasStopped)
    #expect(try reader.runs().map(\.endReason) == part.recordedEnds + [Stored(.completed)])
  }
}
