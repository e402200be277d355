import GRDB
import Measurement
import Testing

@testable import Store

@Suite struct DiskFullTests {
  @Test func nothingIsHalfWrittenAndTheBatchCanBeTriedAgain() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 500))
    let pages = try #require(
      try bench.store.queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
    try limit(bench, to: pages + 4)

    let plans = bench.plans(bench.beta, count: 5_000)
    let error = #expect(throws: StoreError.self) { try bench.commit(inserted: plans) }
    #expect(error?.code == .diskFull)
    #expect(error?.isTransient == true)
    let reader = try bench.reader()
    #expect(try reader.latestRun()?.counts.planned == 500)
    #expect(try integrity(bench) == ["ok"])

    try limit(bench, to: 1_000_000)
    try bench.commit(inserted: plans, updated: bench.plans(bench.alpha, count: 1).map(\.asSent))
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts.planned == 5_500)
    #expect(counts[.inFlight] == 1)
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
