import GRDB
import Measurement

/// Gives every open row of a finished run a final state, or removes it if it was never due.
struct OpenRowSettlement {
  private(set) var interrupted = 0
  private(set) var removed = 0

  /// Visits each target's open rows, newest first. Plans that cannot have been sent are removed from the end of the
  /// sequence, so that it has no gap; all other open rows become interrupted. The number of open rows is known from the
  /// counters, so the search ends at the oldest one.
  ///
  /// - Parameter mayHaveBeenSent: decides about rows in the state `planned`, by their planned monotonic µs.
  mutating func settle(
    run row: Int64, _ db: Database, state: inout WriterState, mayHaveBeenSent: (Int64) -> Bool
  ) throws {
    var deltas = CounterDeltas()
    var rollups = try RollupChanges(watermarks: state.rollupWatermarks(db))
    let interrupt = try RawStatement(db, "UPDATE sample SET state = ?2, revision = ?3 WHERE id = ?1")
    let remove = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    for target in try OpenRow.targets(ofRun: row, db) where target.openCount > 0 {
      var tail = try target.id.lastSample(db)
      for open in try OpenRow.fetch(target.id, count: target.openCount, db) {
        let before = rollups.concern(open.plannedAt) ? try RollupContribution.stored(open.id, db) : nil
        if open.id == tail, open.flags.isOnlyPlanned, !mayHaveBeenSent(open.plannedMonotonic) {
          remove.bind(open.id.rawValue, at: 1)
          try remove.run()
          deltas.remove(open.flags, target: target.id, variant: open.variant)
          if let before { rollups.add(before, -1) }
          removed += 1
          tail = SampleID(rawValue: open.id.rawValue - 1)
        } else {
          let settled = open.flags.interrupted
          state.revision += 1
          interrupt.bind(open.id.rawValue, at: 1)
          interrupt.bind(settled.state.rawValue, at: 2)
          interrupt.bind(state.revision, at: 3)
          try interrupt.run()
          state.sampleStates.update(settled, for: open.id)
          deltas.move(from: open.flags, to: settled, target: target.id, variant: open.variant)
          if let before { rollups.move(from: before, to: before.with(settled)) }
          interrupted += 1
          tail = nil
        }
      }
    }
    try rollups.apply(db)
    try RecordWriter(db).apply(deltas)
  }
}

extension SampleStateFlags {
  fileprivate var isOnlyPlanned: Bool { state == .planned && !isSent }

  fileprivate var interrupted: SampleStateFlags {
    SampleStateFlags(state: .interrupted, isSent: isSent, isAccepted: isAccepted)
  }
}

extension TargetID {
  fileprivate func lastSample(_ db: Database) throws -> SampleID? {
    try Int64.fetchOne(
      db, sql: "SELECT max(id) FROM sample WHERE id BETWEEN ? AND ?",
      arguments: [sampleIDs.lowerBound, sampleIDs.upperBound]
    ).map(SampleID.init(rawValue:))
  }
}

/// A row in the state `planned` or `in_flight`.
struct OpenRow {
  var id: SampleID
  var variant: VariantID
  var plannedAt: WallTime
  var plannedMonotonic: Int64
  var flags: SampleStateFlags

  /// The open rows of a target, newest first.
  /// - Parameter count: their number, from the counters.
  static func fetch(_ target: TargetID, count: Int64, _ db: Database) throws -> [OpenRow] {
    let statement = try RawStatement(
      db,
      """
      SELECT id, variant_id, planned_monotonic_us, state, schedule_lag_us IS NOT NULL, accept_us IS NOT NULL,
        planned_at
      FROM sample
      WHERE id BETWEEN ?1 AND ?2
        AND state IN (\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue))
      ORDER BY id DESC LIMIT ?3
      """)
    statement.bind(target.sampleIDs.lowerBound, at: 1)
    statement.bind(target.sampleIDs.upperBound, at: 2)
    statement.bind(count, at: 3)
    var rows: [OpenRow] = []
    while try statement.step() {
      rows.append(
        OpenRow(
          id: SampleID(rawValue: statement.integer(0)), variant: VariantID(rawValue: statement.integer(1)),
          plannedAt: WallTime(microseconds: statement.integer(6)), plannedMonotonic: statement.integer(2),
          flags: SampleStateFlags(
            state: NotificationState(rawValue: Int(statement.integer(3))) ?? .planned,
            isSent: statement.integer(4) != 0, isAccepted: statement.integer(5) != 0)))
    }
    return rows
  }

  /// The targets of a run with the number of their open rows, from the counters.
  static func targets(ofRun row: Int64, _ db: Database) throws -> [(id: TargetID, openCount: Int64)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT t.id, sum(y.planned + y.in_flight) FROM target t JOIN tally y ON y.target_id = t.id
        WHERE t.run_id = ? GROUP BY t.id ORDER BY t.id
        """,
      arguments: [row]
    ).map { (id: TargetID(rawValue: $0[0]), openCount: $0[1]) }
  }
}
