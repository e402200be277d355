import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
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
    let fixture = try StoreFixture()
    var alpha = fixture.plans(fixture.alpha, count: 10, interval: 1_000_000)
    let beta = fixture.plans(fixture.beta, count: 3, interval: 1_000_000)
    try fixture.commit(inserted: alpha + beta)
    alpha[0] = alpha[0].asDelivered()
    alpha[1] = alpha[1].asSent
    alpha[2] = alpha[2].asMissed(.lag)
    try fixture.commit(updated: Array(alpha[0...2]))
    let heartbeat = fixture.clock.wallNow()
    fixture.store.close()
    // Plans 1 to 6 of each target have come by now; 7 to 10 have not.
    fixture.clock.advance(by: .milliseconds(5500))

    let store = try fixture.reopened()
    #expect(
      store.recovered
        == RecoverySummary(runs: [RecoveredRun(run: fixture.run, interrupted: 7, removed: 4)]))
    #expect(
      try states(store, fixture.alpha)
        == [.delivered, .interrupted, .missed, .interrupted, .interrupted, .interrupted])
    #expect(try states(store, fixture.beta) == [.interrupted, .interrupted, .interrupted])
    #expect(try store.sample(alpha[1].id)?.scheduleLag == 57)

    let reader = try fixture.reader()
    let run = try #require(try reader.run(fixture.run))
    #expect(run.endReason?.word == .interrupted)
    #expect(run.endedAt == heartbeat)
    #expect(run.counts.planned == 9)
    #expect(run.counts.open == 0)
    #expect(run.counts[.interrupted] == 7)
    #expect(run.counts.sent == 2)
    let event = try #require(try reader.changes(Event.self, after: 0, limit: 10).rows.first)
    #expect(event.event.kind == .interrupted)
    #expect(event.event.count == 7)
    #expect(event.run == fixture.run)

    store.close()
    #expect(try fixture.reopened().recovered.isEmpty)
  }

  @Test func readersHearOfIt() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 5))
    let reader = try fixture.reader()
    let cursor = try reader.revision()
    fixture.store.close()
    fixture.clock.advance(by: .seconds(9))
    let store = try fixture.reopened()
    let changes = try reader.changedPoints(after: cursor, limit: 100)
    #expect(changes.rows.map(\.point.state) == Array(repeating: .interrupted, count: 5))
    #expect(try #require(try reader.run(fixture.run)).revision > cursor)
    store.close()
  }

  /// A plan that was settled ahead of its time (missed by a pause, say) keeps the numbers below it.
  @Test func leavesNoGapInTheSequence() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 6, interval: 1_000_000)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: [plans[3].asMissed(.retryAfter)])
    fixture.store.close()
    let store = try fixture.reopened()
    #expect(try states(store, fixture.alpha) == [.interrupted, .interrupted, .interrupted, .missed])
    store.close()
  }

  /// A row that says it was sent is kept, whatever the clock says.
  @Test func keepsWhatWasSent() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, from: 1, count: 3, interval: 3_600_000_000)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: [plans[2].asSent])
    fixture.store.close()
    let store = try fixture.reopened()
    #expect(try states(store, fixture.alpha) == [.interrupted, .interrupted, .interrupted])
    store.close()
  }

  @Test func afterAnotherBootGoesByTheWall() throws {
    let fixture = try StoreFixture()
    let hour: Int64 = 3_600_000_000
    try fixture.commit(
      inserted: fixture.plans(fixture.alpha, count: 4, interval: hour),
      anchors: [ClockAnchor(reading: fixture.clock)])
    fixture.store.close()
    // Half an hour later by the wall; the monotonic clock began anew.
    let rebooted = SteppedHostClock(
      monotonic: MonotonicTime(microseconds: 12_000_000),
      wall: fixture.clock.wallNow().advanced(byMicroseconds: hour / 2))
    let store = try CollectorStore.open(
      at: fixture.directory.storePath, clock: rebooted, options: .init(bootID: "another"))
    #expect(try states(store, fixture.alpha) == [.interrupted])
    #expect(store.recovered.removed == 3)
    store.close()
  }

  @Test func leavesClosedRunsAlone() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: plans.map { $0.asDelivered() })
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    fixture.store.close()
    let store = try fixture.reopened()
    #expect(store.recovered.isEmpty)
    #expect(try states(store, fixture.alpha) == [.delivered, .delivered, .delivered])
    #expect(try fixture.reader().latestRun()?.endReason?.word == .completed)
    store.close()
  }

  /// An orderly end takes back what the schedule was ahead, and leaves no number without a final state.
  @Test func anOrderlyEndSettlesToo() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 7)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: [plans[0].asDelivered(), plans[1].asSent, plans[3].asMissed(.stopping)])
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
    #expect(try states(fixture.store, fixture.alpha) == [.delivered, .interrupted, .interrupted, .missed])
    let reader = try fixture.reader()
    let counts = try #require(try reader.latestRun()).counts
    #expect(counts.planned == 4)
    #expect(counts.open == 0)
    #expect(try reader.changes(Event.self, after: 0, limit: 9).rows.map(\.event.count) == [2])
    // A receipt may still change such a row, and the counters follow.
    try fixture.commit(updated: [plans[1].asDelivered()])
    #expect(try reader.latestRun()?.counts[.delivered] == 2)
    #expect(try reader.latestRun()?.counts[.interrupted] == 1)
  }

  /// Whatever ends a run, nothing that may have gone out is taken back: not even when what was seen of it could not be
  /// recorded any more.
  @Test(arguments: [RunEndReason.completed, .stopped, .failed])
  func everyEndKeepsWhatMayHaveBeenSent(reason: RunEndReason) throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 8, interval: 100_000)
    try fixture.commit(inserted: plans)
    // Sending ended with the fourth; the run, much later.
    let sendingEnded = fixture.clock.monotonicNow() + .milliseconds(350)
    fixture.clock.advance(by: .seconds(12))
    try fixture.store.endRun(
      fixture.run, at: fixture.clock.wallNow(), reason: reason, sendingEnded: sendingEnded)
    #expect(
      try states(fixture.store, fixture.alpha) == [.interrupted, .interrupted, .interrupted, .interrupted])
    #expect(try fixture.reader().latestRun()?.counts[.interrupted] == 4)
  }

  /// The same rule as after a death.
  @Test func anEndThatDoesNotKnowWhenSendingEndedTakesNow() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 8, interval: 100_000))
    fixture.clock.advance(by: .milliseconds(450))
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .failed)
    #expect(try states(fixture.store, fixture.alpha).count == 5)
  }

  @Test func settlesEveryRunThatIsOpen() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 2))
    var generator = SeededGenerator(seed: 77)
    let second = RunID(at: fixture.clock.wallNow(), using: &generator)
    _ = try fixture.store.beginRun(StoreFixture.description(of: second, fixture.clock))
    fixture.store.close()
    fixture.clock.advance(by: .seconds(1))
    let store = try fixture.reopened()
    #expect(store.recovered.runs.map(\.run) == [fixture.run, second])
    #expect(store.recovered.runs.map(\.interrupted) == [2, 0])
    store.close()
  }

  /// The disk as a kill leaves it at every step of a run: whole, and every planned number with a state.
  @Test func survivesAKillAtAnyCommit() throws {
    let fixture = try StoreFixture()
    var open: [Sample] = []
    var planned = 0
    for step in 0..<12 {
      let plans = fixture.plans(fixture.alpha, from: Int64(planned + 1), count: 40, interval: 5_000)
      planned += 40
      open += plans
      let sent = open.prefix(20).map(\.asSent)
      try fixture.commit(inserted: plans)
      try fixture.commit(updated: sent)
      if step % 2 == 0 {
        try fixture.commit(updated: sent.map { $0.asDelivered() })
        open.removeFirst(20)
      }
      fixture.clock.advance(by: .milliseconds(100))
      let store = try fixture.reopened(try fixture.directory.killedCopy())
      defer { store.close() }
      let check = try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      #expect(check == ["ok"])
      let found = try states(store, fixture.alpha)
      #expect(found.count + store.recovered.removed == planned)
      #expect(!found.contains { !$0.isSettled })
    }
  }
}

@Suite struct DueTestTests {
  private func at(_ monotonic: Int64, _ wall: Int64) -> ClockAnchor {
    ClockAnchor(
      monotonic: MonotonicTime(microseconds: monotonic * 1_000_000),
      wall: WallTime(microseconds: wall * 1_000_000))
  }

  private func lastDue(
    boot: String, anchor: ClockAnchor, heartbeat: ClockAnchor, now: ClockAnchor
  ) -> Int64? {
    let test = DueTest(
      runBootID: "a", bootID: boot, anchor: anchor, heartbeat: heartbeat, now: now)
    return (0...100_000).last { test.mayHaveBeenSent(planned: Int64($0) * 1_000_000) }.map(Int64.init)
  }

  @Test func theSameBootGoesByTheMonotonicClock() {
    #expect(lastDue(boot: "a", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(130, 9000)) == 130)
  }

  /// A boot id that came back, as after restoring a virtual machine, is not believed against the clock.
  @Test func aClockThatWentBackIsAnotherBoot() {
    #expect(lastDue(boot: "a", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 5040)) == 200)
  }

  @Test func anotherBootGoesByTheWallAndAMargin() {
    // Until 5040, which is 140 on the run's clock, and a minute more.
    #expect(lastDue(boot: "b", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 5040)) == 200)
  }

  @Test func aWallClockSetBackIsOutweighedByTheHeartbeat() {
    #expect(lastDue(boot: "b", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 1000)) == 180)
  }
}
