import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

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
    #expect(try reader.log(after: 0, limit: 9).rows.isEmpty)
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
