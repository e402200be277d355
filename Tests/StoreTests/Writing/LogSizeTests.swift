import Foundation
import GRDB
import Measurement
import StoreTestKit
import Testing

@testable import Store

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
    try reader.forEachSample(.everything) { row in
      visited += 1
      guard visited == 1_500 else { return }
      try fixture.commit(inserted: fixture.plans(fixture.beta, count: 10))
      let result = try fixture.store.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      #expect(result.checkpointedFrameCount == result.walFrameCount)
    }
    #expect(visited == 3_010)
  }
}
