import GRDB
import Measurement
import Testing

@testable import Store

@Suite struct DiskFullTests {
  @Test func nothingIsHalfWrittenAndTheBatchCanBeTriedAgain() throws {
    let bench = try Bench()
    let open = bench.plans(bench.alpha, count: 500)
    try bench.commit(inserted: open)
    let pages = try #require(
      try bench.store.queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
    try limit(bench, to: pages + 4)

    // The room ends in the log, after samples and counters were written.
    let line = LogLine(
      at: bench.clock.wallNow(), level: .info, label: "test", message: String(repeating: "x", count: 500))
    let batch = WriteBatch(
      run: bench.run, inserted: bench.plans(bench.beta, count: 10), updated: open.prefix(100).map(\.asSent),
      log: Array(repeating: line, count: 1_000))
    let error = #expect(throws: StoreError.self) { _ = try bench.store.commit(batch) }
    #expect(error?.code == .diskFull)
    #expect(error?.isTransient == true)
    let reader = try bench.reader()
    #expect(try reader.latestRun()?.counts.planned == 500)
    #expect(try reader.latestRun()?.counts.sent == 0)
    #expect(try reader.log(after: 0, limit: 9).rows.isEmpty)
    #expect(try integrity(bench) == ["ok"])

    try limit(bench, to: 1_000_000)
    _ = try bench.store.commit(batch)
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts.planned == 510)
    #expect(counts[.inFlight] == 100)
    #expect(counts[.planned] == 410)
    #expect(try integrity(bench) == ["ok"])
  }

  private func limit(_ bench: Bench, to pages: Int) throws {
    try bench.store.queue.writeWithoutTransaction { db in
      _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)")
    }
  }

  private func integrity(_ bench: Bench) throws -> [String] {
    try bench.store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
  }
}
