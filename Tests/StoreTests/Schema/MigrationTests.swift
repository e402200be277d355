import Foundation
import GRDB
import Measurement
import Testing

@testable import Store

/// Stores of older versions, as pushscope wrote them then, are brought up with all they hold.
@Suite struct MigrationTests {
  private let scratch: Scratch
  private let clock = SteppedClock()

  init() throws { scratch = try Scratch() }

  /// Makes the store that `Tests/Fixtures` keeps as SQL.
  private func restore(version: Int) throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = tests.appendingPathComponent("Fixtures/store-version-\(version).sql")
    let sql = try String(contentsOf: file, encoding: .utf8)
    let queue = try DatabaseQueue(path: scratch.store)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func rows(_ sql: String) throws -> [Row] {
    let queue = try DatabaseQueue(path: scratch.store)
    defer { try? queue.close() }
    return try queue.read { try Row.fetchAll($0, sql: sql) }
  }

  @Test func bringsUpTheFirstVersion() throws {
    try restore(version: 1)
    let columns = try rows("SELECT * FROM sample_view").first?.columnNames.joined(separator: ", ") ?? ""
    let settled = "SELECT \(columns) FROM sample_view WHERE state <> 'planned' AND state <> 'in_flight'"
    let events = "SELECT * FROM event_view"
    let before = (samples: try rows(settled), events: try rows(events))
    #expect(before.samples.count == 58)
    let store = try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "another"))
    let version = try store.queue.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == StoreSchema.version)
    // The killed run is settled after the schema is brought up.
    #expect(store.recovered.runs.count == 1)
    store.close()

    let reader = try StoreReader.open(at: scratch.store)
    let runs = try reader.runs()
    #expect(runs.map(\.name) == ["before rollups", nil])
    #expect(runs.map(\.endReason) == [.completed, .interrupted])
    #expect(runs[0].counts[.accepted] + runs[0].counts[.rejected] == 30)
    let after = (samples: try rows(settled), events: try rows(events))
    #expect(Array(after.samples.filter { $0["state"] != "interrupted" }) == before.samples)
    #expect(Array(after.events.filter { $0["kind"] != "interrupted" }) == before.events)
    for run in runs { #expect(try reader.targets(of: run.id).map(\.name) == ["loopback"]) }
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  /// Its rollups lack what the third version counts: they are made anew.
  @Test func bringsUpTheSecondVersion() throws {
    try restore(version: 2)
    #expect(try rows("SELECT * FROM rollup").count > 10)
    let later = SteppedClock(wall: 1_900_000_000_000_000)
    let reader = try StoreReader.open(at: scratch.store)
    #expect(try reader.rollupsCoverTo() == nil)
    #expect(try reader.runs().map(\.name) == ["with rollups", nil])
    reader.close()
    let store = try CollectorStore.open(at: scratch.store, clock: later, options: .init(bootID: "another"))
    #expect(store.recovered.runs.count == 1)
    while try store.rollUp(atMost: 100) {}
    try RollupTruth.check(store)
    store.close()
    #expect(
      try rows("SELECT * FROM sample_view WHERE delivery_certainty = 'exact'").count
        == (try rows("SELECT * FROM sample WHERE delivery_us IS NOT NULL").count))
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  @Test(arguments: [1, 2]) func goesOnRecordingInABroughtUpStore(version: Int) throws {
    try restore(version: version)
    let bench = try Bench(scratch: scratch, clock: clock)
    try bench.commit(inserted: bench.plans(bench.alpha, count: 5))
    #expect(try bench.reader().runs().map(\.counts.planned).last == 5)
  }

  @Test func aSecondOpeningChangesNothing() throws {
    try restore(version: 1)
    try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "b")).close()
    let schema = try rows("SELECT sql FROM sqlite_schema ORDER BY name")
    try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "b")).close()
    #expect(try rows("SELECT sql FROM sqlite_schema ORDER BY name") == schema)
  }

  /// What a new store has is what a brought-up one has.
  @Test(arguments: [1, 2]) func aNewStoreHasTheSameSchema(version: Int) throws {
    try restore(version: version)
    try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "b")).close()
    let broughtUp = try rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.store + suffix) }
    try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "b")).close()
    #expect(try rows("SELECT name, sql FROM sqlite_schema ORDER BY name") == broughtUp)
  }

  @Test func aReaderBringsUpWhatNoCollectorHas() throws {
    try restore(version: 1)
    let reader = try StoreReader.open(at: scratch.store)
    #expect(try reader.runs().map(\.name) == ["before rollups", nil])
    // The killed run is the next collector's to settle.
    #expect(try reader.runs().map(\.endReason) == [.completed, nil])
    #expect(try reader.rollupsCoverTo() == nil)
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.version)
    let store = try CollectorStore.open(at: scratch.store, clock: clock, options: .init(bootID: "b"))
    #expect(store.recovered.runs.count == 1)
  }

  @Test func aReaderLeavesAnOlderStoreAloneThatACollectorHas() throws {
    try restore(version: 1)
    let lock = try CollectorLock.take(forStore: scratch.store)
    let error = #expect(throws: StoreError.self) { _ = try StoreReader.open(at: scratch.store) }
    withExtendedLifetime(lock) {}
    #expect(error?.code == .inUse)
    #expect(error?.detail.contains("version 1") == true)
    #expect(try rows("PRAGMA user_version").first?[0] == Int64(1))
  }

  /// What an older version recorded is rolled up like anything else.
  @Test func whatAnOlderVersionRecordedIsRolledUp() throws {
    try restore(version: 1)
    let later = SteppedClock(wall: 1_795_400_000_000_000)
    let store = try CollectorStore.open(at: scratch.store, clock: later, options: .init(bootID: "b"))
    while try store.rollUp(atMost: 10) {}
    try RollupTruth.check(store)
    #expect(
      try store.queue.read { try Int.fetchOne($0, sql: "SELECT sum(planned) + sum(accepted) FROM rollup") }
        ?? 0 > 100)
  }
}
