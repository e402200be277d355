import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@Suite struct PointsTests {
  private let fixture: StoreFixture
  private let reader: StoreReader
  private let alpha: [Sample]
  private let beta: [Sample]

  /// Both targets at 10 ms for two seconds.
  init() throws {
    fixture = try StoreFixture()
    alpha = fixture.plans(fixture.alpha, count: 200)
    beta = fixture.plans(fixture.beta, count: 200)
    try fixture.commit(inserted: alpha + beta)
    reader = try fixture.reader()
  }

  private func ids(_ page: PointPage) -> [SampleID] { page.points.map(\.id) }

  @Test func showAllThatASampleHas() throws {
    let changed = [alpha[0].asDelivered(), alpha[1].asRejected("Unregistered"), alpha[2]]
    try fixture.commit(updated: Array(changed[0...1]))
    let points = try reader.lastPoints(of: [fixture.alpha], limit: 200).points
    for (row, sample) in zip(points, changed) {
      let point = row.point
      #expect(point == SamplePoint(sample))
      #expect(row.id == sample.id)
      #expect(point.plannedAt == sample.plannedAt.microseconds)
      #expect(point.plannedMonotonic == sample.plannedMonotonic)
      #expect(point.state == sample.state)
      #expect(point.status == sample.status)
      #expect(point.scheduleLag == sample.scheduleLag)
      #expect(point.acceptLatency == sample.acceptLatency)
      #expect(point.deliveryLatency == sample.deliveryLatency)
      #expect(point.deliveryError == sample.deliveryError)
      #expect(point.isFreshConnection == (sample.connection?.isFresh ?? false))
      #expect(point.isOutOfOrder == sample.isOutOfOrder)
      for metric in Metric.allCases { #expect(point.value(of: metric) == sample.value(of: metric)) }
    }
  }

  @Test func theLastOfEachTarget() throws {
    let page = try reader.lastPoints(of: [fixture.beta, fixture.alpha], limit: 3)
    #expect(ids(page) == alpha.suffix(3).map(\.id) + beta.suffix(3).map(\.id))
    #expect(page.isTruncated)
    #expect(page.revision == (try reader.revision()))
    let all = try reader.lastPoints(of: [fixture.alpha], limit: 200)
    #expect(ids(all) == alpha.map(\.id))
    #expect(!all.isTruncated)
    #expect(try reader.lastPoints(of: [], limit: 3).points.isEmpty)
  }

  @Test func aStretchOfTime() throws {
    let start = fixture.clock.wallNow()
    let page = try reader.points(
      of: [fixture.alpha, fixture.beta], plannedFrom: start.advanced(byMicroseconds: 500_000),
      to: start.advanced(byMicroseconds: 600_000), limit: 100)
    #expect(ids(page) == alpha[50..<60].map(\.id) + beta[50..<60].map(\.id))
    #expect(!page.isTruncated)
    let one = try reader.points(
      of: [fixture.beta], plannedFrom: start, to: start.advanced(byMicroseconds: 2_000_000), limit: 5)
    #expect(ids(one) == beta.suffix(5).map(\.id))
    #expect(one.isTruncated)
    #expect(try reader.points(of: [], plannedFrom: start, to: start, limit: 5).points.isEmpty)
  }

  @Test func stayInOrderAcrossAClockThatWasSetBack() throws {
    var later = fixture.plans(fixture.alpha, from: 201, count: 50)
    for index in later.indices {
      later[index].plannedAt = later[index].plannedAt.advanced(byMicroseconds: -300_000)
    }
    try fixture.commit(inserted: later)
    let start = fixture.clock.wallNow()
    let page = try reader.points(
      of: [fixture.alpha], plannedFrom: start.advanced(byMicroseconds: -300_000),
      to: start.advanced(byMicroseconds: 100_000), limit: 1_000)
    #expect(ids(page) == (alpha[0..<10] + later[0..<40]).map(\.id))
  }
}
