import Foundation
import GRDB
import Measurement
import Testing

@testable import Store

/// What a start makes of a run that nobody closed.
@Suite struct RecoveryTests {
  /// The states of a target by sequence number, which must have no gap.
  private func states(_ store: CollectorStore, _ target: TargetID) throws -> [NotificationState] {
    let rows = try store.queue.read { db in
      try Row.fetchAll(
        db, sql: "SELECT id & 0xFFFFFFFFFF, state FROM sample WHERE id >> 40 = ? ORDER BY id",
        arguments: [target.rawValue])
    }
    #expect(rows.map { $0[0] as Int64 } == Array(1...Int64(max(1, rows.count))).prefix(rows.count).map { $0 })
    return rows.compactMap { NotificationState(rawValue: $0[1]) }
  }

  @Test func settlesWhatWasDueAndTakesBackWhatWasNot() throws {
    let bench = try Bench()
    var alpha = bench.plans(bench.alpha, count: 10, interval: 1_000_000)
    let beta = bench.plans(bench.beta, count: 3, interval: 1_000_000)
    try bench.commit(inserted: alpha + beta)
    alpha[0] = alpha[0].asDelivered()
    alpha[1] = alpha[1].asSent
    alpha[2] = alpha[2].asMissed(.lag)
    try bench.commit(updated: Array(alpha[0...2]))
    let heartbeat = bench.clock.wallNow()
    bench.store.close()
    // Plans 1 to 6 of each target have come by now; 7 to 10 have not.
    bench.clock.advance(seconds: 5.5)

    let store = try bench.reopened()
    #expect(
      store.recovered
        == RecoverySummary(runs: [RecoveredRun(run: bench.run, interrupted: 7, removed: 4)]))
    #expect(
      try states(store, bench.alpha)
        == [.delivered, .interrupted, .missed, .interrupted, .interrupted, .interrupted])
    #expect(try states(store, bench.beta) == [.interrupted, .interrupted, .interrupted])
    #expect(try store.sample(alpha[1].id)?.scheduleLag == 57)

    let reader = try bench.reader()
    let run = try #require(try reader.run(bench.run))
    #expect(run.endReason == .interrupted)
    #expect(run.endedAt == heartbeat)
    #expect(run.counts.planned == 9)
    #expect(run.counts.open == 0)
    #expect(run.counts[.interrupted] == 7)
    #expect(run.counts.sent == 2)
    let event = try #require(try reader.events(after: 0, limit: 10).rows.first)
    #expect(event.event.kind == .interrupted)
    #expect(event.event.count == 7)
    #expect(event.run == bench.run)

    store.close()
    #expect(try bench.reopened().recovered.isEmpty)
  }

  @Test func readersHearOfIt() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 5))
    let reader = try bench.reader()
    let cursor = try reader.revision()
    bench.store.close()
    bench.clock.advance(seconds: 9)
    let store = try bench.reopened()
    let changes = try reader.changedPoints(after: cursor, limit: 100)
    #expect(changes.rows.map(\.state) == Array(repeating: .interrupted, count: 5))
    #expect(try #require(try reader.run(bench.run)).revision > cursor)
    store.close()
  }

  /// A plan that was settled ahead of its time (missed by a pause, say) keeps the numbers below it.
  @Test func leavesNoGapInTheSequence() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 6, interval: 1_000_000)
    try bench.commit(inserted: plans)
    try bench.commit(updated: [plans[3].asMissed(.retryAfter)])
    bench.store.close()
    let store = try bench.reopened()
    #expect(try states(store, bench.alpha) == [.interrupted, .interrupted, .interrupted, .missed])
    store.close()
  }

  /// A row that says it was sent is kept, whatever the clock says.
  @Test func keepsWhatWasSent() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, from: 1, count: 3, interval: 3_600_000_000)
    try bench.commit(inserted: plans)
    try bench.commit(updated: [plans[2].asSent])
    bench.store.close()
    let store = try bench.reopened()
    #expect(try states(store, bench.alpha) == [.interrupted, .interrupted, .interrupted])
    store.close()
  }

  @Test func afterAnotherBootGoesByTheWall() throws {
    let bench = try Bench()
    let hour: Int64 = 3_600_000_000
    try bench.commit(
      inserted: bench.plans(bench.alpha, count: 4, interval: hour),
      anchors: [ClockAnchor(reading: bench.clock)])
    bench.store.close()
    // Half an hour later by the wall; the monotonic clock began anew.
    let rebooted = SteppedClock(monotonic: 12_000_000, wall: SteppedClock.start.wall + hour / 2)
    let store = try CollectorStore.open(
      at: bench.scratch.store, clock: rebooted, options: .init(bootID: "another"))
    #expect(try states(store, bench.alpha) == [.interrupted])
    #expect(store.recovered.removed == 3)
    store.close()
  }

  @Test func leavesClosedRunsAlone() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 3)
    try bench.commit(inserted: plans)
    try bench.commit(updated: plans.map { $0.asDelivered() })
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .completed)
    bench.store.close()
    let store = try bench.reopened()
    #expect(store.recovered.isEmpty)
    #expect(try states(store, bench.alpha) == [.delivered, .delivered, .delivered])
    #expect(try bench.reader().latestRun()?.endReason == .completed)
    store.close()
  }

  /// An orderly end takes back what the schedule was ahead, and leaves no number without a final state.
  @Test func anOrderlyEndSettlesToo() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 7)
    try bench.commit(inserted: plans)
    try bench.commit(updated: [plans[0].asDelivered(), plans[1].asSent, plans[3].asMissed(.stopping)])
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .stopped)
    #expect(try states(bench.store, bench.alpha) == [.delivered, .interrupted, .interrupted, .missed])
    let reader = try bench.reader()
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts.planned == 4)
    #expect(counts.open == 0)
    #expect(try reader.events(after: 0, limit: 9).rows.map(\.event.count) == [2])
    // A receipt may still change such a row, and the counters follow.
    try bench.commit(updated: [plans[1].asDelivered()])
    #expect(try reader.latestRun()?.counts[.delivered] == 2)
    #expect(try reader.latestRun()?.counts[.interrupted] == 1)
  }

  /// Whatever ends a run, nothing that may have gone out is taken back: not even when what was seen of it could not be
  /// recorded any more.
  @Test(arguments: [RunEndReason.completed, .stopped, .failed])
  func everyEndKeepsWhatMayHaveBeenSent(reason: RunEndReason) throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 8, interval: 100_000)
    try bench.commit(inserted: plans)
    // Sending ended with the fourth; the run, much later.
    let sendingEnded = bench.clock.monotonicNow() + .milliseconds(350)
    bench.clock.advance(seconds: 12)
    try bench.store.endRun(
      bench.run, at: bench.clock.wallNow(), reason: reason, sendingEnded: sendingEnded)
    #expect(
      try states(bench.store, bench.alpha) == [.interrupted, .interrupted, .interrupted, .interrupted])
    #expect(try bench.reader().latestRun()?.counts[.interrupted] == 4)
  }

  /// The same rule as after a death.
  @Test func anEndThatDoesNotKnowWhenSendingEndedTakesNow() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 8, interval: 100_000))
    bench.clock.advance(seconds: 0.45)
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .failed)
    #expect(try states(bench.store, bench.alpha).count == 5)
  }

  @Test func settlesEveryRunThatIsOpen() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 2))
    var generator = SeededGenerator(seed: 77)
    let second = RunID(at: bench.clock.wallNow(), using: &generator)
    _ = try bench.store.beginRun(Bench.description(of: second, bench.clock))
    bench.store.close()
    bench.clock.advance(seconds: 1)
    let store = try bench.reopened()
    #expect(store.recovered.runs.map(\.run) == [bench.run, second])
    #expect(store.recovered.runs.map(\.interrupted) == [2, 0])
    store.close()
  }

  /// The disk as a kill leaves it at every step of a run: whole, and every planned number with a state.
  @Test func survivesAKillAtAnyCommit() throws {
    let bench = try Bench()
    var open: [Sample] = []
    var planned = 0
    for step in 0..<12 {
      let plans = bench.plans(bench.alpha, from: Int64(planned + 1), count: 40, interval: 5_000)
      planned += 40
      open += plans
      let sent = open.prefix(20).map(\.asSent)
      try bench.commit(inserted: plans)
      try bench.commit(updated: sent)
      if step % 2 == 0 {
        try bench.commit(updated: sent.map { $0.asDelivered() })
        open.removeFirst(20)
      }
      bench.clock.advance(seconds: 0.1)
      let store = try bench.reopened(try bench.scratch.killedCopy())
      defer { store.close() }
      let check = try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      #expect(check == ["ok"])
      let found = try states(store, bench.alpha)
      #expect(found.count + store.recovered.removed == planned)
      #expect(!found.contains { !$0.isSettled })
    }
  }
}
