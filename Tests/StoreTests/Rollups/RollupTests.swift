import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct RollupTests {
  /// Rolls up everything that is old enough.
  private func rollUp(_ store: CollectorStore, atMost limit: Int = 2_000) throws {
    while try store.rollUp(atMost: limit) {}
  }

  private func marks(_ store: CollectorStore) throws -> RollupWatermarks {
    try store.queue.read { try RollupWatermarks.fetch($0) }
  }

  /// Random batches over hours, changes of every age, kills and clean ends, a wall clock that is set back and forth:
  /// after each step the rollups are what counting gives.
  @Test(arguments: 1...(TestLength.isLong ? 3 : 1) as ClosedRange<UInt64>)
  func sayWhatTheNotificationsSay(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var fixture = try StoreFixture()
    var samples: [Sample] = []
    for round in 0..<40 {
      var inserted: [Sample] = []
      for target in [fixture.alpha, fixture.beta] where Int.random(in: 0..<3, using: &generator) > 0 {
        let next = (samples.last { $0.id.target == target }?.id.sequence ?? 0) + 1
        inserted += fixture.plans(
          target, from: next, count: Int.random(in: 1...40, using: &generator),
          interval: Int64.random(in: 1_000...900_000, using: &generator))
      }
      let old = samples.count
      samples += inserted
      var updated: [Sample] = []
      for index in 0..<old where Int.random(in: 0..<12, using: &generator) == 0 {
        samples[index] = Self.changed(samples[index], &generator)
        updated.append(samples[index])
      }
      try fixture.commit(inserted: inserted, updated: updated)
      if round % 3 == 0 { try RollupTruth.check(fixture.store, "after commit \(round)") }
      fixture.clock.advance(
        by: [.milliseconds(200), .seconds(7), .seconds(70), .seconds(700), .seconds(5_000)]
          .randomElement(using: &generator) ?? .seconds(1))
      if Int.random(in: 0..<9, using: &generator) == 0 {
        fixture.clock.stepWall(by: .seconds(Double.random(in: -4_000...4_000, using: &generator)))
      }
      if Bool.random(using: &generator) {
        // Sometimes only one step, so that a batch comes while it is behind.
        _ = try fixture.store.rollUp(atMost: Int.random(in: 1...50, using: &generator))
        if round % 5 == 0 { try RollupTruth.check(fixture.store, "on the way, \(round)") }
        if Bool.random(using: &generator) { try rollUp(fixture.store, atMost: 17) }
      }
      if round % 3 == 1 { try RollupTruth.check(fixture.store, "rolled up, \(round)") }
      guard round % 13 == 12 else { continue }
      if Bool.random(using: &generator) {
        try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
        try RollupTruth.check(fixture.store, "run ended, \(round)")
      }
      let copy = try fixture.directory.killedCopy()
      fixture.store.close()
      let killed = try fixture.reopened(copy)
      try RollupTruth.check(killed, "killed and reopened, \(round)")
      try rollUp(killed)
      try RollupTruth.check(killed, "killed, reopened and rolled up, \(round)")
      killed.close()
      fixture.clock.advance(by: .seconds(1))
      fixture = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
      samples = try fixture.store.queue.read { db in
        try Int64.fetchAll(db, sql: "SELECT id FROM sample ORDER BY id").compactMap {
          try SampleQuery.sample(SampleID(rawValue: $0), db)
        }
      }
    }
    fixture.clock.advance(by: .seconds(9_000))
    try rollUp(fixture.store)
    try RollupTruth.check(fixture.store)
    let marks = try marks(fixture.store)
    #expect(marks.hour > .min)
    #expect(samples.isEmpty == false)
  }

  private static func changed(_ sample: Sample, _ generator: inout SeededGenerator) -> Sample {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return sample.asSent
    case 1:
      var delivered = sample.asDelivered(Int64.random(in: -50...40_000_000, using: &generator))
      delivered.deliveryError = [0, 900, 30_000_000, nil].randomElement(using: &generator) ?? nil
      if let error = delivered.deliveryError, let latency = delivered.deliveryLatency, latency % 3 > 0 {
        delivered.deliveryHigh = latency + error * (latency % 3) / 2
      }
      delivered.duplicates = Int.random(in: 0...3, using: &generator)
      delivered.isOutOfOrder = Bool.random(using: &generator)
      delivered.path = Bool.random(using: &generator) ? Int64.random(in: 40...90_000, using: &generator) : nil
      delivered.connection?.isFresh = Bool.random(using: &generator)
      return delivered
    case 2: return sample.asRejected("TooManyRequests")
    case 3:
      var late = sample
      late.state = .late
      late.deliveryLatency = Int64.random(in: 30_000_000...4_000_000_000, using: &generator)
      return late
    case 4: return sample.asMissed(.lag)
    default:
      var lost = sample.asDelivered()
      lost.state = .lost
      lost.deliveryLatency = nil
      return lost
    }
  }

  @Test func whatIsNotOldEnoughWaits() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 100, interval: 1_000_000))
    fixture.clock.advance(by: .seconds(90))
    try rollUp(fixture.store)
    let page = try fixture.reader().rollups(
      of: [fixture.alpha], from: WallTime(microseconds: 0), to: WallTime(microseconds: .max), span: .second,
      limit: 1_000)
    #expect(page.rows.count == 30)
    let now = fixture.clock.wallNow().advanced(byMicroseconds: -60_000_000)
    #expect(page.coveredTo.microseconds == now.microseconds / 1_000_000 * 1_000_000)
  }

  @Test func nothingNewIsNothingWritten() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 100))
    fixture.clock.advance(by: .seconds(10_000))
    try rollUp(fixture.store)
    let reader = try fixture.reader()
    _ = try reader.hasChanged()
    fixture.clock.advance(by: .seconds(10_000))
    try rollUp(fixture.store)
    #expect(try reader.hasChanged() == false)
  }

  @Test func aStepReadsNoMoreThanItShould() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1_000, interval: 100_000))
    fixture.clock.advance(by: .seconds(1_000))
    var steps = 0
    while try fixture.store.rollUp(atMost: 100) { steps += 1 }
    #expect(steps >= 9)
    try RollupTruth.check(fixture.store)
  }

  /// A store that a version without rollups wrote has them after some steps.
  @Test func catchesUp() throws {
    let fixture = try StoreFixture()
    for hour in 0..<5 {
      try fixture.commit(
        inserted: fixture.plans(fixture.alpha, from: Int64(hour * 500 + 1), count: 500, interval: 7_000_000))
      fixture.clock.advance(by: .seconds(3_600))
    }
    fixture.clock.advance(by: .seconds(3_600))
    #expect(try fixture.reader().rollupsCoverTo() == nil)
    try rollUp(fixture.store, atMost: 64)
    try RollupTruth.check(fixture.store)
    let target = fixture.alpha
    var planned: [WallTime] = []
    try fixture.reader().forEachSample(RowSelection(targets: ["alpha"])) { planned.append($0.plannedAt) }
    let (first, last) = (try #require(planned.min()), try #require(planned.max()))
    let page = try fixture.reader().rollups(
      of: [target], from: first, to: last.advanced(byMicroseconds: 1), span: .hour, limit: 1_000)
    #expect(page.rows.reduce(0) { $0 + $1.counts.planned } >= 2_498)
    #expect(page.rows.count < 500)
    #expect(!page.isTruncated)
  }

  /// Coarse rows inside, finer ones at the ends, nothing twice and nothing left out.
  @Test(arguments: RollupSpan.allCases)
  func aStretchIsCutIntoWholeSpans(span: RollupSpan) throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6_000, interval: 2_000_000)
    try fixture.commit(inserted: plans)
    fixture.clock.advance(by: .seconds(20_000))
    try rollUp(fixture.store)
    let reader = try fixture.reader()
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20 {
      let bounds = [0, 1].map { _ in plans[Int.random(in: plans.indices, using: &generator)].plannedAt }
        .sorted()
      let page = try reader.rollups(
        of: [fixture.alpha], from: bounds[0], to: bounds[1], span: span, limit: .max)
      let whole = plans.filter { $0.plannedAt >= page.coveredFrom && $0.plannedAt < page.coveredTo }
      #expect(page.rows.reduce(0) { $0 + $1.counts.planned } == whole.count)
      #expect(page.coveredFrom >= bounds[0])
      #expect(page.coveredFrom.microseconds - bounds[0].microseconds < 1_000_000)
      #expect(bounds[1].microseconds - page.coveredTo.microseconds < 1_000_000)
      for (row, next) in zip(page.rows, page.rows.dropFirst()) { #expect(row.end <= next.start) }
      #expect(page.rows.allSatisfy { $0.span.rawValue <= span.rawValue })
    }
  }

  @Test func aLimitEndsBetweenSpansAndCanBeGoneOnFrom() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.beta, count: 5_000, interval: 300_000)
    try fixture.commit(inserted: plans)
    fixture.clock.advance(by: .seconds(20_000))
    try rollUp(fixture.store)
    let reader = try fixture.reader()
    var (from, planned, pages) = (plans[0].plannedAt.advanced(byMicroseconds: -1_000_000), 0, 0)
    while true {
      let page = try reader.rollups(
        of: [fixture.beta], from: from, to: fixture.clock.wallNow(), span: .minute, limit: 10)
      planned += page.rows.reduce(0) { $0 + $1.counts.planned }
      #expect(page.rows.count <= 12)
      pages += 1
      from = page.coveredTo
      if !page.isTruncated { break }
    }
    #expect(planned == 5_000)
    #expect(pages > 3)
  }

  @Test func onlyTheWantedMetricsAreRead() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 10)
    try fixture.commit(inserted: plans.map { $0.asDelivered() })
    fixture.clock.advance(by: .seconds(100))
    try rollUp(fixture.store)
    let page = try fixture.reader().rollups(
      of: [fixture.alpha], from: plans[0].plannedAt.advanced(byMicroseconds: -1_000_000),
      to: fixture.clock.wallNow(),
      span: .minute, metrics: [.delivery], limit: 10)
    let row = try #require(page.rows.first)
    #expect(row.histogram(of: .accept) == nil)
    #expect(row.histogram(of: .delivery)?.count == row.counts[.delivered])
    #expect(row.counts.sent == row.counts.planned)
  }

  /// What the totals say of any stretch, with the notifications at its ends, is what counting them gives.
  @Test(arguments: 1...3)
  func totalsAndTheEndsAreAllThereIs(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.beta, count: 9_000, interval: 1_733_000).map {
      Self.changed($0, &generator)
    }
    try fixture.commit(inserted: plans + fixture.plans(fixture.alpha, count: 500, interval: 900_000))
    fixture.clock.advance(by: .seconds(Double.random(in: 9_000...20_000, using: &generator)))
    try rollUp(fixture.store)
    let reader = try fixture.reader()
    for round in 0..<12 {
      let bounds = [0, 1].map { _ in plans[Int.random(in: plans.indices, using: &generator)].plannedAt }
        .sorted()
      let (since, until) = (round % 4 == 0 ? nil : bounds[0], round % 3 == 0 ? nil : bounds[1])
      let totals = try #require(
        try reader.rollupTotals(of: fixture.beta, from: since, to: until, figures: Set(RollupFigure.allCases))
      )
      var (planned, lags, marked) = (0, 0, 0)
      for total in totals.variants {
        planned += total.counts.planned
        lags += total.latencies(of: .scheduleLag).count
        marked += total.latencies(of: .deliveryLimit).count
      }
      var sequences: [Int64] = []
      func add(_ row: borrowing SampleRow) {
        sequences.append(row.id.sequence)
        planned += 1
        lags += row.scheduleLag == nil ? 0 : 1
        marked += row.deliveryCertainty == .limit ? 1 : 0
      }
      if let since { try reader.forEachSample(of: fixture.beta, plannedFrom: since, to: totals.from, add) }
      try reader.forEachSample(
        of: fixture.beta, plannedFrom: totals.to, to: until ?? WallTime(microseconds: .max), add)
      let (from, to) = (since ?? plans[0].plannedAt, until ?? WallTime(microseconds: .max))
      let expected = plans.filter { $0.plannedAt >= from && $0.plannedAt < to }
      #expect(planned == expected.count)
      #expect(lags == expected.count { $0.scheduleLag != nil })
      #expect(marked == expected.count { $0.deliveryCertainty == DeliveryCertainty.limit })
      #expect(Set(sequences).count == sequences.count)
    }
  }

  @Test func aTargetWithoutRollupsHasNoTotals() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 10))
    #expect(try fixture.reader().rollupTotals(of: fixture.alpha, from: nil, to: nil, figures: []) == nil)
  }

  @Test func countingStopsWhereItWasTold() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 1_000)
    try fixture.commit(inserted: plans + fixture.plans(fixture.beta, count: 300))
    let reader = try fixture.reader()
    let (start, end) = (plans[0].plannedAt, plans[999].plannedAt)
    #expect(try reader.pointCount(of: [fixture.alpha], from: start, to: end, atMost: 10_000) == 999)
    #expect(try reader.pointCount(of: [fixture.beta], from: start, to: end, atMost: 10_000) == 300)
    #expect(
      try reader.pointCount(of: [fixture.alpha, fixture.beta], from: start, to: end, atMost: 500) == 500)
    #expect(try reader.pointCount(of: [], from: start, to: end, atMost: 500) == 0)
  }

  /// Whole hours are counted from their rollups: the answer must be that of counting, wherever the range begins and ends, and also
  /// where other targets have as many.
  @Test func countingManyHoursIsExact() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6_000, interval: 2_000_000)
    try fixture.commit(inserted: plans + fixture.plans(fixture.beta, count: 2_000, interval: 6_000_000))
    fixture.clock.advance(by: .seconds(20_000))
    try rollUp(fixture.store)
    let reader = try fixture.reader()
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<60 {
      let bounds = [0, 1].map { _ in plans[Int.random(in: plans.indices, using: &generator)].plannedAt }
        .sorted()
      let start = bounds[0].advanced(byMicroseconds: .random(in: -1...1, using: &generator))
      let count = plans.count { $0.plannedAt >= start && $0.plannedAt < bounds[1] }
      for limit in [1, count - 1, count, count + 1, 1_900, 10_000] {
        let found = try reader.pointCount(of: [fixture.alpha], from: start, to: bounds[1], atMost: limit)
        #expect(found == min(count, max(0, limit)), "at most \(limit)")
      }
    }
  }
}
