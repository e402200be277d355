import Measurement
import StoreTestKit
import Testing

@testable import Store

@Suite("Which series changed since a revision") struct ChangedSeriesTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func earliest(_ changes: SeriesChanges) -> [TargetID: WallTime] {
    Dictionary(changes.series.map { ($0.target, $0.earliest) }) { min($0, $1) }
  }

  @Test("transactions of any size find the same", arguments: [1, 3, 7, 20, 1000] as [Int64]) func parts(
    size: Int64
  ) throws {
    let alpha = fixture.plans(fixture.alpha, count: 10, interval: 1_000_000)
    let beta = fixture.plans(fixture.beta, count: 10, interval: 3_000_000)
    try fixture.commit(inserted: alpha + beta)
    let reader = try fixture.reader()
    var transactions = 0
    let all = try reader.changedSeries(after: 0, rowsAtOnce: size) { transactions += 1 }
    #expect(earliest(all) == [fixture.alpha: alpha[0].plannedAt, fixture.beta: beta[0].plannedAt])
    #expect(try all.revision == reader.revision())
    #expect(transactions >= 20 / Int(size) && transactions <= 20 / Int(size) + 1, "\(transactions)")

    // What is older changes later: the order of revisions is not that of time.
    try fixture.commit(updated: [beta[7].asDelivered(), beta[4].asDelivered()])
    let later = try reader.changedSeries(after: all.revision, rowsAtOnce: size)
    #expect(earliest(later) == [fixture.beta: beta[4].plannedAt])
    #expect(try reader.changedSeries(after: later.revision, rowsAtOnce: size).series.isEmpty)
  }

  @Test("what changes between two transactions is left for the next read") func meanwhile() throws {
    let plans = fixture.plans(fixture.alpha, count: 10, interval: 1_000_000)
    try fixture.commit(inserted: plans)
    let reader = try fixture.reader()
    var isFirst = true
    let changes = try reader.changedSeries(after: 0, rowsAtOnce: 4) {
      guard isFirst else { return }
      isFirst = false
      do { try fixture.commit(updated: [plans[9].asDelivered()]) } catch { Issue.record(error) }
    }
    #expect(try changes.revision < reader.revision())
    #expect(
      try earliest(reader.changedSeries(after: changes.revision)) == [fixture.alpha: plans[9].plannedAt])
  }
}
