import Foundation
import GRDB
import Measurement
import Testing

@testable import Store

/// The write-ahead log is folded back while readers come and go.
@Suite struct LogSizeTests {
  @Test func staysBoundedUnderReaders() throws {
    let bench = try Bench()
    let reader = try bench.reader()
    var largest = 0
    var written = 0
    for round in 0..<150 {
      let plans = bench.plans(bench.alpha, from: Int64(round * 200 + 1), count: 200)
      try bench.commit(inserted: plans)
      try bench.commit(updated: plans.map { $0.asDelivered() })
      _ = try reader.lastPoints(of: [bench.alpha], limit: 500)
      let attributes = try FileManager.default.attributesOfItem(atPath: bench.scratch.store + "-wal")
      largest = max(largest, attributes[.size] as? Int ?? 0)
      written += 400
    }
    #expect(written == 60_000)
    // SQLite folds back at 1000 pages of 4 KiB; one transaction may go over.
    #expect(largest < 6 << 20)
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: bench.scratch.store)[.size] as? Int)
    #expect(size > 2 << 20)
  }

  /// Somebody who takes hours over a row (a pipe into a pager) must not hold a transaction meanwhile.
  @Test func isNotHeldByAStream() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 3_000))
    let reader = try bench.reader()
    var visited = 0
    try reader.forEachSample(.everything) { row in
      visited += 1
      guard visited == 1_500 else { return }
      try bench.commit(inserted: bench.plans(bench.beta, count: 10))
      let result = try bench.store.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      #expect(result.checkpointedFrameCount == result.walFrameCount)
    }
    #expect(visited == 3_010)
  }
}
