import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// Stores of older versions, as pushscope wrote them then, are brought up with all they hold.
@Suite struct MigrationTests {
  private let directory: TemporaryDirectory
  private let clock = SteppedHostClock()

  init() throws { directory = try TemporaryDirectory() }

  /// Makes the store that `Tests/Fixtures` keeps as SQL.
  private func restore(version: Int) throws {
    let tests = URL(fileURLWithPath: Programs.repository + "/Tests")
    let file = tests.appendingPathComponent("Fixtures/store-version-\(version).sql")
    let sql = try String(contentsOf: file, encoding: .utf8)
    let queue = try DatabaseQueue(path: directory.storePath)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func rows(_ sql: String) throws -> [Row] {
    let queue = try DatabaseQueue(path: directory.storePath)
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
    let store = try CollectorStore.open(
      at: directory.storePath, clock: clock, options: .init(bootID: "another"))
    let version = try store.queue.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == StoreSchema.version)
    // The killed run is settled after the schema is brought up.
    #expect(store.recovered.runs.count == 1)
    store.close()

    let reader = try StoreReader.open(at: directory.storePath)
    let runs = try reader.runs()
    #expect(runs.map(\.name) == ["before rollups", nil])
    #expect(runs.map(\.endReason) == [Stored(.completed), Stored(.interrupted)])
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
    let later = SteppedHostClock(wall: WallTime(microseconds: 1_900_000_000_000_000))
    let reader = try StoreReader.open(at: directory.storePath)
    #expect(try reader.rollupsCoverTo() == nil)
    #expect(try reader.runs().map(\.name) == ["with rollups", nil])
    reader.close()
    let store = try CollectorStore.open(
      at: directory.storePath, clock: later, options: .init(bootID: "another"))
    #expect(store.recovered.runs.count == 1)
    while try store.rollUp(atMost: 100) {}
    try RollupTruth.check(store)
    store.close()
    #expect(
      try rows("SELECT * FROM sample_view WHERE delivery_certainty = 'exact'").count
        == (try rows("SELECT * FROM sample WHERE delivery_us IS NOT NULL").count))
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  /// Deliveries that have an error get the range that the truth lies in; rollups that count any are made anew from them.
  @Test func bringsUpTheThirdVersion() throws {
    try restore(version: 3)
    // By chance an error is as large as its latency where there was a clock exchange; by rule where there was none.
    try write(
      """
      UPDATE sample SET delivery_error_us = delivery_us WHERE id & 0xFFFFFFFFFF IN (7, 8) AND id >> 40 = 1;
      UPDATE receipt SET offset_us = NULL, offset_error_us = NULL WHERE sample_id = (1 << 40) + 8;
      """)
    #expect(try rows("SELECT * FROM rollup WHERE delivery_error IS NOT NULL").count > 10)
    let before = try rows("SELECT * FROM sample ORDER BY id")
    let store = try CollectorStore.open(
      at: directory.storePath, clock: SteppedHostClock(wall: WallTime(microseconds: 1_900_000_000_000_000)),
      options: .init(bootID: "another"))
    #expect(try store.queue.read { try RollupWatermarks.fetch($0).second } % 3600 == 0)
    while try store.rollUp(atMost: 100) {}
    try RollupTruth.check(store)
    store.close()

    // Nothing that was recorded has changed.
    let after = try rows(
      "SELECT \(before[0].columnNames.joined(separator: ", ")) FROM sample ORDER BY id")
    let settled: (Row) -> Bool = { NotificationState(rawValue: $0["state"])?.isSettled ?? false }
    let kept = Set(before.filter(settled).map { $0["id"] as Int64 })
    #expect(kept.count > 170)
    #expect(after.filter { kept.contains($0["id"]) } == before.filter(settled))
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])

    let view = try rows("SELECT * FROM sample_view WHERE delivery_us IS NOT NULL")
    var certainties: [String: Int] = [:]
    for row in view {
      let (value, error): (Int64, Int64) = (row["delivery_us"], row["delivery_error_us"])
      let (low, high): (Int64, Int64) = (row["delivery_low_us"], row["delivery_high_us"])
      certainties[row["delivery_certainty"], default: 0] += 1
      #expect(low == max(0, value - error))
      let isLimit = row["target"] == "far" && row["sequence"] == 8
      #expect(high == (isLimit ? value : value + error))
      // Everything took at least 90 ms to the device of the first target, and some ms more.
      if row["target"] == "far", !isLimit, error > 0, row["sequence"] != 7 {
        #expect(low < 90_000 && high > 90_000)
      }
    }
    #expect(
      certainties["exact"] ?? 0 > 60 && certainties["bounded"] ?? 0 > 60 && certainties["limit"] ?? 0 > 10)
  }

  /// Rollups without such deliveries stay, and so do those of which there are no notifications any more.
  @Test func leavesExactRollupsOfTheThirdVersionAlone() throws {
    try restore(version: 3)
    // An hour that was rolled up before anything with an error.
    let hour: Int64 = 1_795_377_600
    try write(
      """
      UPDATE sample SET planned_at = planned_at - 7200000000, delivery_error_us = 0 WHERE id >> 40 = 2;
      DELETE FROM rollup;
      """)
    let values = (0..<15).map { $0 == 3 ? "1" : "0" }.joined(separator: ", ")
    try write(
      """
      INSERT INTO rollup SELECT span, start, 2, 0, \(values), NULL, NULL, X'02', NULL, NULL, NULL, NULL, NULL, NULL
      FROM (SELECT 3600 AS span, \(hour - 7200) AS start UNION ALL SELECT 60, \(hour - 7200)
        UNION ALL SELECT 1, \(hour - 7200));
      INSERT INTO rollup SELECT span, start, 1, 0, \(values), NULL, NULL, X'02', NULL, NULL, NULL, NULL, X'02', NULL
      FROM (SELECT 60 AS span, \(hour + 240) AS start UNION ALL SELECT 1, \(hour + 293));
      UPDATE rollup_mark SET covered_to = CASE span WHEN 3600 THEN \(hour) WHEN 60 THEN \(hour + 300)
        ELSE \(hour + 310) END;
      """)
    try StoreReader.open(at: directory.storePath).close()
    #expect(try rows("SELECT DISTINCT start FROM rollup").map { $0[0] as Int64 } == [hour - 7200])
    #expect(try rows("SELECT span FROM rollup").count == 3)
    #expect(try rows("SELECT DISTINCT covered_to FROM rollup_mark").map { $0[0] as Int64 } == [hour])
  }

  /// Nothing recorded is changed: what the fifth version adds is absent in older rows.
  @Test func bringsUpTheFourthVersion() throws {
    try restore(version: 4)
    let before = try rows("SELECT * FROM sample_view")
    #expect(before.count > 30)
    let reader = try StoreReader.open(at: directory.storePath)
    let run = try #require(try reader.runs().first)
    let target = try #require(try reader.targets(of: run.id).first)
    #expect(target.endpoint == nil && target.device == nil)
    #expect(
      try reader.pings(
        of: [target.id], in: WallTime(microseconds: 0)..<WallTime(microseconds: .max)
      ).isEmpty)
    reader.close()
    let columns = before[0].columnNames.joined(separator: ", ")
    #expect(try rows("SELECT \(columns) FROM sample_view") == before)
    #expect(
      try rows("SELECT * FROM sample_view WHERE path_us IS NOT NULL OR peer_ack_us IS NOT NULL").isEmpty)

    let store = try CollectorStore.open(
      at: directory.storePath, clock: SteppedHostClock(wall: WallTime(microseconds: 1_900_000_000_000_000)),
      options: .init(bootID: "another"))
    while try store.rollUp(atMost: 100) {}
    try RollupTruth.check(store)
    store.close()
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  /// Version 6 adds tables; what was recorded stays as it is.
  @Test func bringsUpTheFifthVersion() throws {
    try restore(version: 5)
    let tables = ["sample", "path", "target", "event", "rollup", "receipt"]
    let before = try tables.map { try rows("SELECT * FROM \($0)") }
    #expect(before[0].count > 10 && before[1].count == 3)
    let reader = try StoreReader.open(at: directory.storePath)
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.version)
    for (table, old) in zip(tables, before) {
      // Columns that later versions added come after these.
      let columns = old.first?.columnNames.joined(separator: ", ") ?? "*"
      #expect(try rows("SELECT \(columns) FROM \(table)") == old, "\(table)")
    }
    #expect(try reader.findings(.everything).isEmpty)
    #expect(try reader.detectors().isEmpty)
    let spans = try reader.seriesSpans(endingAfter: WallTime(microseconds: 0))
    #expect(spans.map(\.name) == ["loopback", "loopback"])
    #expect(spans.allSatisfy { $0.endpoint == "https://127.0.0.1:8471" && $0.device == "phone" })
    #expect(try rows("PRAGMA integrity_check").map { $0[0] as String } == ["ok"])
  }

  private func write(_ sql: String) throws {
    let queue = try DatabaseQueue(path: directory.storePath)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test(arguments: [1, 2, 3, 4, 5]) func goesOnRecordingInABroughtUpStore(version: Int) throws {
    try restore(version: version)
    let fixture = try StoreFixture(directory: directory, clock: clock)
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 5))
    #expect(try fixture.reader().runs().map(\.counts.planned).last == 5)
  }

  @Test func aSecondOpeningChangesNothing() throws {
    try restore(version: 1)
    try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "b")).close()
    let schema = try rows("SELECT sql FROM sqlite_schema ORDER BY name")
    try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "b")).close()
    #expect(try rows("SELECT sql FROM sqlite_schema ORDER BY name") == schema)
  }

  /// What a new store has is what a brought-up one has.
  @Test(arguments: [1, 2, 3, 4, 5]) func aNewStoreHasTheSameSchema(version: Int) throws {
    try restore(version: version)
    try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "b")).close()
    let broughtUp = try rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.storePath + suffix)
    }
    try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "b")).close()
    #expect(try rows("SELECT name, sql FROM sqlite_schema ORDER BY name") == broughtUp)
  }

  @Test func aReaderBringsUpWhatNoCollectorHas() throws {
    try restore(version: 1)
    let reader = try StoreReader.open(at: directory.storePath)
    #expect(try reader.runs().map(\.name) == ["before rollups", nil])
    // The killed run is the next collector's to settle.
    #expect(try reader.runs().map(\.endReason) == [Stored(.completed), nil])
    #expect(try reader.rollupsCoverTo() == nil)
    #expect(try rows("PRAGMA user_version").first?[0] == StoreSchema.version)
    let store = try CollectorStore.open(at: directory.storePath, clock: clock, options: .init(bootID: "b"))
    #expect(store.recovered.runs.count == 1)
  }

  @Test func aReaderLeavesAnOlderStoreAloneThatACollectorHas() throws {
    try restore(version: 1)
    let lock = try CollectorLock.take(forStore: directory.storePath)
    let error = #expect(throws: StoreError.self) { _ = try StoreReader.open(at: directory.storePath) }
    withExtendedLifetime(lock) {}
    #expect(error?.code == .inUse)
    #expect(error?.detail.contains("version 1") == true)
    #expect(try rows("PRAGMA user_version").first?[0] == Int64(1))
  }

  /// What an older version recorded is rolled up like anything else.
  @Test func whatAnOlderVersionRecordedIsRolledUp() throws {
    try restore(version: 1)
    let later = SteppedHostClock(wall: WallTime(microseconds: 1_795_400_000_000_000))
    let store = try CollectorStore.open(at: directory.storePath, clock: later, options: .init(bootID: "b"))
    while try store.rollUp(atMost: 10) {}
    try RollupTruth.check(store)
    #expect(
      try store.queue.read { try Int.fetchOne($0, sql: "SELECT sum(planned) + sum(accepted) FROM rollup") }
        ?? 0 > 100)
  }
}
