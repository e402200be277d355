import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A store of 0.1.0, as that one wrote it, is brought up with all it holds.
@Suite struct MigrationTests {
  private let directory: TemporaryDirectory
  private let clock = SteppedHostClock(wall: WallTime(microseconds: 1_900_000_000_000_000))

  init() throws {
    directory = try TemporaryDirectory()
    let tests = URL(fileURLWithPath: Programs.repository + "/Tests")
    let file = tests.appendingPathComponent("Fixtures/store-version-\(StoreSchema.oldest).sql")
    try write(try String(contentsOf: file, encoding: .utf8))
  }

  private func write(_ sql: String) throws {
    let queue = try DatabaseQueue(path: directory.storePath)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func rows(_ sql: String) throws -> [Row] {
    let queue = try DatabaseQueue(path: directory.storePath)
    defer { try? queue.close() }
    return try queue.read { try Row.fetchAll($0, sql: sql) }
  }

  private func open() throws -> CollectorStore {
    try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "another"))
  }

  /// Nothing that was recorded is changed; what is new is absent in older rows.
  @Test func bringsUpTheOldestVersion() throws {
    let names = try rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .map {
        $0[0] as String
      }
    let before = try names.map { try rows("SELECT * FROM \($0)") }
    let views = ["sample_view", "event_view"]
    let seen = try views.map { try rows("SELECT * FROM \($0)") }
    #expect(seen[0].count == 161)
    try StoreReader.open(at: directory.storePath).close()
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.version)
    for (table, old) in zip(names, before) {
      let columns = old.first?.columnNames.joined(separator: ", ") ?? "*"
      #expect(try rows("SELECT \(columns) FROM \(table)") == old, "\(table)")
    }
    for (view, old) in zip(views, seen) {
      let columns = old.first?.columnNames.joined(separator: ", ") ?? "*"
      #expect(try rows("SELECT \(columns) FROM \(view)") == old, "\(view)")
    }
    #expect(try rows("SELECT count(*) FROM detector WHERE power IS NOT NULL").first?[0] == 0)
    // The last sign of a collector is taken for retention's last look.
    let looked = try #require(try rows("SELECT counts_as, wall FROM retention_look").first)
    let heard = try #require(try rows("SELECT max(at) FROM heartbeat").first?[0] as Int64?)
    #expect(looked[0] == heard && looked[1] == heard)
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  /// Hours whose notifications were deleted keep their figures.
  @Test func hoursWithoutNotificationsStayInRollups() throws {
    let store = try open()
    while try store.rollUp(atMost: 100) {}
    store.close()
    let reader = try StoreReader.open(at: directory.storePath)
    let run = try #require(try reader.runs().first)
    #expect(run.name == "before pruning" && run.counts.planned == 114)
    var planned = 0
    for target in try reader.targets(of: run.id) {
      let totals = try reader.rollupTotals(of: target.id, from: nil, to: nil, figures: [.accept])
      for total in totals?.variants ?? [] {
        planned += total.counts.planned
        #expect(total.latencies(of: .accept).count == total.counts.acceptedByProvider)
      }
    }
    #expect(planned == run.counts.planned)
    #expect(try reader.pruned().samples != nil)
  }

  @Test func goesOnRecordingInABroughtUpStore() throws {
    let fixture = try StoreFixture(directory: directory, clock: clock)
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 5))
    #expect(try fixture.reader().runs().map(\.counts.planned).last == 5)
  }

  @Test func aSecondOpeningChangesNothing() throws {
    try open().close()
    let schema = try rows("SELECT sql FROM sqlite_schema ORDER BY name")
    try open().close()
    #expect(try rows("SELECT sql FROM sqlite_schema ORDER BY name") == schema)
  }

  /// Tables with their columns and keys, indexes, and views as they are written. The order of columns does not count.
  private func schema() throws -> Set<String> {
    var found: Set<String> = []
    for object in try rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    {
      let (type, name): (String, String) = (object[0], object[1])
      guard type == "table" else {
        found.insert("\(type) \(name) \(object[3] as String)")
        continue
      }
      for column in try rows("PRAGMA table_info(\(name))") {
        let facts = ["name", "type", "notnull", "dflt_value", "pk"].map { "\(column[$0] as DatabaseValue)" }
        found.insert("\(name): \(facts.joined(separator: " "))")
      }
      for key in try rows("PRAGMA foreign_key_list(\(name))") {
        found.insert(
          "\(name) refers: \(key["table"] as String) \(key["from"] as String) \(key["on_delete"] as String)")
      }
      for index in try rows("PRAGMA index_list(\(name))") where index["origin"] as String == "u" {
        let columns = try rows("PRAGMA index_info(\(index["name"] as String))").map { $0["name"] as String }
        found.insert("\(name) unique: \(columns.joined(separator: " "))")
      }
    }
    return found
  }

  /// What a new store has is what a brought-up one has.
  @Test func aNewStoreHasTheSameSchema() throws {
    try open().close()
    let broughtUp = try schema()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.storePath + suffix)
    }
    try open().close()
    let new = try schema()
    #expect(new.count > 200)
    #expect(new.subtracting(broughtUp).isEmpty && broughtUp.subtracting(new).isEmpty)
  }

  @Test func aReaderLeavesAnOlderStoreAloneThatACollectorHas() throws {
    let lock = try CollectorLock.acquire(forStore: directory.storePath)
    let error = #expect(throws: StoreError.self) { _ = try StoreReader.open(at: directory.storePath) }
    withExtendedLifetime(lock) {}
    #expect(error?.code == .inUse)
    #expect(error?.detail.contains("version \(StoreSchema.oldest)") == true)
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.oldest)
  }

  @Test func olderStoresAreRefusedAsTheyAre() throws {
    try write("PRAGMA user_version = \(StoreSchema.oldest - 1)")
    let opened = #expect(throws: StoreError.self) { _ = try open() }
    let read = #expect(throws: StoreError.self) { _ = try StoreReader.open(at: directory.storePath) }
    for error in [opened, read] {
      #expect(error?.code == .outdatedSchema)
      #expect(error?.remedy.contains("open it once with pushscope 0.1.0") == true)
    }
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.oldest - 1)
  }
}
