import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct CommitTests {
  @Test func keepsEveryFieldOfASample() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 4)
    try fixture.commit(inserted: plans)
    let changed = [
      plans[0].asDelivered(), plans[1].asRejected("BadDeviceToken"), plans[2].asMissed(.inFlight),
    ]
    try fixture.commit(updated: changed)
    let reader = try fixture.reader()
    for sample in changed + [plans[3]] {
      #expect(try fixture.store.sample(sample.id) == sample)
      #expect(try reader.sample(sample.id) == sample)
    }
    #expect(try fixture.store.sample(SampleID(target: fixture.alpha, sequence: 5)) == nil)
  }

  @Test func insertsARowThatIsAlreadySettled() throws {
    let fixture = try StoreFixture()
    let sample = fixture.plans(fixture.beta, count: 1)[0].asDelivered()
    try fixture.commit(inserted: [sample])
    #expect(try fixture.store.sample(sample.id) == sample)
  }

  @Test func keepsRecordsAndAnchors() throws {
    let fixture = try StoreFixture()
    let at = fixture.clock.wallNow()
    let receipt = Receipt(
      sample: SampleID(target: fixture.alpha, sequence: 7), device: "phone \u{202E}", receivedAt: at,
      arrivedAt: at.advanced(byMicroseconds: 9), isSameClock: false, offset: -3, offsetError: 4,
      isDuplicate: true)
    let events = [
      Event(
        at: at, kind: .connected, target: fixture.beta, connectionID: 2, sequence: 9, count: 3, detail: ""),
      Event(at: at, kind: .clockStep, detail: "by 5 µs"),
    ]
    let lines = [
      LogLine(at: at, level: .warning, target: fixture.alpha, label: "transport", message: "a\u{1B}[0m"),
      LogLine(at: at, level: .info, label: "store", message: ""),
    ]
    let anchor = ClockAnchor(reading: fixture.clock)
    try fixture.commit(receipts: [receipt], events: events, log: lines, anchors: [anchor])
    let reader = try fixture.reader()
    var receipts: [Receipt] = []
    try reader.forEachReceipt(RowSelection()) { receipts.append($0.receipt) }
    #expect(receipts == [receipt])
    let storedEvents = try reader.changes(Event.self, after: 0, limit: 10).rows
    #expect(storedEvents.map(\.event) == events)
    #expect(storedEvents.map(\.targetName) == ["beta", nil])
    #expect(storedEvents.allSatisfy { $0.run == fixture.run })
    let storedLines = try reader.changes(LogLine.self, after: 0, limit: 10).rows
    #expect(storedLines.map(\.line) == lines)
    #expect(storedLines.map(\.targetName) == ["alpha", nil])
    let anchors = try fixture.store.queue.read {
      try Row.fetchAll($0, sql: "SELECT monotonic_us, at FROM anchor").map {
        ClockAnchor(
          monotonic: MonotonicTime(microseconds: $0["monotonic_us"]), wall: WallTime(microseconds: $0["at"]))
      }
    }
    #expect(anchors == [anchor])
  }

  @Test func givesRecordsToTheRunOfTheirTarget() throws {
    let fixture = try StoreFixture()
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
    fixture.clock.advance(by: .seconds(60))
    fixture.store.close()
    let later = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
    #expect(later.alpha > fixture.beta)
    try later.commit(events: [
      Event(at: later.clock.wallNow(), kind: .late, target: fixture.alpha, sequence: 1),
      Event(at: later.clock.wallNow(), kind: .late, target: later.alpha, sequence: 1),
    ])
    #expect(
      try later.reader().changes(Event.self, after: 0, limit: 9).rows.map(\.run) == [fixture.run, later.run])
    let origin = try #require(try later.store.origin(of: SampleID(target: fixture.alpha, sequence: 1)))
    #expect(
      origin
        == SampleOrigin(
          run: fixture.run, bootID: StoreFixture.bootID, target: "alpha", provider: "loopback",
          receiptDeadline: 30_000_000))
    #expect(try later.store.origin(of: SampleID(target: TargetID(rawValue: 99), sequence: 1)) == nil)
  }

  @Test func writesAllOrNothing() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    try fixture.commit(inserted: [plans[1]])
    let before = try fixture.reader().revision()
    let error = #expect(throws: StoreError.self) {
      try fixture.commit(
        inserted: plans, log: [LogLine(at: plans[0].plannedAt, level: .info, label: "", message: "")])
    }
    #expect(error?.code == .conflict)
    #expect(error?.isTransient == false)
    let reader = try fixture.reader()
    #expect(try reader.revision() == before)
    #expect(try reader.sample(plans[0].id) == nil)
    #expect(try reader.latestRun()?.counts.planned == 1)
    try fixture.commit(inserted: [plans[2]], updated: [plans[1].asDelivered()])
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts[.planned] == 1)
    #expect(counts[.delivered] == 1)
  }

  @Test func refusesARunItDoesNotKnow() throws {
    let fixture = try StoreFixture()
    var generator = SeededGenerator(seed: 9)
    let stranger = RunID(at: fixture.clock.wallNow(), using: &generator)
    #expect(throws: StoreError.self) { try fixture.store.commit(WriteBatch(run: stranger)) }
    let error = #expect(throws: StoreError.self) {
      try fixture.store.endRun(stranger, at: fixture.clock.wallNow(), reason: .failed)
    }
    #expect(error?.code == .unknownRun)
  }

  @Test func leavesADeletedRowDeleted() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 2)
    try fixture.commit(inserted: plans)
    try fixture.store.queue.write {
      try $0.execute(sql: "DELETE FROM sample WHERE id = ?", arguments: [plans[0].id.rawValue])
    }
    try fixture.commit(updated: plans.map(\.asSent))
    #expect(try fixture.store.sample(plans[0].id) == nil)
    #expect(try fixture.store.sample(plans[1].id) == plans[1].asSent)
  }

  @Test(arguments: [(Durability.normal, 1), (.full, 2)])
  func syncsAsAsked(durability: Durability, level: Int) throws {
    let fixture = try StoreFixture(durability: durability)
    let (synchronous, mode) = try fixture.store.queue.read { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode")
      )
    }
    #expect(synchronous == level)
    #expect(mode == "wal")
  }

  @Test func beatsWithEveryCommit() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    #expect(try reader.latestRun()?.lastHeartbeat == fixture.clock.wallNow())
    fixture.clock.advance(by: .seconds(3))
    try fixture.commit()
    #expect(try reader.latestRun()?.lastHeartbeat == fixture.clock.wallNow())
    #expect(try reader.collector().lastHeartbeat == fixture.clock.wallNow())
  }

  @Test func givesEveryChangeARevisionOfItsOwn() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    let at = fixture.clock.wallNow()
    try fixture.commit(
      inserted: plans, events: [Event(at: at, kind: .connected)],
      log: [LogLine(at: at, level: .info, label: "", message: "")])
    try fixture.commit(updated: [plans[1].asSent])
    try fixture.store.endRun(fixture.run, at: at, reason: .completed)
    let (revisions, last) = try fixture.store.queue.read { db in
      (
        try Int64.fetchAll(
          db,
          sql: """
            SELECT revision FROM run UNION ALL SELECT revision FROM sample UNION ALL SELECT revision FROM event
            UNION ALL SELECT revision FROM log
            """), try Int64.fetchOne(db, sql: "SELECT revision FROM meta")
      )
    }
    #expect(Set(revisions).count == revisions.count)
    #expect(revisions.max() == last)
  }
}

@Suite struct DiskFullTests {
  @Test func nothingIsHalfWrittenAndTheBatchCanBeTriedAgain() throws {
    let fixture = try StoreFixture()
    let open = fixture.plans(fixture.alpha, count: 500)
    try fixture.commit(inserted: open)
    let pages = try #require(
      try fixture.store.queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
    try limit(fixture, to: pages + 4)

    // The room ends in the log, after samples and counters were written.
    let line = LogLine(
      at: fixture.clock.wallNow(), level: .info, label: "test", message: String(repeating: "x", count: 500))
    let batch = WriteBatch(
      run: fixture.run, inserted: fixture.plans(fixture.beta, count: 10),
      updated: open.prefix(100).map(\.asSent),
      log: Array(repeating: line, count: 1_000))
    let error = #expect(throws: StoreError.self) { _ = try fixture.store.commit(batch) }
    #expect(error?.code == .diskFull)
    #expect(error?.isTransient == true)
    let reader = try fixture.reader()
    #expect(try reader.latestRun()?.counts.planned == 500)
    #expect(try reader.latestRun()?.counts.sent == 0)
    #expect(try reader.changes(LogLine.self, after: 0, limit: 9).rows.isEmpty)
    #expect(try integrity(fixture) == ["ok"])

    try limit(fixture, to: 1_000_000)
    _ = try fixture.store.commit(batch)
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts.planned == 510)
    #expect(counts[.inFlight] == 100)
    #expect(counts[.planned] == 410)
    #expect(try integrity(fixture) == ["ok"])
  }

  private func limit(_ fixture: StoreFixture, to pages: Int) throws {
    try fixture.store.queue.writeWithoutTransaction { db in
      _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)")
    }
  }

  private func integrity(_ fixture: StoreFixture) throws -> [String] {
    try fixture.store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
  }
}

/// The write-ahead log is folded back while readers come and go.
@Suite struct LogSizeTests {
  @Test func staysBoundedUnderReaders() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    var largest = 0
    var written = 0
    for round in 0..<150 {
      let plans = fixture.plans(fixture.alpha, from: Int64(round * 200 + 1), count: 200)
      try fixture.commit(inserted: plans)
      try fixture.commit(updated: plans.map { $0.asDelivered() })
      _ = try reader.lastPoints(of: [fixture.alpha], limit: 500)
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.directory.storePath + "-wal")
      largest = max(largest, attributes[.size] as? Int ?? 0)
      written += 400
    }
    #expect(written == 60_000)
    // SQLite folds back at 1000 pages of 4 KiB; one transaction may go over.
    #expect(largest < 6 << 20)
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: fixture.directory.storePath)[.size] as? Int)
    #expect(size > 2 << 20)
  }

  /// Somebody who takes hours over a row (a pipe into a pager) must not hold a transaction meanwhile.
  @Test func isNotHeldByAStream() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 3_000))
    let reader = try fixture.reader()
    var visited = 0
    try reader.forEachSample(RowSelection()) { row in
      visited += 1
      guard visited == 1_500 else { return }
      try fixture.commit(inserted: fixture.plans(fixture.beta, count: 10))
      let result = try fixture.store.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      #expect(result.checkpointedFrameCount == result.walFrameCount)
    }
    #expect(visited == 3_010)
  }
}
