import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct DeletionTests {
  /// Every table that has rows of a run, or hangs on one.
  private static let tables = [
    "run", "heartbeat", "anchor", "target", "tally", "sample", "receipt", "event", "log", "rollup", "path",
  ]

  private func counts(_ store: CollectorStore) throws -> [String: Int] {
    try store.queue.read { db in
      try Dictionary(
        uniqueKeysWithValues: (Self.tables + ["deletion"]).map {
          ($0, try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? -1)
        })
    }
  }

  /// A run with something in every table, closed.
  private func record(_ fixture: StoreFixture, count: Int = 300) throws {
    let plans = fixture.plans(fixture.alpha, count: count) + fixture.plans(fixture.beta, count: count)
    try fixture.commit(
      inserted: plans.map { $0.asDelivered() },
      receipts: plans.flatMap { plan in
        (0..<2).map { copy in
          Receipt(
            sample: plan.id, device: "d", receivedAt: plan.plannedAt, arrivedAt: plan.plannedAt,
            isSameClock: true, isDuplicate: copy > 0)
        }
      },
      events: (0..<count).map {
        Event(at: fixture.clock.wallNow(), kind: .connected, target: fixture.alpha, detail: "\($0)")
      },
      log: (0..<count).map {
        LogLine(at: fixture.clock.wallNow(), level: .info, label: "l", message: "\($0)")
      },
      anchors: [ClockAnchor(reading: fixture.clock)],
      pings: (0..<count).map {
        PingAnswer(
          target: fixture.beta, connectionID: 1, at: fixture.clock.wallNow(), roundTrip: Int64($0))
      })
    fixture.clock.advance(by: .seconds(10_000))
    while try fixture.store.rollUp() {}
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
  }

  @Test func nothingIsLeftAndNothingElseIsTouched() throws {
    let kept = try StoreFixture()
    try record(kept)
    let before = try counts(kept.store)
    kept.store.close()
    kept.clock.advance(by: .seconds(1))
    let fixture = try StoreFixture(directory: kept.directory, clock: kept.clock)
    try record(fixture)
    let both = try counts(fixture.store)
    for table in Self.tables { #expect(try #require(both[table]) > #require(before[table]), "\(table)") }

    try fixture.store.beginDeletion(of: fixture.run)
    while try fixture.store.continueDeletion(atMost: 100) {}
    #expect(try counts(fixture.store) == before)
    try RollupTruth.check(fixture.store)
    #expect(try fixture.reader().runs().map(\.id) == [kept.run])
    #expect(try fixture.store.queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    #expect(try fixture.store.queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
  }

  @Test func itVanishesAtOnceFromEveryList() throws {
    let fixture = try StoreFixture()
    try record(fixture)
    try fixture.store.beginDeletion(of: fixture.run)
    let reader = try fixture.reader()
    #expect(try reader.runs().isEmpty)
    #expect(try reader.run(fixture.run) == nil)
    #expect(try reader.latestRun() == nil)
    #expect(try reader.targets(of: fixture.run).isEmpty)
    var visited = 0
    try reader.forEachSample(RowSelection()) { _ in visited += 1 }
    try reader.forEachReceipt(RowSelection()) { _ in visited += 1 }
    try reader.forEachEvent(RowSelection()) { _ in visited += 1 }
    try reader.forEachLogLine(RowSelection()) { _ in visited += 1 }
    #expect(visited == 0)
    for view in ["sample_view", "event_view"] {
      #expect(try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(view)") } == 0)
    }
    #expect(try fixture.store.isDeleting(fixture.run))
    #expect(throws: StoreError.self) { try fixture.store.beginDeletion(of: fixture.run) }
    #expect(throws: StoreError.self) { try fixture.store.rename(fixture.run, to: "x") }
  }

  @Test func eachStepIsBounded() throws {
    let fixture = try StoreFixture()
    try record(fixture)
    try fixture.store.beginDeletion(of: fixture.run)
    var steps = 0
    var last = try counts(fixture.store)
    while try fixture.store.continueDeletion(atMost: 50) {
      let now = try counts(fixture.store)
      for table in ["sample", "receipt", "event", "log", "path"] {
        #expect(try #require(last[table]) - #require(now[table]) <= 50, "\(table)")
      }
      last = now
      steps += 1
    }
    #expect(steps > 40)
  }

  /// A death on the way leaves the rest to the next collector.
  @Test func goesOnAfterADeath() throws {
    let fixture = try StoreFixture()
    try record(fixture)
    try fixture.store.beginDeletion(of: fixture.run)
    for _ in 0..<9 { _ = try fixture.store.continueDeletion(atMost: 50) }
    let copy = try fixture.directory.killedCopy()
    let next = try fixture.reopened(copy)
    #expect(try StoreReader.open(at: copy).runs().isEmpty)
    while try next.continueDeletion(atMost: 50) {}
    #expect(try counts(next).values.allSatisfy { $0 == 0 })
  }

  /// New plans, changes of what is being deleted and rollups come in between; nothing of the run comes back.
  @Test func recordingGoesOnMeanwhile() throws {
    let old = try StoreFixture()
    try record(old)
    let late = try (1...300).map { (sequence: Int64) in
      try #require(try old.store.sample(SampleID(target: old.alpha, sequence: sequence))).asDelivered(99_000)
    }
    old.store.close()
    old.clock.advance(by: .seconds(1))
    let fixture = try StoreFixture(directory: old.directory, clock: old.clock)
    try fixture.store.beginDeletion(of: old.run)
    #expect(try fixture.store.origin(of: late[0].id) == nil)
    var sequence: Int64 = 1
    while try fixture.store.continueDeletion(atMost: 70) {
      // What the ledger had recalled before the deletion began.
      try fixture.commit(
        inserted: fixture.plans(fixture.alpha, from: sequence, count: 3), updated: late,
        receipts: [
          Receipt(
            sample: late[5].id, device: "d", receivedAt: late[5].plannedAt, arrivedAt: late[5].plannedAt,
            isSameClock: true, isDuplicate: false)
        ],
        events: [Event(at: fixture.clock.wallNow(), kind: .late, target: old.alpha, detail: "")])
      sequence += 3
      fixture.clock.advance(by: .seconds(30))
      _ = try fixture.store.rollUp()
    }
    try RollupTruth.check(fixture.store)
    let rows = try fixture.store.queue.read { db in
      try [
        "sample WHERE id >> 40 = ?", "receipt WHERE sample_id >> 40 = ?", "rollup WHERE target_id = ?",
        "tally WHERE target_id = ?",
      ].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)", arguments: [old.alpha.rawValue]) }
    }
    #expect(rows == [0, 0, 0, 0])
    #expect(try fixture.reader().runs().map(\.id) == [fixture.run])
  }

  /// A clock without a battery begins in 1970, one that is broken anywhere.
  @Test(arguments: [Int64.min, 0]) func aRunThatBeganInAnotherAgeIsDeletedAtOnce(start: Int64) throws {
    let fixture = try StoreFixture()
    try record(fixture)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.beginDeletion(of: fixture.run)
    try fixture.store.queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          DELETE FROM sample;
          UPDATE run SET started_at = \(start);
          INSERT OR REPLACE INTO retention (subject, pruned_to) VALUES ('samples', \(Int64.max));
          """)
    }
    var steps = 0
    while steps < 100, try fixture.store.continueDeletion() { steps += 1 }
    #expect(steps < 100)
    #expect(try counts(fixture.store).values.allSatisfy { $0 == 0 })
  }

  @Test func whatIsRecordedIsNotDeleted() throws {
    let fixture = try StoreFixture()
    let error = #expect(throws: StoreError.self) { try fixture.store.beginDeletion(of: fixture.run) }
    #expect(error?.code == .runInProgress)
    var generator = SeededGenerator(seed: 1)
    let unknown = RunID(at: fixture.clock.wallNow(), using: &generator)
    #expect(throws: StoreError.self) { try fixture.store.beginDeletion(of: unknown) }
  }

  @Test func aDeletedTargetsNumberIsNeverGivenAgain() throws {
    let fixture = try StoreFixture()
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.beginDeletion(of: fixture.run)
    while try fixture.store.continueDeletion() {}
    fixture.store.close()
    fixture.clock.advance(by: .seconds(1))
    let next = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
    #expect(next.alpha > fixture.alpha)
    #expect(next.alpha > fixture.beta)
  }
}
