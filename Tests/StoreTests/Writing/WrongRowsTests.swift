import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A store with rows that no collector writes: edited by a person, damaged, or of another version. The collector refuses it or
/// goes on; it never ends at once, as the rows would be there at each start.
@Suite struct WrongRowsTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1, 1 << 62, .max]

  /// A store that a collector left open, whose rows are then changed.
  private func edited(_ sql: String, isStrict: Bool = true) throws -> StoreFixture {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6)
    try fixture.commit(
      inserted: plans,
      anchors: [ClockAnchor(monotonic: fixture.clock.monotonicNow(), wall: fixture.clock.wallNow())])
    try fixture.commit(updated: [plans[0].asDelivered()])
    fixture.store.close()
    try edit(fixture, sql, isStrict: isStrict)
    return fixture
  }

  /// - Parameter isStrict: whether the schema is kept while rows are changed. A damaged page obeys no schema.
  private func edit(_ fixture: StoreFixture, _ sql: String, isStrict: Bool = true) throws {
    let queue = try DatabaseQueue(path: fixture.directory.storePath)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      if !isStrict {
        try db.execute(
          sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'NOT NULL', ''), ') STRICT', ')') WHERE type = 'table';
            PRAGMA writable_schema = RESET;
            """)
      }
      try db.execute(sql: sql)
    }
  }

  /// Opens it as the next collector of this boot and of another one.
  private func start(_ fixture: StoreFixture) throws {
    let copy = try fixture.directory.killedCopy()
    try fixture.reopened(copy, bootID: "another").close()
    let store = try fixture.reopened()
    #expect(store.recovered.runs.count == 1)
    store.close()
  }

  @Test(arguments: extremes) func clocksOfARunThatNobodyClosed(_ number: Int64) throws {
    for column in [
      "run.started_monotonic_us", "run.started_at", "heartbeat.at", "heartbeat.monotonic_us", "anchor.at",
    ] {
      let parts = column.split(separator: ".")
      try start(edited("UPDATE \(parts[0]) SET \(parts[1]) = \(number)"))
    }
    try start(edited("UPDATE anchor SET monotonic_us = \(number); UPDATE heartbeat SET at = \(number)"))
  }

  @Test(arguments: extremes) func timesAndIntervalsOfNotifications(_ number: Int64) throws {
    for column in [
      "planned_at", "planned_monotonic_us", "delivery_us", "delivery_error_us", "duplicates", "status",
    ] {
      let fixture = try edited("UPDATE sample SET \(column) = \(number)")
      let store = try fixture.reopened()
      #expect(store.recovered.interrupted + store.recovered.removed == 5)
      fixture.clock.advance(by: .seconds(7_200))
      for _ in 0..<50 where try store.rollUp() {}
      store.close()
    }
  }

  @Test(arguments: extremes) func countersThatAreWrong(_ number: Int64) throws {
    try start(edited("UPDATE tally SET in_flight = 1, planned = \(number) WHERE variant_id = 0"))
    try start(
      edited("UPDATE tally SET in_flight = \(Int64.max), planned = \(Int64.max) WHERE variant_id = 0"))
  }

  @Test(arguments: [.min, -1, 1 << 62 + 1, .max] as [Int64])
  func theLastRevision(_ number: Int64) throws {
    let fixture = try edited("UPDATE meta SET revision = \(number)")
    #expect {
      try fixture.reopened()
    } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
  }

  @Test(
    arguments: [
      "UPDATE meta SET revision = NULL", "UPDATE meta SET collector = NULL", "UPDATE run SET uuid = NULL",
      "UPDATE run SET boot_id = NULL", "UPDATE run SET started_at = NULL",
      "UPDATE run SET started_monotonic_us = 'x'",
      "UPDATE heartbeat SET at = 'now'", "UPDATE anchor SET at = NULL",
    ]) func valuesOfAnotherType(_ sql: String) throws
  {
    let fixture = try edited(sql, isStrict: false)
    #expect {
      try fixture.reopened()
    } throws: {
      [.corrupt, .notAStore].contains(($0 as? StoreError)?.code)
    }
  }

  @Test func valuesOfAnotherTypeThatAreReadLater() throws {
    let fixture = try edited(
      """
      INSERT INTO control (at, command) VALUES (1, NULL);
      INSERT INTO deletion (run_id) VALUES (NULL);
      UPDATE target SET name = NULL, provider = NULL;
      INSERT INTO receipt (revision, sample_id, device, received_at) SELECT id, id, NULL, NULL FROM sample;
      INSERT INTO retention_look (one, counts_as) VALUES (1, NULL);
      INSERT INTO clock_exchange (revision, run_id, t2_monotonic_ns, host_slept_us) SELECT 1, id, \(Int64.max), 1 FROM run;
      """, isStrict: false)
    let store = try fixture.reopened()
    defer { store.close() }
    let id = SampleID(target: fixture.alpha, sequence: 1)
    #expect(throws: StoreError.self) { try store.controlRequests() }
    #expect(throws: StoreError.self) { try store.continueDeletion() }
    #expect(throws: StoreError.self) { try store.origin(of: id) }
    #expect(throws: StoreError.self) { try store.receiptRows(of: id, atMost: 10) }
    #expect(throws: StoreError.self) {
      try store.clockExchanges(ofBoot: StoreFixture.bootID, within: .seconds(3_600))
    }
    let reading = RetentionClock.Reading(
      wall: fixture.clock.wallNow(), boottime: .seconds(1), bootID: "boot", isSynchronized: true)
    #expect(throws: StoreError.self) {
      try store.updateRetentionClock(to: reading, isContinuing: false, hasAges: true)
    }
  }

  @Test(arguments: extremes) func rollupsAndTheirMarks(_ number: Int64) throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: plans.map { $0.asDelivered() })
    fixture.clock.advance(by: .seconds(7_200))
    while try fixture.store.rollUp() {}
    let counts = NotificationState.allCases.map { "\($0.name) = \(number)" }.joined(separator: ", ")
    for change in [
      "UPDATE rollup_mark SET covered_to = \(number)",
      "UPDATE rollup_mark SET covered_to = \(number) WHERE span = 60",
      "UPDATE rollup SET \(counts), sent = \(number), duplicates = \(number) WHERE span = 1",
      "UPDATE rollup SET \(counts), sent = \(number), duplicates = \(number); DELETE FROM rollup_mark WHERE span <> 1",
      "UPDATE OR IGNORE rollup SET start = \(number) WHERE span = 1; DELETE FROM rollup_mark WHERE span <> 1",
      "INSERT OR REPLACE INTO retention (subject, pruned_to) VALUES ('rollup_second', \(number))",
    ] {
      let path = try fixture.directory.killedCopy()
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { try $0.execute(sql: change) }
      try queue.close()
      let store = try fixture.reopened(path)
      // A receipt that comes later changes what is rolled up.
      _ = try store.commit(WriteBatch(run: fixture.run, updated: plans.map { $0.asDelivered(50_000) }))
      for _ in 0..<50 where try store.rollUp() {}
      store.close()
      let reader = try StoreReader.open(at: path)
      var bins = 0
      _ = try reader.forEachRollup(
        of: [fixture.alpha], plannedFrom: nil, to: nil, span: .hour, figures: [.delivery]
      ) { bin in
        bins += 1
        _ = (bin.start, bin.end, bin.counts.due, bin.counts.settled)
      }
      reader.close()
    }
  }

  @Test func aMarkBeyondAllTimesIsMadeAgain() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: plans.map { $0.asDelivered() })
    fixture.clock.advance(by: .seconds(7_200))
    fixture.store.close()
    try edit(
      fixture,
      "INSERT INTO rollup_mark (span, covered_to) VALUES (1, \(Int64.max)), (60, \(Int64.min)), (3600, \(Int64.max))"
    )
    let store = try fixture.reopened()
    while try store.rollUp() {}
    store.close()
    var delivered = 0
    _ = try fixture.reader().forEachRollup(
      of: [fixture.alpha], plannedFrom: nil, to: nil, span: .hour, figures: []
    ) { delivered += $0.counts[.delivered] }
    #expect(delivered == 6)
  }

  @Test(arguments: extremes) func whatRetentionSawLast(_ number: Int64) throws {
    let fixture = try StoreFixture()
    let reading = RetentionClock.Reading(
      wall: fixture.clock.wallNow(), boottime: .seconds(90), bootID: "boot", isSynchronized: true)
    _ = try fixture.store.updateRetentionClock(to: reading, isContinuing: false, hasAges: true)
    for column in ["counts_as", "wall", "boottime_us", "held_since", "held_ran_us"] {
      try fixture.store.queue.writeWithoutTransaction {
        try $0.execute(sql: "UPDATE retention_look SET \(column) = \(number)")
      }
      let look = try fixture.store.updateRetentionClock(to: reading, isContinuing: false, hasAges: true)
      #expect(look.clock.now == reading.wall)
    }
  }

  @Test(arguments: extremes) func aRowThatAReceiptComesFor(_ number: Int64) throws {
    // In the others the least integer is the readers' sign of no value.
    for column in [
      "planned_at", "planned_monotonic_us", "schedule_lag_us", "delivery_us", "delivery_high_us",
      "duplicates",
    ] where number == 1 << 62 || number == .max || column.hasPrefix("planned") {
      let fixture = try edited("UPDATE sample SET \(column) = \(number)")
      let store = try fixture.reopened()
      defer { store.close() }
      #expect {
        try store.sample(SampleID(target: fixture.alpha, sequence: 1))
      } throws: {
        ($0 as? StoreError)?.code == .corrupt
      }
    }
  }

  @Test func aRevisionThatAFleetNeverGot() throws {
    let fixture = try StoreFixture()
    #expect {
      try fixture.store.beginRenumbering(after: 0, above: .max, runs: [])
    } throws: {
      ($0 as? StoreError)?.code == .conflict
    }
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
    for number in Self.extremes {
      let request = try JSONDecoder().decode(
        Renumbering.self,
        from: Data("{\"common\":\(number),\"last\":\(number),\"runs\":[\"'\"],\"done\":\(number)}".utf8))
      _ = try fixture.store.advance(request)
    }
  }

  @Test func aDeletionThatSaysNonsenseOfItsRollups() throws {
    let fixture = try StoreFixture()
    _ = try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
    try fixture.store.beginDeletion(of: fixture.run)
    for number in Self.extremes {
      try fixture.store.queue.writeWithoutTransaction {
        try $0.execute(
          sql: """
            INSERT OR REPLACE INTO retention (subject, pruned_to) VALUES ('samples', \(Int64.max));
            UPDATE deletion SET rollups_from = \(number);
            UPDATE run SET started_at = \(number), ended_at = \(number);
            """)
      }
      _ = try fixture.store.continueDeletion()
    }
  }
}
