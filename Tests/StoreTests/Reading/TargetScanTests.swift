import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A target's notifications are the same, whichever way they are looked up.
@Suite struct TargetScanTests {
  private let fixture: StoreFixture
  private let reader: StoreReader
  private let alpha: [Sample]
  private let start: WallTime

  /// Both targets at 10 ms for twenty seconds, so that there is more than one chunk.
  init() throws {
    fixture = try StoreFixture()
    alpha = fixture.plans(fixture.alpha, count: 2_000)
    try fixture.commit(inserted: alpha + fixture.plans(fixture.beta, count: 2_000))
    reader = try fixture.reader()
    start = fixture.clock.wallNow()
  }

  private func time(_ seconds: Double) -> WallTime { start.advanced(byMicroseconds: Int64(seconds * 1e6)) }

  private func way(_ from: Double, _ to: Double) throws -> TargetScan {
    try reader.read { try TargetScan.shorter(for: fixture.alpha, from: time(from), to: time(to), $0) }
  }

  private func ids(_ from: Double, _ to: Double) throws -> [SampleID] {
    var ids: [SampleID] = []
    try reader.forEachSample(of: fixture.alpha, plannedFrom: time(from), to: time(to)) { ids.append($0.id) }
    return ids
  }

  @Test func aWholeRunIsReadByKeysAndAPartByItsTimes() throws {
    #expect(try way(-10, 100) == .keys)
    #expect(try way(4, 5) == .plannedTimes)
    #expect(try ids(-10, 100) == alpha.map(\.id))
    #expect(try ids(1, 19) == alpha[100..<1_900].map(\.id))
    #expect(try ids(4, 5) == alpha[400..<500].map(\.id))
    #expect(try ids(5, 5).isEmpty)
    #expect(try ids(30, 40).isEmpty)
    for (from, to, count) in [(-10.0, 100.0, 2_000), (1, 19, 1_800), (4, 5, 100), (30, 40, 0)] {
      #expect(
        try reader.pointCount(of: [fixture.alpha], from: time(from), to: time(to), atMost: 10_000) == count)
      #expect(
        try reader.pointCount(of: [fixture.alpha], from: time(from), to: time(to), atMost: 50)
          == min(count, 50))
    }
  }

  @Test func aClockThatWasSetBackHidesNothing() throws {
    var later = fixture.plans(fixture.alpha, from: 2_001, count: 50)
    for index in later.indices {
      later[index].plannedAt = later[index].plannedAt.advanced(byMicroseconds: 1_000_000)
    }
    try fixture.commit(inserted: later)
    #expect(Set(try ids(1, 1.5)) == Set((alpha[100..<150] + later).map(\.id)))
    #expect(Set(try ids(-10, 100)) == Set((alpha + later).map(\.id)))
  }
}
