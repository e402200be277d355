import GRDB
import Measurement
import Testing

@testable import Store

@Suite struct DeletionTests {
  /// Every table that has rows of a run, or hangs on one.
  private static let tables = [
    "run", "heartbeat", "anchor", "target", "tally", "sample", "receipt", "event", "log", "rollup",
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
  private func record(_ bench: Bench, count: Int = 300) throws {
    let plans = bench.plans(bench.alpha, count: count) + bench.plans(bench.beta, count: count)
    try bench.commit(
      inserted: plans.map { $0.asDelivered() },
      receipts: plans.flatMap { plan in
        (0..<2).map { copy in
          Receipt(
            sample: plan.id, device: "d", receivedAt: plan.plannedAt, arrivedAt: plan.plannedAt,
            isSameClock: true, isDuplicate: copy > 0)
        }
      },
      events: (0..<count).map {
        Event(at: bench.clock.wallNow(), kind: .connected, target: bench.alpha, detail: "\($0)")
      },
      log: (0..<count).map {
        LogLine(at: bench.clock.wallNow(), level: .info, label: "l", message: "\($0)")
      },
      anchors: [ClockAnchor(reading: bench.clock)])
    bench.clock.advance(seconds: 10_000)
    while try bench.store.rollUp() {}
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .completed)
  }

  @Test func nothingIsLeftAndNothingElseIsTouched() throws {
    let kept = try Bench()
    try record(kept)
    let before = try counts(kept.store)
    kept.store.close()
    kept.clock.advance(seconds: 1)
    let bench = try Bench(scratch: kept.scratch, clock: kept.clock)
    try record(bench)
    let both = try counts(bench.store)
    for table in Self.tables { #expect(try #require(both[table]) > #require(before[table]), "\(table)") }

    try bench.store.beginDeletion(of: bench.run)
    while try bench.store.continueDeletion(atMost: 100) {}
    #expect(try counts(bench.store) == before)
    try RollupTruth.check(bench.store)
    #expect(try bench.reader().runs().map(\.id) == [kept.run])
    #expect(try bench.store.queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    #expect(try bench.store.queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
  }

  @Test func itVanishesAtOnceFromEveryList() throws {
    let bench = try Bench()
    try record(bench)
    try bench.store.beginDeletion(of: bench.run)
    let reader = try bench.reader()
    #expect(try reader.runs().isEmpty)
    #expect(try reader.run(bench.run) == nil)
    #expect(try reader.latestRun() == nil)
    #expect(try reader.targets(of: bench.run).isEmpty)
    var visited = 0
    try reader.forEachSample(.everything) { _ in visited += 1 }
    try reader.forEachReceipt(.everything) { _ in visited += 1 }
    try reader.forEachEvent(.everything) { _ in visited += 1 }
    try reader.forEachLogLine(.everything) { _ in visited += 1 }
    #expect(visited == 0)
    for view in ["sample_view", "event_view"] {
      #expect(try bench.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(view)") } == 0)
    }
    #expect(try bench.store.isDeleting(bench.run))
    #expect(throws: StoreError.self) { try bench.store.beginDeletion(of: bench.run) }
    #expect(throws: StoreError.self) { try bench.store.rename(bench.run, to: "x") }
  }

  @Test func eachStepIsBounded() throws {
    let bench = try Bench()
    try record(bench)
    try bench.store.beginDeletion(of: bench.run)
    var steps = 0
    var last = try counts(bench.store)
    while try bench.store.continueDeletion(atMost: 50) {
      let now = try counts(bench.store)
      for table in ["sample", "receipt", "event", "log"] {
        #expect(try #require(last[table]) - #require(now[table]) <= 50, "\(table)")
      }
      last = now
      steps += 1
    }
    #expect(steps > 40)
  }

  /// A death on the way leaves the rest to the next collector.
  @Test func goesOnAfterADeath() throws {
    let bench = try Bench()
    try record(bench)
    try bench.store.beginDeletion(of: bench.run)
    for _ in 0..<9 { _ = try bench.store.continueDeletion(atMost: 50) }
    let copy = try bench.scratch.killedCopy()
    let next = try bench.reopened(copy)
    #expect(try StoreReader.open(at: copy).runs().isEmpty)
    while try next.continueDeletion(atMost: 50) {}
    #expect(try counts(next).values.allSatisfy { $0 == 0 })
  }

  /// New plans, changes of what is being deleted and rollups come in between; nothing of the run comes back.
  @Test func recordingGoesOnMeanwhile() throws {
    let old = try Bench()
    try record(old)
    let late = try (1...300).map { (sequence: Int64) in
      try #require(try old.store.sample(SampleID(target: old.alpha, sequence: sequence))).asDelivered(99_000)
    }
    old.store.close()
    old.clock.advance(seconds: 1)
    let bench = try Bench(scratch: old.scratch, clock: old.clock)
    try bench.store.beginDeletion(of: old.run)
    #expect(try bench.store.origin(of: late[0].id) == nil)
    var sequence: Int64 = 1
    while try bench.store.continueDeletion(atMost: 70) {
      // What the ledger had recalled before the deletion began.
      try bench.commit(
        inserted: bench.plans(bench.alpha, from: sequence, count: 3), updated: late,
        receipts: [
          Receipt(
            sample: late[5].id, device: "d", receivedAt: late[5].plannedAt, arrivedAt: late[5].plannedAt,
            isSameClock: true, isDuplicate: false)
        ],
        events: [Event(at: bench.clock.wallNow(), kind: .late, target: old.alpha, detail: "")])
      sequence += 3
      bench.clock.advance(seconds: 30)
      _ = try bench.store.rollUp()
    }
    try RollupTruth.check(bench.store)
    let rows = try bench.store.queue.read { db in
      try [
        "sample WHERE id >> 40 = ?", "receipt WHERE sample_id >> 40 = ?", "rollup WHERE target_id = ?",
        "tally WHERE target_id = ?",
      ].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)", arguments: [old.alpha.rawValue]) }
    }
    #expect(rows == [0, 0, 0, 0])
    #expect(try bench.reader().runs().map(\.id) == [bench.run])
  }

  @Test func whatIsRecordedIsNotDeleted() throws {
    let bench = try Bench()
    let error = #expect(throws: StoreError.self) { try bench.store.beginDeletion(of: bench.run) }
    #expect(error?.code == .runInProgress)
    var generator = SeededGenerator(seed: 1)
    let unknown = RunID(at: bench.clock.wallNow(), using: &generator)
    #expect(throws: StoreError.self) { try bench.store.beginDeletion(of: unknown) }
  }

  @Test func aDeletedTargetsNumberIsNeverGivenAgain() throws {
    let bench = try Bench()
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .completed)
    try bench.store.beginDeletion(of: bench.run)
    while try bench.store.continueDeletion() {}
    bench.store.close()
    bench.clock.advance(seconds: 1)
    let next = try Bench(scratch: bench.scratch, clock: bench.clock)
    #expect(next.alpha > bench.alpha)
    #expect(next.alpha > bench.beta)
  }
}
