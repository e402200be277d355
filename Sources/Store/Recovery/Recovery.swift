import GRDB
import Measurement

/// Settles what runs left behind whose collector died: each of their planned numbers gets a state, or was never due
/// and goes. Run at each start, under the lock, in one transaction.
struct Recovery {
  let clock: any HostClock
  /// This boot's.
  let bootID: String

  func run(_ db: Database, state: inout WriterState) throws -> RecoverySummary {
    let runs = try OpenRun.fetchAll(db)
    guard !runs.isEmpty else { return RecoverySummary() }
    let now = ClockAnchor(reading: clock)
    var summary = RecoverySummary()
    try db.inTransaction(.immediate) {
      for run in runs { summary.runs.append(try settle(run, now: now, db, state: &state)) }
      try RecordWriter(db).store(revision: state.revision)
      return .commit
    }
    return summary
  }

  private func settle(
    _ run: OpenRun, now: ClockAnchor, _ db: Database, state: inout WriterState
  ) throws -> RecoveredRun {
    let test = DueTest(
      runBootID: run.bootID, bootID: bootID, anchor: run.anchor, heartbeat: run.heartbeat, now: now)
    var settlement = OpenRowSettlement()
    try settlement.settle(run: run.row, db, state: &state) { test.mayHaveBeenSent(planned: $0) }
    let ended = max(run.heartbeat.wall, run.startedAt)
    let event = Event(
      at: ended, kind: .interrupted, count: settlement.interrupted,
      detail:
        "the collector ended without closing the run: \(CountText.text(settlement.interrupted, "notification")) without a "
        + "known end, \(CountText.text(settlement.removed, "plan")) not due yet removed")
    try RecordWriter(db).insert([event], revision: &state.revision) { _ in run.row }
    try RecordWriter(db).end(run: run.row, at: ended, reason: .interrupted, revision: &state.revision)
    return RecoveredRun(run: run.id, interrupted: settlement.interrupted, removed: settlement.removed)
  }
}
