import Configuration
import Foundation
import GRDB
import Logging
import Measurement
import Store
import Synchronization
import TestKit
import TestTraits
import Testing
import TransportTestKit

@testable import Collector

/// The whole collector in this process, sending to a port where nobody listens.
@Suite("Reload of the collector's configuration", .ownThread, .timeLimit(.minutes(10)))
struct ServiceReloadTests {
  private let directory: TemporaryDirectory
  private var file: String { directory.file("pushscope.yaml") }
  private var storePath: String { directory.file("store.sqlite") }

  init() throws { directory = try TemporaryDirectory("reload") }

  /// - Parameter targets: further lines of the list of targets.
  private func write(
    _ rates: [(name: String, rate: String)], targets: String = "", _ more: String = ""
  ) throws {
    let list = rates.map {
      "  - { name: \($0.name), provider: http, endpoint: 'https://127.0.0.1:1', timeout: 1s, schedule: { rate: \($0.rate) } }\n"
    }
    try directory.write("pushscope.yaml", "targets:\n\(list.joined())\(targets)\(more)")
  }

  private func service() throws -> CollectorService {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let file = file
    return CollectorService(
      configuration: try PushscopeConfiguration.load(path: file, environment: [:]),
      options: CollectorOptions(storePath: storePath), logger: logger,
      load: { try PushscopeConfiguration.load(path: file, environment: ["TOKEN": "device"]) })
  }

  @Test("a configuration is taken as a whole or not at all, while the run goes on")
  func allOrNothing() async throws {
    try write([("a", "20/s"), ("b", "20/s")])
    let service = try service()
    let told = Mutex<[Int]>([])
    service.onConfiguration { configuration in told.withLock { $0.append(configuration.targets.count) } }
    let begun = AsyncStream<RunID>.makeStream()
    let life = Task { try await service.run(onStart: { begun.continuation.yield($0.run) }) }
    var runs = begun.stream.makeAsyncIterator()
    let run = try #require(await runs.next())
    let reader = try StoreReader.open(at: storePath)

    try write([("a", "20/s"), ("b", "often")])
    let refused = await service.reload()
    guard case .refused(let why) = refused else {
      Issue.record("an invalid configuration was taken")
      return
    }
    #expect(why.contains(":3:") && why.contains("schedule.rate"), "\(why)")
    #expect(told.withLock { $0 }.isEmpty && service.configuration.targets.count == 2)

    try write(
      [("a", "20/s"), ("b", "5/s"), ("c", "20/s")],
      "retention: { samples: 30d }\ncollector: { durability: full }\n")
    guard case .taken(let words) = await service.reload() else {
      Issue.record("a valid configuration was refused")
      return
    }
    for word in [
      "targets changed: b", "targets new: c", "retention", "restart of the collector: collector.durability",
    ] {
      #expect(words.contains(word), "\(words)")
    }
    #expect(told.withLock { $0 } == [3])
    #expect(service.configuration.retention?.samples == .seconds(30 * 86_400))
    #expect(service.configuration.collector.durability == .normal)
    let former = try await DatabaseQueue(path: storePath).read {
      try Double.fetchAll($0, sql: "SELECT asked_rate FROM former_target")
    }
    #expect(former == [20])
    try await TestKit.eventually("c sends") { () async throws -> Bool? in
      try reader.targets(of: run).first { $0.name == "c" }?.counts.planned ?? 0 > 5 ? true : nil
    }
    // Nothing changed, nothing happens.
    guard case .taken(let same) = await service.reload() else { return }
    #expect(!same.contains("targets"), "\(same)")

    // One that ended begins again in the same run: with its id, and its sequence goes on.
    let ids = try reader.targets(of: run).map(\.id)
    for targets in [[("a", "20/s"), ("c", "20/s")], [("a", "20/s"), ("b", "9/s"), ("c", "20/s")]] {
      try write(targets)
      guard case .taken(let words) = await service.reload() else {
        Issue.record("the return of a target was refused")
        return
      }
      #expect(words.contains(targets.count == 2 ? "targets ended: b" : "targets new: b"), "\(words)")
    }
    #expect(try reader.targets(of: run).map(\.id) == ids)
    #expect(try reader.formerTargets(of: run).map(\.askedRate) == [20, 5])
    let planned = try reader.targets(of: run).first { $0.name == "b" }?.counts.planned ?? 0
    try await TestKit.eventually("b sends again") { () async throws -> Bool? in
      try reader.targets(of: run).first { $0.name == "b" }?.counts.planned ?? 0 > planned + 5 ? true : nil
    }

    service.stop()
    let end = try #require(try await life.value)
    #expect(end.run == run)
    #expect(try reader.runs().count == 1)
    for target in try reader.targets(of: run) {
      #expect(target.counts.open == 0, "\(target.name)")
      var last: Int64 = 0
      try reader.forEachSample(RowSelection(run: run, targets: [target.name])) { row in
        #expect(row.id.sequence == last + 1, "\(target.name)")
        last = row.id.sequence
      }
      #expect(Int(last) == target.counts.planned, "\(target.name)")
    }
    let kinds = try reader.events(of: run)
    #expect(kinds.contains(.configRefused) && kinds.contains(.configReloaded))
  }

  /// The token endpoint is asked once all else is ready, and knows the account's key under another one.
  @Test(
    "a credential that its issuer refuses leaves the run and its record as they were",
    .enabled(if: Tool.hasPyJWT && TestCertificate.good != nil))
  func refusedCredential() async throws {
    try write([("a", "20/s"), ("b", "20/s")])
    let service = try service()
    let begun = AsyncStream<RunID>.makeStream()
    let life = Task { try await service.run(onStart: { begun.continuation.yield($0.run) }) }
    var runs = begun.stream.makeAsyncIterator()
    let run = try #require(await runs.next())
    let reader = try StoreReader.open(at: storePath)
    let before = try reader.targets(of: run).map { [$0.name, "\($0.askedRate)", "\($0.id.rawValue)"] }

    let stranger = try TestAccount()
    let server = try ServerProcess.fcm(["--public-key", try TestAccount().publicKeyFile])
    let account = try stranger.file(tokenURI: "https://127.0.0.1:\(server.port)/token")
    let certificate = try #require(TestCertificate.good).certificate
    let droid = """
        - { name: droid, provider: fcm, endpoint: 'https://127.0.0.1:1', device_token: '${TOKEN}', ca_file: \(certificate),
            schedule: { rate: 20/s }, credentials: { service_account_file: \(account) } }

      """
    try write([("a", "7/s"), ("c", "20/s")], targets: droid)
    guard case .refused(let why) = await service.reload() else {
      Issue.record("a refused credential was taken")
      return
    }
    #expect(why.contains("invalid_grant"), "\(why)")
    #expect(service.configuration.targets.map(\.name) == ["a", "b"])
    #expect(
      try reader.targets(of: run).map { [$0.name, "\($0.askedRate)", "\($0.id.rawValue)"] } == before)
    #expect(try reader.formerTargets(of: run).isEmpty)
    // Both go on, and so does the numbering: the next reload has the ids that this one would have had.
    let planned = try reader.targets(of: run).map(\.counts.planned)
    try await TestKit.eventually("both go on") { () async throws -> Bool? in
      zip(try reader.targets(of: run).map(\.counts.planned), planned).allSatisfy { $0 > $1 + 20 } ? true : nil
    }
    try write([("a", "7/s"), ("c", "20/s")])
    guard case .taken(let words) = await service.reload() else {
      Issue.record("a valid configuration was refused")
      return
    }
    for word in ["targets changed: a", "targets new: c", "targets ended: b"] {
      #expect(words.contains(word), "\(words)")
    }
    #expect(try reader.formerTargets(of: run).map(\.askedRate) == [20])
    let ids = try reader.targets(of: run).map(\.id.rawValue)
    #expect(ids == Array(ids[0]..<ids[0] + 3))
    try await TestKit.eventually("c sends") { () async throws -> Bool? in
      try reader.targets(of: run).first { $0.name == "c" }?.counts.planned ?? 0 > 5 ? true : nil
    }
    service.stop()
    _ = try await life.value
    // What the refused configuration's credential said is not of the run.
    var said: [String] = []
    try reader.forEachLogLine(RowSelection(run: run)) { said.append($0.line.message) }
    #expect(!said.contains { $0.contains("sending begins once") || $0.contains("token") }, "\(said)")
  }
}

extension StoreReader {
  fileprivate func events(of run: RunID) throws -> Set<EventKind> {
    var kinds: Set<EventKind> = []
    try forEachEvent(RowSelection(run: run)) { kinds.insert($0.event.kind) }
    return kinds
  }
}
