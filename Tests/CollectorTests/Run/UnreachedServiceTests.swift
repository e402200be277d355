import Configuration
import Foundation
import Logging
import Measurement
import Store
import TestKit
import TestTraits
import Testing

@testable import Collector

/// Services that are out of reach when a run begins: the others are measured all the same.
@Suite("Unreached services", .ownThread, .timeLimit(.minutes(10)))
struct UnreachedServiceTests {
  private let directory: TemporaryDirectory
  private let storePath: String

  init() throws {
    directory = try TemporaryDirectory("unreached")
    storePath = directory.file("store.sqlite")
  }

  private func run(_ targets: [String]) async throws {
    let file = directory.file("pushscope.yaml")
    let schedule = "schedule: { arrivals: constant, rate: 20/s }, timeout: 1s"
    try ("targets:\n" + targets.map { "  - { \($0), \(schedule) }\n" }.joined()).write(
      toFile: file, atomically: true, encoding: .utf8)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    try await CollectorService(
      configuration: try PushscopeConfiguration.load(path: file, environment: ["TOKEN": "device"]),
      options: CollectorOptions(storePath: storePath, count: 3, startTimeout: .milliseconds(100)),
      logger: logger
    ).run()
  }

  /// Ports where nobody listens.
  private static let http = "name: web, provider: http, endpoint: 'https://127.0.0.1:1'"
  private static let ntfy =
    "name: news, provider: ntfy, endpoint: 'http://127.0.0.1:1', topic: t, subscribe: true"
  private static func fcm() throws -> String {
    let account = try TestAccount().file(tokenURI: "https://127.0.0.1:1/token")
    return "name: droid, provider: fcm, endpoint: 'https://127.0.0.1:1', device_token: '${TOKEN}',"
      + " credentials: { service_account_file: \(account) }"
  }

  @Test("those that can be sent to are, and the rest is accounted for")
  func othersAreMeasured() async throws {
    try await run([Self.http, Self.ntfy, Self.fcm()])
    let reader = try StoreReader.open(at: storePath)
    func ends(of target: String) throws -> Set<String> {
      var ends: Set<String> = []
      try reader.forEachSample(RowSelection(targets: [target])) {
        let sample = $0.sample
        ends.insert("\(sample.id.sequence) \(sample.state) \(sample.reason ?? "")")
      }
      return ends
    }
    // Nothing is sent without an access token.
    #expect(
      try ends(of: "droid") == ["1 missed credential", "2 missed credential", "3 missed credential"])
    // Without a subscription things are sent, and show that nobody is there.
    for target in ["web", "news"] {
      let ends = try ends(of: target)
      #expect(ends.count == 3)
      #expect(ends.contains("1 failed connect"), "\(ends)")
    }
    let lines = try reader.changes(LogLine.self, after: 0, limit: 100).rows.map(\.line.message)
    let told = lines.filter { $0.hasPrefix("sending begins without it: ") }
    #expect(told.count == 2, "\(lines)")
    #expect(told.contains { $0.contains("without it: no access token of probe@") })
    #expect(told.contains { $0.contains("without it: the subscription of target news failed") })
  }

  @Test("when there is nobody else, the run does not begin")
  func nobodyElse() async throws {
    for target in [Self.ntfy, try Self.fcm()] {
      let error = await #expect(throws: CollectorError.self) { try await run([target]) }
      #expect(error?.code == .unreachable)
    }
    let counts = try StoreReader.open(at: storePath).runs().map(\.counts.planned)
    #expect(counts == [0, 0])
  }
}
