import Configuration
import Foundation
import GRDB
import Glibc
import Measurement
import StoreTestKit
import TestKit
import TestTraits
import Testing

@testable import Fleet
@testable import Store

/// `scripts/bootstrap fleet` unpacks the servers.
enum ServerPrograms {
  static let areThere =
    Programs.has("java")
    && FileManager.default.fileExists(
      atPath: Programs.repository + "/.build/services/root/usr/sbin/clickhouse-server")
}

/// A real server. Debian's version is far older than what is supported, so the schema is a reduced one; inserts and replacement
/// are what the engine has done since.
@Suite(.ownThread, .enabled(if: ServerPrograms.areThere), .serialized) struct ServerTests {
  /// Servers by their names: the HTTP port and the process.
  private final class Cluster {
    private let folder: TemporaryDirectory
    private(set) var servers: [String: (port: Int, pid: Int32)] = [:]
    private static let script = Programs.repository + "/scripts/clickhouse"

    init(isCluster: Bool) throws {
      folder = try TemporaryDirectory("cluster")
      chmod(folder.file("."), 0o755)
      let ports = try FreePort.arguments(isCluster ? 13 : 3).joined(separator: ",")
      try call(["start", folder.file("servers"), ports] + (isCluster ? ["--cluster"] : []))
    }

    deinit { _ = try? Programs.run(Programs.python, [Self.script, "stop", folder.file("servers")]) }

    private func call(_ arguments: [String]) throws {
      let outcome = try Programs.run(Programs.python, [Self.script] + arguments)
      guard outcome.status == 0 else { throw NeverHappened(what: "the servers start", seen: outcome.error) }
      let list = try String(contentsOfFile: folder.file("servers/ports"), encoding: .utf8)
      for line in list.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 3, let port = Int(words[1]), let pid = Int32(words[2]) {
          servers[String(words[0])] = (port, pid)
        }
      }
    }

    func kill(_ name: String) throws {
      let server = try #require(servers[name])
      Glibc.kill(server.pid, SIGKILL)
      try eventually("\(name) is gone") { !FreePort.isListening(server.port) }
    }

    func restart(_ name: String) throws { try call(["restart", folder.file("servers"), name]) }

    /// Starts what ended by itself again, as a service manager does: a server of this version that comes back sometimes crashes in its
    /// own client of ZooKeeper.
    func restartEnded() throws {
      for (name, server) in servers where !FreePort.isListening(server.port) { try restart(name) }
    }

    func configuration(_ names: [String]) -> FleetConfiguration {
      FleetConfiguration(
        urls: names.compactMap { servers[$0] }.map {
          Endpoint(scheme: .http, host: "127.0.0.1", port: $0.port)
        },
        database: "pushscope", writer: .init(name: "default"), reader: .init(name: "default"))
    }
  }

  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func forwarder(_ configuration: FleetConfiguration) throws -> Forwarder {
    try Forwarder(configuration, store: fixture.store, reader: try fixture.reader())
  }

  /// Some runs, so that both shards have some.
  private func record(_ count: Int) throws {
    for seed in 0..<6 {
      fixture.clock.advance(by: .seconds(1))
      var generator = SeededGenerator(seed: UInt64(seed + count))
      let run = RunID(at: fixture.clock.wallNow(), using: &generator)
      let registration = try fixture.store.beginRun(StoreFixture.description(of: run, fixture.clock))
      let target = try #require(registration["alpha"]).id
      let plans = fixture.plans(target, count: count)
      _ = try fixture.store.commit(WriteBatch(run: run, inserted: plans))
      _ = try fixture.store.commit(
        WriteBatch(
          run: run, updated: plans.map { $0.asDelivered(40_000 + $0.id.sequence) },
          events: [Event(at: fixture.clock.wallNow(), kind: .connected, target: target)]))
    }
  }

  private func expectAgreement(_ configuration: FleetConfiguration, of cluster: Cluster? = nil) throws {
    let client = try EngineClient(configuration, as: .init(name: "default"))
    let figures = "count(*), sum(sequence), sum(coalesce(delivery_us, 0)), sum(revision)"
    let local = try fixture.store.queue.read { db in
      let samples = try Row.fetchAll(
        db,
        sql: """
          SELECT count(*), sum(id & \(SampleID.sequenceMask)), sum(ifnull(delivery_us, 0)), sum(revision)
          FROM sample WHERE state <> 0
          """)
      return samples.map { row in (0..<4).map { "\(row[$0] as Int64)" } }
    }
    try eventuallyAnswered("replicas agree", by: cluster) {
      try client.rows("SELECT \(figures) FROM pushscope.sample FINAL") == local
    }
    for table in ["run", "target", "event"] {
      let count = try fixture.store.queue.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      // Each table is replicated by itself.
      try eventuallyAnswered("replicas agree on \(table)", by: cluster) {
        try client.rows("SELECT count(*) FROM pushscope.\(table) FINAL") == [["\(count)"]]
      }
    }
  }

  @Test(.timeLimit(.minutes(10))) func oneServer() throws {
    let cluster = try Cluster(isCluster: false)
    let configuration = cluster.configuration(["server"])
    let setup = try FleetSetup(
      configuration, administrator: .init(name: "default"), cluster: nil, clock: SystemClock())
    // Users are told that it is too old.
    let refusal = #expect(throws: FleetError.self) { _ = try setup.run(makesUsers: false) }
    #expect(refusal?.code == .oldEngine)
    #expect(try setup.run(makesUsers: false, translating: OldEngine.statement).engine.hasPrefix("18."))
    try record(200)
    try forwarder(configuration).all()
    try expectAgreement(configuration)
    // The server is killed in the middle of inserts, and comes back with what it said it had.
    for round in 0..<3 {
      try record(50)
      let forwarder = try forwarder(configuration)
      _ = try forwarder.step()
      if round > 0 { _ = try forwarder.step() }
      try cluster.kill("server")
      try record(1)
      let error = #expect(throws: FleetError.self) { _ = try forwarder.all() }
      #expect(error?.code == .unreachable)
      try cluster.restart("server")
    }
    try forwarder(cluster.configuration(["server"])).all()
    try expectAgreement(cluster.configuration(["server"]))
  }

  /// Two shards of two replicas each: nodes are lost and come back, and each says the same afterwards.
  @Test(.timeLimit(.minutes(10))) func aClusterThatLosesNodes() throws {
    let cluster = try Cluster(isCluster: true)
    let names = ["1a", "1b", "2a", "2b"]
    let configuration = cluster.configuration(names)
    let setup = try FleetSetup(
      configuration, administrator: .init(name: "default"), cluster: "main", clock: SystemClock())
    try eventuallyAnswered("the tables are there", by: cluster) {
      _ = try setup.run(makesUsers: false, translating: OldEngine.statement)
      return true
    }
    try record(100)
    try forwardAll(configuration, to: cluster)
    try expectAgreement(configuration, of: cluster)
    for (round, lost) in ["1a", "2b", "1b"].enumerated() {
      try record(40 + round)
      let forwarder = try forwarder(configuration)
      for _ in 0..<round { _ = try forwarder.step() }
      try cluster.kill(lost)
      try record(10 + round)
      // The others go on without it.
      try forwardAll(configuration)
      try cluster.restart(lost)
    }
    for name in names { try expectAgreement(cluster.configuration([name]), of: cluster) }
  }

  private func forwardAll(_ configuration: FleetConfiguration, to cluster: Cluster? = nil) throws {
    let forwarder = try forwarder(configuration)
    try eventuallyAnswered("all rows are forwarded", by: cluster) {
      try forwarder.all()
      return true
    }
  }

  /// Tries again as long as the engine says that it cannot at the moment.
  ///
  /// - Parameter cluster: its servers that have ended by themselves are started again.
  private func eventuallyAnswered(
    _ what: String, by cluster: Cluster?, _ condition: () throws -> Bool
  ) throws {
    try eventually(what) {
      try cluster?.restartEnded()
      do {
        return try condition()
      } catch let error as FleetError {
        try #require([.busy, .unreachable].contains(error.code), "\(error)")
        return false
      }
    }
  }
}
