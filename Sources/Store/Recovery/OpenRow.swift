import GRDB
import Measurement

/// A row whose end is open.
struct OpenRow {
  var id: SampleID
  var variant: VariantID
  var plannedAt: WallTime
  var plannedMonotonic: Int64
  var standing: SampleStateFlags

  /// The open rows of a target, newest first.
  /// - Parameter count: how many there are, by the counters.
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
          standing: SampleStateFlags(
            state: NotificationState(rawValue: Int(statement.integer(3))) ?? .planned,
            isSent: statement.integer(4) != 0, isAccepted: statement.integer(5) != 0)))
    }
    return rows
  }

  /// The targets of a run with the number of their open rows, by the counters.
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
