import Findings
import FindingsTestKit
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Analysis

@Suite struct SeriesReaderTests {
  /// 32 hours at 6 a minute with 3 % bad minutes and 2 % lost, in which deliveries are eight times as long.
  private static func record(_ store: SeriesStore, hours: Int, error: Int64 = 0, seed: Int = 1) throws
    -> [Int64]
  {
    let rate = 0.1
    let sample = IntervalScenario.badMinutes3.sample(Int(Double(hours) * 3600 * rate), rate: rate, seed: seed)
    var random = SeededGenerator(seed: UInt64(seed))
    try store.commit(
      zip(sample.times, sample.values).map { time, value in
        let isLost = random.chance(2)
        return SeriesStore.Event(
          after: Int64(time * 1e6), state: isLost ? .lost : .delivered, accept: value / 4,
          delivery: isLost ? nil : value, error: error)
      }, of: store.fixture.alpha)
    return sample.values
  }

  private func isNear(_ a: Int64?, _ b: Int64?) -> Bool {
    guard let a, let b else { return a == b }
    return abs(a - b) <= max(a, b) / 500 + 1
  }

  private static let shares: Set<SeriesShare> = [
    .lost, .failed, .refused, .within(400_000, of: .delivery, base: .planned),
    .within(100_000, of: .accept, base: .accepted),
  ]

  @Test func samplesAndRollupsSayTheSame() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 32)
    try store.rollUp(after: 33 * 3600)
    let reader = SeriesReader(try store.fixture.reader())
    let window = try #require(
      try reader.window(of: [store.fixture.alpha], since: store.time(30 * 3600), until: store.time(32 * 3600))
    )
    #expect(window.time == store.time(30 * 3600)..<store.time(32 * 3600 - 9))
    let exact = try reader.statistics(of: window, shares: Self.shares, depth: .samples)
    let rough = try reader.statistics(of: window, shares: Self.shares, depth: .rollups)
    #expect(exact.counts == rough.counts)
    #expect(exact.history == rough.history)
    for metric in [Metric.accept, .delivery] {
      #expect(exact.usesHistory(of: metric))
      for quantile in [Quantile.p50, .p90, .p95, .p99] {
        let a = try #require(exact.quantile(quantile, of: metric))
        let b = try #require(rough.quantile(quantile, of: metric))
        #expect(isNear(a.value, b.value) && isNear(a.low, b.low) && isNear(a.high, b.high), "\(a) \(b)")
        #expect(a.count == b.count)
        #expect(abs(a.effectiveCount - b.effectiveCount) <= 0.05 * a.effectiveCount, "\(a) \(b)")
        #expect(a.effectiveCount < Double(a.count))
        #expect(
          isNear(
            exact.independentQuantile(quantile, of: metric).known?.high,
            rough.independentQuantile(quantile, of: metric).known?.high))
      }
    }
    for share in Self.shares { #expect(exact.share(share) == rough.share(share), "\(share)") }
    let lost = try #require(exact.share(.lost))
    #expect(lost.count == 720 && lost.events > 0 && lost.usesHistory)
  }

  /// Where order statistics take bad minutes for independent probes, and miss.
  @Test func theIntervalContainsTheTruthWhereOrderStatisticsFail() throws {
    let scenario = IntervalScenario.badMinutes3
    var missed = 0
    var covered = 0
    for seed in 1...8 {
      let store = try SeriesStore()
      _ = try Self.record(store, hours: 16, seed: seed)
      try store.rollUp(after: 17 * 3600)
      let truth = scenario.quantile(0.99, of: scenario.sample(10, rate: 0.1, seed: seed))
      let reader = SeriesReader(try store.fixture.reader())
      for hour in [13, 14, 15] as [Int64] {
        let window = SeriesWindow(
          targets: [store.fixture.alpha], time: store.time(hour * 3600)..<store.time((hour + 1) * 3600))
        let found = try reader.statistics(of: window, metrics: [.delivery], shares: [])
        let interval = try #require(found.quantile(.p99, of: .delivery))
        if interval.low.map({ Double($0) <= truth }) ?? true,
          interval.high.map({ truth <= Double($0) }) ?? true
        {
          covered += 1
        }
        let old = found.independentQuantile(.p95, of: .delivery)
        let p95 = scenario.quantile(0.95, of: scenario.sample(10, rate: 0.1, seed: seed))
        if let old = old.known, Double(old.low) > p95 || p95 > Double(old.high) { missed += 1 }
        let new = try #require(found.quantile(.p95, of: .delivery))
        if new.low.map({ Double($0) > p95 }) ?? false || new.high.map({ p95 > Double($0) }) ?? false {
          covered -= 1
        }
      }
    }
    // Of 24 windows.
    #expect(covered >= 22, "\(covered)")
    #expect(missed >= 3, "\(missed)")
  }

  /// Blocks are taken of the time in which the series was sent, however long it is looked at: other variants were sent, or no
  /// run was recorded.
  @Test(arguments: [SeriesReader.Depth.samples, .rollups])
  func timeWithoutNotificationsChangesNoInterval(_ depth: SeriesReader.Depth) throws {
    let store = try SeriesStore()
    var random = SeededGenerator(seed: 4)
    func events(_ from: Int64) -> [SeriesStore.Event] {
      (0..<600).map { index -> SeriesStore.Event in
        let isLost = index % 50 == 0
        let delivery: Int64? = isLost ? nil : 40_000 + Int64(random.unit() * 40_000)
        let after = from * 1_000_000 + Int64(index) * 200_000
        return SeriesStore.Event(
          after: after, state: isLost ? .lost : .delivered, accept: 5_000, delivery: delivery)
      }
    }
    try store.commit(events(600), of: store.fixture.alpha)
    try store.rollUp(after: 9 * 3600)
    let reader = SeriesReader(try store.fixture.reader())
    func figures(_ from: Int64, _ to: Int64) throws -> (p50: QuantileInterval, lost: ShareInterval) {
      let statistics = try reader.statistics(
        of: SeriesWindow(targets: [store.fixture.alpha], time: store.time(from)..<store.time(to)),
        depth: depth,
        usesHistory: false)
      return (
        try #require(statistics.quantile(.p50, of: .delivery)), try #require(statistics.share(.lost))
      )
    }
    let own = try figures(600, 720)
    #expect(own.p50.effectiveCount > 100)
    for (from, to) in [(500, 720), (0, 3600), (0, 8 * 3600)] as [(Int64, Int64)] {
      let longer = try figures(from, to)
      #expect(longer.p50 == own.p50 && longer.lost == own.lost, "\(longer) \(own)")
    }
    // Twice, far apart: as much as twice as long.
    try store.commit(events(7 * 3600), of: store.fixture.alpha, from: 601)
    guard depth == .samples else { return }
    let twice = try figures(0, 8 * 3600)
    #expect(twice.p50.count == 2 * own.p50.count)
    #expect(twice.p50.effectiveCount > 1.2 * own.p50.effectiveCount, "\(twice)")
  }

  @Test func onlySettledNotificationsCount() throws {
    let store = try SeriesStore()
    let alpha = store.fixture.alpha
    try store.commit(
      (0..<Int64(3600)).map { second in
        let event = SeriesStore.Event(after: second * 1_000_000, accept: 100, delivery: 1000)
        // Within what is rolled up, some wait for their receipt and some were never sent.
        switch second % 10 {
        case 0: return SeriesStore.Event(after: event.after, state: .inFlight, accept: 900_000)
        case 1:
          return SeriesStore.Event(
            after: event.after, state: .missed, reason: second % 20 == 1 ? .backoff : .lag)
        case 2: return SeriesStore.Event(after: event.after, state: .rejected)
        default: return event
        }
      }, of: alpha)
    try store.rollUp(after: 7200)
    let reader = SeriesReader(try store.fixture.reader())
    let window = try #require(try reader.window(of: [alpha]))
    for depth in [SeriesReader.Depth.samples, .rollups, .standard] {
      let found = try reader.statistics(of: window, shares: Self.shares, depth: depth)
      #expect(found.counts.open == 360)
      #expect(found.count(of: .accept) == 2520)
      #expect(found.quantile(.p99, of: .accept)?.value == 100)
      let refused = try #require(found.share(.refused))
      #expect(refused.count == 3240 && refused.events == 360 + 180)
      #expect(found.share(.lost)?.count == 2520)
      let within = try #require(found.share(.within(400_000, of: .delivery, base: .planned)))
      #expect(within.count == 3240 && within.events == 2520)
      #expect(!found.usesHistory(of: .delivery))
    }
  }

  /// Deliveries within ± 100 ms: those that may have come in time are more than those that surely did.
  @Test func boundsWidenIntervals() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 3, error: 100_000)
    try store.rollUp(after: 4 * 3600)
    let reader = SeriesReader(try store.fixture.reader())
    let window = try #require(try reader.window(of: [store.fixture.alpha]))
    let share = SeriesShare.within(300_000, of: .delivery, base: .planned)
    for depth in [SeriesReader.Depth.samples, .rollups] {
      let found = try reader.statistics(of: window, shares: [share], depth: depth)
      let interval = try #require(found.quantile(.p50, of: .delivery))
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      #expect(low <= interval.value - 99_000 && high >= interval.value + 99_000)
      let within = try #require(found.share(share))
      let surely = try #require(
        try reader.statistics(
          of: window, shares: [.within(200_000, of: .delivery, base: .planned)], depth: depth
        ).share(.within(200_000, of: .delivery, base: .planned))?.share)
      #expect(within.low < surely && within.high > (within.share ?? 1))
    }
  }

  /// What was wrong before is no part of what is usual.
  @Test func excludedStretchesAreNoHistory() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 16)
    try store.rollUp(after: 17 * 3600)
    let window = SeriesWindow(
      targets: [store.fixture.alpha], time: store.time(15 * 3600)..<store.time(16 * 3600))
    let reader = try store.fixture.reader()
    #expect(try !SeriesReader(reader).history(of: window, metrics: [.delivery], shares: [.lost]).isEmpty)
    let none = SeriesReader(reader) { _ in [store.time(0)..<store.time(10 * 3600)] }
    #expect(try none.history(of: window, metrics: [.delivery], shares: [.lost]).isEmpty)
  }

  private static func closed(
    _ store: SeriesStore, _ hours: ClosedRange<Int64>, status: FindingStatus = .closed,
    target: String = "alpha",
    variant: String = ""
  ) throws {
    var record = FindingRecord(
      id: "f\(status)\(target)\(variant)", incident: "f", run: store.fixture.run, target: target,
      variant: variant, provider: "loopback", endpoint: "", device: "phone", metric: .delivery,
      kind: .slower, status: status, startedAt: store.time(hours.lowerBound * 3600),
      detectedAt: store.time(hours.lowerBound * 3600 + 60), seenUntil: store.time(hours.upperBound * 3600))
    record.endedAt = store.time(hours.upperBound * 3600)
    var changes = FindingChanges()
    changes.findings = [record]
    try store.fixture.store.save(changes)
  }

  /// That is what a reader does by itself, with what the store knows.
  @Test func stretchesOfClosedFindingsAreNoHistory() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 16)
    try store.rollUp(after: 17 * 3600)
    let window = SeriesWindow(
      targets: [store.fixture.alpha], time: store.time(15 * 3600)..<store.time(16 * 3600))
    func history() throws -> SeriesHistory {
      try SeriesReader(try store.fixture.reader()).history(of: window, metrics: [.delivery], shares: [.lost])
    }
    let whole = try history()
    #expect(!whole.isEmpty)
    // Another target's, another variant's, and what is provisional or withdrawn.
    try Self.closed(store, 0...10, target: "beta")
    try Self.closed(store, 0...10, status: .withdrawn)
    try Self.closed(store, 0...10, status: .provisional)
    #expect(try history() == whole)
    try Self.closed(store, 0...2, variant: "priority=5")
    let apart = try SeriesReader(try store.fixture.reader()).historiesByVariant(
      of: window, sent: [.none: SentTime(window.time)], metrics: [.delivery], shares: [.lost])
    #expect(apart[.none] == whole)
    // Of all variants together it was a part.
    #expect(try history() != whole)
    try Self.closed(store, 0...10)
    #expect(try history().isEmpty)
  }

  /// Whether rows are rolled up in hours, in minutes or not at all.
  @Test func theHistoryDoesNotDependOnRollups() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 28)
    let window = SeriesWindow(
      targets: [store.fixture.alpha], time: store.time(27 * 3600 + 1234)..<store.time(28 * 3600))
    func history() throws -> SeriesHistory {
      try SeriesReader(try store.fixture.reader()).history(
        of: window, metrics: [.delivery, .accept], shares: Self.shares)
    }
    let before = try history()
    #expect(!before.isEmpty)
    try store.rollUp(after: 14 * 3600)
    #expect(try history() == before)
    try store.rollUp(after: 20 * 3600)
    #expect(try history() == before)
  }

  /// Reading each of many targets by itself gives what reading all of them gives.
  @Test func manyTargetsAreReadOneByOne() throws {
    let clock = SteppedHostClock(wall: WallTime(microseconds: 1_772_366_400_000_000))
    let fixture = try StoreFixture(clock: clock)
    let start = clock.wallNow()
    var random = SeededGenerator(seed: 3)
    let run = try fixture.store.beginRun(
      RunDescription(
        id: RunID(at: start, using: &random), startedAt: start, startedMonotonic: clock.monotonicNow(),
        bootID: StoreFixture.bootID,
        targets: (0..<24).map {
          TargetDescription(name: "t\($0)", provider: "http", receiptDeadline: nil, askedRate: 1)
        }))
    let targets = run.targets.map(\.id)
    for (place, target) in targets.enumerated() {
      // Some stop early, some begin late, most have gaps.
      let minutes = (place % 3 == 0 ? 0..<90 : place % 3 == 1 ? 40..<120 : 0..<120).filter {
        $0 % (1 + place % 5) == 0
      }
      var samples: [Sample] = []
      for (index, minute) in minutes.enumerated() {
        var sample = Sample(
          id: SampleID(target: target, sequence: Int64(index + 1)), variant: .none,
          plannedAt: start.advanced(byMicroseconds: Int64(minute) * 60_000_000 + Int64(place)),
          plannedMonotonic: Int64(minute) * 60_000_000)
        sample.state = .delivered
        sample.acceptLatency = Int64(1000 + 100 * place + minute)
        samples.append(sample)
      }
      _ = try fixture.store.commit(WriteBatch(run: run.run, inserted: samples))
    }
    clock.advance(by: .seconds(3 * 3600))
    while try fixture.store.rollUp() {}
    let reader = try fixture.reader()
    func bins(_ targets: [TargetID], _ span: RollupSpan) throws -> [RollupBin] {
      var bins: [RollupBin] = []
      _ = try reader.forEachRollup(
        of: targets, plannedFrom: start, to: start.advanced(byMicroseconds: 2 * 3_600_000_000), span: span,
        figures: [.accept]
      ) { bins.append($0) }
      return bins
    }
    for span in [RollupSpan.second, .minute, .hour] {
      let all = try bins(targets, span)
      #expect(Set(all.map(\.target)).count == targets.count)
      for some in targets.map({ [$0] }) + [[targets[1], targets[20]], [targets[23], targets[0]]] {
        let own = all.filter { some.contains($0.target) }
        let read = try bins(some, span)
        #expect(read.map(\.start) == own.map(\.start) && read.map(\.target) == own.map(\.target))
        #expect(read.map(\.counts) == own.map(\.counts))
      }
    }
  }

  /// The history reaches back into earlier runs of the same target, not into those of others.
  @Test func earlierRunsAreHistory() throws {
    let store = try SeriesStore()
    _ = try Self.record(store, hours: 14)
    var random = SeededGenerator(seed: 9)
    let run = try store.fixture.store.beginRun(
      StoreFixture.description(
        of: RunID(at: store.time(14 * 3600), using: &random), SteppedHostClock(wall: store.time(14 * 3600))))
    let next = try #require(run["alpha"]).id
    let other = try #require(run["beta"]).id
    for target in [next, other] {
      try store.commit(
        (0..<600).map { .init(after: 14 * 3_600_000_000 + $0 * 6_000_000, accept: 100, delivery: 1000) },
        of: target)
    }
    try store.rollUp(after: 20 * 3600)
    let reader = SeriesReader(try store.fixture.reader())
    func history(_ target: TargetID) throws -> SeriesHistory {
      let window = try #require(try reader.window(of: [target]))
      return try reader.history(of: window, metrics: [.delivery], shares: [.lost])
    }
    #expect(try history(next).latencies[.delivery] != nil)
    #expect(try history(next).shares[.lost] != nil)
    #expect(try history(other).isEmpty)
  }
}

extension QuantileEstimate {
  fileprivate var known: (value: Int64, low: Int64, high: Int64)? {
    guard case .known(let value, let low, let high) = self else { return nil }
    return (value, low, high)
  }
}
