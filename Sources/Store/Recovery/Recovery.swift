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
      for run in runs { summary.runs.append(try settle(run, now: now, db, revision: &state.revision)) }
      try RecordWriter(db).store(revision: state.revision)
      return .commit
    }
    return summary
  }

  private func settle(
    _ run: OpenRun, now: ClockAnchor, _ db: Database, revision: inout Int64
  ) throws -> RecoveredRun {
    let test = DueTest(
      runBootID: run.bootID, bootID: bootID, anchor: run.anchor, heartbeat: run.heartbeat, now: now)
    var deltas = TallyDeltas()
    var result = RecoveredRun(run: run.id, interrupted: 0, removed: 0)
    for target in run.targets {
      try settle(target, test, db, revision: &revision, deltas: &deltas, result: &result)
    }
    let records = RecordWriter(db)
    try records.apply(deltas)
    let ended = max(run.heartbeat.wall, run.startedAt)
    try records.insert(
      [Event(at: ended, kind: .interrupted, count: result.interrupted, detail: detail(of: result))],
      revision: &revision, runRow: { _ in run.row })
    revision += 1
    try db.execute(
      sql: "UPDATE run SET ended_at = ?, end_reason = ?, revision = ? WHERE id = ?",
      arguments: [ended.microseconds, RunEndReason.interrupted.rawValue, revision, run.row])
    return result
  }

  private func detail(of result: RecoveredRun) -> String {
    "the collector ended without closing the run: \(result.interrupted) notifications without a known end, "
      + "\(result.removed) plans that were not due yet removed"
  }

  /// Goes through a target's open rows from the newest down. Plans that were not due are removed as long as nothing
  /// newer is left, so that the sequence keeps no gap; all others are interrupted. The counters say how many open rows
  /// there are, so that the search ends at the oldest and not at the run's first row.
  private func settle(
    _ target: OpenRun.Target, _ test: DueTest, _ db: Database, revision: inout Int64,
    deltas: inout TallyDeltas, result: inout RecoveredRun
  ) throws {
    let rows = try OpenRow.fetch(target, db)
    let interrupt = try RawStatement(db, "UPDATE sample SET state = ?2, revision = ?3 WHERE id = ?1")
    let remove = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    var tail = try Int64.fetchOne(
      db, sql: "SELECT max(id) FROM sample WHERE id BETWEEN ? AND ?",
      arguments: [target.id.sampleIDs.lowerBound, target.id.sampleIDs.upperBound])
    for row in rows {
      if row.id == tail, row.standing.state == .planned, !row.standing.isSent,
        !test.mayHaveBeenSent(planned: row.plannedMonotonic)
      {
        remove.bind(row.id, at: 1)
        try remove.run()
        deltas.remove(row.standing, target: target.id, variant: row.variant)
        result.removed += 1
        tail = row.id - 1
      } else {
        let settled = row.standing.interrupted
        revision += 1
        interrupt.bind(row.id, at: 1)
        interrupt.bind(settled.state.rawValue, at: 2)
        interrupt.bind(revision, at: 3)
        try interrupt.run()
        deltas.move(from: row.standing, to: settled, target: target.id, variant: row.variant)
        result.interrupted += 1
        tail = nil
      }
    }
  }
}

extension SampleStanding {
  fileprivate var interrupted: SampleStanding {
    SampleStanding(state: .interrupted, isSent: isSent, isAccepted: isAccepted)
  }
}
