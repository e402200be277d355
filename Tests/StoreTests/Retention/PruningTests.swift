import GRDB
import Measurement
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Store

@Suite struct PruningTests {
  private static let hour: Int64 = 3_600_000_000
  private static let rollups = "SELECT * FROM rollup ORDER BY span, start, target_id, variant_id"

  /// Some hours of notifications, one each 20 s, that are delivered, with a receipt each; all rolled up.
  private func record(_ fixture: StoreFixture, hours: Int = 4, open: Set<Int> = []) throws -> [Sample] {
    // Begins in the middle of an hour, wherever the clock stands.
    let plans = fixture.plans(fixture.alpha, count: hours * 180, interval: 20_000_000)
    try fixture.commit(inserted: plans)
    let results = plans.enumerated().map {
      open.contains($0.offset) ? $0.element.asSent : $0.element.asDelivered()
    }
    try fixture.commit(
      updated: results,
      receipts: plans.map {
        Receipt(
          sample: $0.id, device: "d", receivedAt: $0.plannedAt, arrivedAt: $0.plannedAt, isSameClock: true,
          isDuplicate: false)
      },
      events: plans.map { Event(at: $0.plannedAt, kind: .connected, target: fixture.alpha) },
      log: plans.map { LogLine(at: $0.plannedAt, level: .info, label: "l", message: "m") })
    fixture.clock.advance(by: .seconds(hours * 3600 + 7200))
    while try fixture.store.rollUp() {}
    return results
  }

  private func rows(_ store: CollectorStore, _ sql: String) throws -> [Row] {
    try store.queue.read { try Row.fetchAll($0, sql: sql) }
  }

  private func count(_ store: CollectorStore, _ table: String) throws -> Int {
    try store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  /// Prunes until there is nothing to do.
  private func prune(_ store: CollectorStore, _ policy: RetentionPolicy = .keepAll, limit: Int = 50) throws
    -> PruneStep
  {
    var sum = PruneStep()
    while true {
      let step = try store.prune(policy, atMost: limit, within: .seconds(1))
      #expect(step.rows <= 2 * limit + 1)
      sum.rows += step.rows
      sum.samples += step.samples
      sum.pages += step.pages
      sum.forced = sum.forced ?? step.forced
      if !step.isMore { return sum }
    }
  }

  @Test func onlySettledNotificationsOfWholeHoursGo() throws {
    let fixture = try StoreFixture()
    let results = try record(fixture, open: [3])
    let before = try rows(fixture.store, Self.rollups)
    let tally = try rows(fixture.store, "SELECT * FROM tally")
    let first = try #require(results.first).plannedAt.microseconds
    let wanted = WallTime(microseconds: first + 2 * Self.hour + Self.hour / 2)
    let cut = try #require(try fixture.store.markPruned(samplesBefore: wanted))
    #expect(cut.microseconds % Self.hour == 0)
    #expect(cut <= wanted && wanted.microseconds - cut.microseconds < Self.hour)

    let step = try prune(fixture.store)
    let gone = results.filter { $0.plannedAt < cut && $0.state.isSettled }
    #expect(step.samples == gone.count && gone.count > 100)
    #expect(try count(fixture.store, "sample") == results.count - gone.count)
    // The one that is open stays, and so do rollups, counters and the run.
    #expect(try fixture.store.sample(results[3].id)?.state == .inFlight)
    #expect(try rows(fixture.store, Self.rollups) == before)
    #expect(try rows(fixture.store, "SELECT * FROM tally") == tally)
    #expect(try fixture.reader().run(fixture.run)?.counts.planned == results.count)
    #expect(
      try rows(fixture.store, "SELECT 1 FROM receipt WHERE sample_id NOT IN (SELECT id FROM sample)").isEmpty)
    // It is deleted once it has an end, and its end counts.
    try fixture.commit(updated: [results[3].asDelivered()])
    #expect(try prune(fixture.store).samples == 1)
    #expect(try fixture.store.sample(results[3].id) == nil)
    let hours = try rows(fixture.store, "SELECT sum(delivered), sum(in_flight) FROM rollup WHERE span = 3600")
    #expect(hours.first?[1] == 0)
  }

  @Test func aReceiptForAPrunedNotificationIsKnownAsSuch() throws {
    let fixture = try StoreFixture()
    let results = try record(fixture)
    let store = fixture.store
    let id = try #require(results.first).id
    #expect(try !store.isPruned(id, ofRun: fixture.run.fingerprint))
    try store.markPruned(samplesBefore: fixture.clock.wallNow())
    _ = try prune(store)
    #expect(try store.sample(id) == nil)
    #expect(try store.isPruned(id, ofRun: fixture.run.fingerprint))
    #expect(try !store.isPruned(id, ofRun: fixture.run.fingerprint &+ 1))
    #expect(
      try !store.isPruned(
        SampleID(target: fixture.alpha, sequence: 1_000_000), ofRun: fixture.run.fingerprint))
    #expect(
      try !store.isPruned(
        SampleID(target: TargetID(rawValue: 77), sequence: 1), ofRun: fixture.run.fingerprint))
    // A change of a row that is gone changes nothing, so that the span stays what it was.
    let before = try rows(store, Self.rollups)
    try fixture.commit(updated: [results[0].asMissed(.lag)])
    #expect(try rows(store, Self.rollups) == before)
  }

  @Test func nothingGoesThatIsNotRolledUp() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 10).map { $0.asDelivered() })
    fixture.clock.advance(by: .seconds(10 * 86_400))
    #expect(try fixture.store.markPruned(samplesBefore: fixture.clock.wallNow()) == nil)
    #expect(try prune(fixture.store, RetentionPolicy(ages: [.samples: .seconds(3600)])).rows == 0)
    #expect(try count(fixture.store, "sample") == 10)
  }

  @Test func eachKindHasAnAgeOfItsOwn() throws {
    let fixture = try StoreFixture()
    let results = try record(fixture)
    let policy = RetentionPolicy(ages: [.log: .seconds(3 * 3600), .rollupSecond: .seconds(3 * 3600)])
    #expect(try prune(fixture.store, policy).samples == 0)
    #expect(try count(fixture.store, "sample") == results.count)
    #expect(try count(fixture.store, "event") >= results.count)
    let mark = try #require(try fixture.reader().pruned()[.log])
    #expect(try count(fixture.store, "log") == results.count { $0.plannedAt >= mark })
    #expect(
      try rows(
        fixture.store, "SELECT 1 FROM rollup WHERE span = 1 AND start < \(mark.microseconds / 1_000_000)"
      ).isEmpty)
    #expect(try !rows(fixture.store, "SELECT 1 FROM rollup WHERE span = 60").isEmpty)
    // A late change does not begin a second anew that was deleted, and counts in its minute and hour.
    try fixture.commit(updated: [results[0].asMissed(.lag)])
    let start = results[0].plannedAt.microseconds / 1_000_000
    #expect(try rows(fixture.store, "SELECT 1 FROM rollup WHERE span = 1 AND start = \(start)").isEmpty)
    let hours = try rows(fixture.store, "SELECT sum(missed), sum(delivered) FROM rollup WHERE span = 3600")
    #expect(hours.first?[0] == 1 && hours.first?[1] == results.count - 1)
  }

  /// Whatever finer rollups are gone, every notification is counted once.
  @Test(arguments: [RetainedKind.rollupSecond, .rollupMinute])
  func readersTakeWhatIsLeft(kind: RetainedKind) throws {
    let fixture = try StoreFixture()
    let results = try record(fixture)
    let reader = try fixture.reader()
    func sum(_ span: RollupSpan) throws -> Int {
      let page = try reader.rollups(
        of: [fixture.alpha], from: WallTime(microseconds: 0), to: fixture.clock.wallNow(), span: span,
        limit: 100_000)
      return page.rows.reduce(0) { $0 + $1.counts.planned }
    }
    for span in RollupSpan.allCases { #expect(try sum(span) == results.count) }
    try fixture.store.markPruned(samplesBefore: fixture.clock.wallNow())
    var ages: [RetainedKind: Duration] = [.rollupSecond: .seconds(3600)]
    ages[kind] = .seconds(3600)
    _ = try prune(fixture.store, RetentionPolicy(ages: ages))
    for span in RollupSpan.allCases { #expect(try sum(span) == results.count, "\(span)") }
    let totals = try #require(
      try reader.rollupTotals(of: fixture.alpha, from: nil, to: nil, figures: [.delivery]))
    #expect(totals.variants.reduce(0) { $0 + $1.counts.planned } == results.count)
    let times = try #require(try reader.plannedTimes(of: [fixture.alpha], from: nil, to: nil))
    let first = try #require(results.first).plannedAt
    #expect(times.lowerBound <= first && first.microseconds - times.lowerBound.microseconds < Self.hour)
    #expect(times.upperBound >= results[results.count - 1].plannedAt)
    // The rate follows from the run, not from what is left of it.
    let rates = try #require(try reader.rates(of: fixture.run).first { $0.target == fixture.alpha })
    let achieved = try #require(rates.achieved)
    #expect(achieved > 0.03 && achieved < 0.06)
    reader.close()
  }

  @Test func aDeletedRunTakesItsPrunedRollupsAlong() throws {
    let fixture = try StoreFixture()
    _ = try record(fixture)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.markPruned(samplesBefore: fixture.clock.wallNow())
    _ = try prune(fixture.store)
    try fixture.store.beginDeletion(of: fixture.run)
    while try fixture.store.continueDeletion() {}
    for table in ["run", "target", "sample", "receipt", "rollup", "deletion"] {
      #expect(try count(fixture.store, table) == 0, "\(table)")
    }
  }

  @Test func aStoreThatIsTooLargeLosesItsOldestHours() throws {
    let fixture = try StoreFixture()
    let results = try record(fixture)
    let policy = RetentionPolicy(maximumSize: 1)
    let first = try fixture.store.prune(policy, atMost: 50, within: .seconds(1))
    let mark = try #require(try fixture.reader().pruned().samples)
    #expect(first.forced?.contains("planned before \(mark.rfc3339)") == true)
    #expect(mark.microseconds - results[0].plannedAt.microseconds <= Self.hour)
    let events = "SELECT detail FROM event WHERE kind = 'pruned'"
    #expect(try rows(fixture.store, events).count == 1)
    // It goes on with the next hour for as long as the store is too large.
    _ = try prune(fixture.store, policy)
    #expect(try rows(fixture.store, events).allSatisfy { ($0[0] as String).contains("maximum_size") })
    let last = try #require(try fixture.reader().pruned().samples)
    #expect(last > mark)
    #expect(try count(fixture.store, "sample") == results.count { $0.plannedAt >= last })
    // Hours stay: they are what is left of a store that is full.
    #expect(try !rows(fixture.store, "SELECT 1 FROM rollup WHERE span = 3600").isEmpty)
  }

  /// Rollups follow the wall clock, and so do whole hours: only what was over by the least time that it can be may go.
  @Test(arguments: [60, 64]) func aClockThatIsAheadDeletesNothingOfThePresent(minutes: Int) throws {
    let fixture = try StoreFixture()
    fixture.clock.advance(by: .seconds(3_600 - fixture.clock.wallNow().seconds % 3_600))
    let plans = fixture.plans(fixture.alpha, count: 10)
    try fixture.commit(inserted: plans.map { $0.asDelivered() })
    fixture.clock.advance(by: .minutes(58))
    fixture.clock.stepWall(by: .seconds(60 * minutes))
    while try fixture.store.rollUp() {}
    _ = try prune(fixture.store, RetentionPolicy(maximumSize: 1))
    for plan in plans { #expect(try fixture.reader().sample(plan.id) != nil) }
  }

  @Test("what is recorded by a clock that is behind what was deleted is kept for as long as the clock is")
  func aClockThatIsBehind() throws {
    let fixture = try StoreFixture()
    _ = try record(fixture)
    let policy = RetentionPolicy(ages: [.samples: .hours(2), .events: .hours(2), .log: .hours(2)])
    _ = try prune(fixture.store, policy)
    #expect(try fixture.reader().pruned()[.events] != nil)
    fixture.clock.stepWall(by: .days(-3))
    let events = try count(fixture.store, "event")
    let plans = fixture.plans(fixture.alpha, from: 10_001, count: 10)
    try fixture.commit(
      inserted: plans.map { $0.asDelivered() },
      events: plans.map { Event(at: $0.plannedAt, kind: .connected, target: fixture.alpha) })
    _ = try prune(fixture.store, policy)
    #expect(try count(fixture.store, "event") == events + 10)
    for plan in plans { #expect(try fixture.reader().sample(plan.id) != nil) }
  }

  @Test func aNewStoreGivesItsPagesBack() throws {
    let fixture = try StoreFixture()
    let clock = fixture.clock
    var sequence: Int64 = 1
    for _ in 0..<20 {
      let plans = fixture.plans(fixture.alpha, from: sequence, count: 1_500, interval: 2_000_000)
      try fixture.commit(inserted: plans.map { $0.asDelivered() })
      sequence += 1_500
      clock.advance(by: .seconds(3_000))
    }
    clock.advance(by: .seconds(7200))
    while try fixture.store.rollUp() {}
    let before = try fixture.store.size()
    #expect(before.givesBack)
    try fixture.store.markPruned(samplesBefore: clock.wallNow())
    let step = try prune(fixture.store, limit: 2_000)
    let after = try fixture.store.size()
    #expect(step.samples > 28_000 && step.pages > 0)
    #expect(after.file < before.file && after.freePages <= after.reserve)
    #expect(try rows(fixture.store, "PRAGMA integrity_check").first?[0] == "ok")
  }

  /// What a collector had begun to delete, the next one finishes.
  @Test func goesOnAfterADeath() throws {
    let fixture = try StoreFixture()
    let results = try record(fixture)
    try fixture.store.markPruned(samplesBefore: fixture.clock.wallNow())
    for _ in 0..<3 { _ = try fixture.store.prune(.keepAll, atMost: 40, within: .seconds(1)) }
    #expect(try count(fixture.store, "sample") > 0)
    let copy = try fixture.directory.killedCopy()
    let next = try fixture.reopened(copy)
    _ = try prune(next)
    let mark = try #require(try StoreReader.open(at: copy).pruned().samples)
    #expect(try count(next, "sample") == results.count { $0.plannedAt >= mark })
    #expect(try rows(next, Self.rollups) == rows(fixture.store, Self.rollups))
    next.close()
  }

  @Test func theBudgetFollowsTheDisk() {
    var budget = PruneBudget()
    for _ in 0..<100 { budget.record(budget.time) }
    #expect(budget.time == PruneBudget.range.upperBound)
    budget.record(.milliseconds(400))
    #expect(budget.time < .milliseconds(4))
    for _ in 0..<100 { budget.record(.seconds(1)) }
    #expect(budget.time == PruneBudget.range.lowerBound)
    // Where commits take as long as the deleting, both together come to what is wanted.
    for _ in 0..<100 { budget.record(budget.time + budget.time) }
    #expect(abs((budget.time * 2 - PruneBudget.wanted).nanoseconds) < 1_000_000)
  }

  /// A clock on which each reading takes a while, as if the disk were slow.
  private final class SlowClock: HostClock {
    private let base: SteppedHostClock
    private let tick: Atomic<Int64>

    init(_ base: SteppedHostClock) {
      self.base = base
      tick = Atomic(0)
    }

    /// µs that pass with each reading of the monotonic clock.
    func set(_ tick: Int64) { self.tick.store(tick, ordering: .relaxed) }

    func monotonicNow() -> MonotonicTime {
      base.advance(by: .microseconds(tick.load(ordering: .relaxed)))
      return base.monotonicNow()
    }
    func wallNow() -> WallTime { base.wallNow() }
    func suspendedTotal() -> Duration { base.suspendedTotal() }
  }

  @Test func transactionEndsWhenItsTimeIsOver() throws {
    let fixture = try StoreFixture()
    _ = try record(fixture, hours: 12)
    fixture.store.close()
    let clock = SlowClock(fixture.clock)
    let store = try CollectorStore.open(
      at: fixture.directory.storePath, clock: clock, options: .init(bootID: StoreFixture.bootID))
    defer { store.close() }
    try store.markPruned(samplesBefore: fixture.clock.wallNow())
    let notifications = try count(store, "sample")
    var budget = PruneBudget()
    var (steps, longest) = (0, Duration.zero)
    // Slow, slower, and fast again: no transaction has the store for longer than wanted, and fast ones delete more.
    var rows: [Int64: Int] = [:]
    for tick: Int64 in [2_000, 8_000, 100] {
      clock.set(tick)
      for _ in 0..<12 {
        let step = try store.prune(.keepAll, within: budget.time)
        guard step.rows > 0 else { break }
        // The portion that was begun is deleted to its end.
        #expect(step.held <= budget.time + .microseconds(2 * tick), "\(tick)")
        longest = max(longest, step.held)
        budget.record(step.held)
        rows[tick] = max(rows[tick] ?? 0, step.rows)
        steps += 1
      }
    }
    #expect(longest < .milliseconds(40))
    #expect(rows[8_000] ?? .max < rows[100] ?? 0)
    clock.set(0)
    while try store.prune(.keepAll, within: .milliseconds(1)).isMore { steps += 1 }
    #expect(steps > 10 && notifications > 2_000)
    #expect(try count(store, "sample") < 400)
  }

  @Test func withdrawnPlansLeaveNoTrace() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 10)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: [plans[0].asSent])
    // The last six are planned once more, at other instants; one that was sent meanwhile stays.
    fixture.clock.advance(by: .seconds(1))
    let again = fixture.plans(fixture.alpha, from: 5, count: 2)
    _ = try fixture.store.commit(
      WriteBatch(run: fixture.run, withdrawn: [plans[0].id] + plans[4...].map(\.id), inserted: again))
    #expect(try count(fixture.store, "sample") == 6)
    #expect(try fixture.store.sample(again[0].id)?.plannedAt == again[0].plannedAt)
    #expect(try fixture.store.sample(plans[0].id)?.state == .inFlight)
    let counts = try #require(try fixture.reader().run(fixture.run)).counts
    #expect(counts.planned == 6 && counts[.inFlight] == 1)
    try RollupTruth.check(fixture.store)
  }
}
