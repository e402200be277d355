import GRDB
import Measurement

/// A run that nobody closed, as a start finds it.
struct OpenRun {
  struct Target {
    var id: TargetID
    /// Rows planned or in flight, by the counters.
    var openCount: Int64
  }

  var row: Int64
  var id: RunID
  var bootID: String
  var startedAt: WallTime
  /// The last tie between the clocks.
  var anchor: ClockAnchor
  /// Both clocks when the collector last wrote for the run.
  var heartbeat: ClockAnchor
  var targets: [Target]

  static func fetchAll(_ db: Database) throws -> [OpenRun] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT r.id, r.uuid, r.boot_id, r.started_at, r.started_monotonic_us, h.at, h.monotonic_us
        FROM run r LEFT JOIN heartbeat h ON h.run_id = r.id WHERE r.ended_at IS NULL ORDER BY r.id
        """
    ).compactMap { row in
      guard let id = RunID(row[1]) else { return nil }
      let start = ClockAnchor(
        monotonic: MonotonicTime(microseconds: row[4] as Int64), wall: WallTime(microseconds: row[3]))
      var heartbeat = start
      if let at = row[5] as Int64?, let monotonic = row[6] as Int64? {
        heartbeat = ClockAnchor(
          monotonic: MonotonicTime(microseconds: monotonic), wall: WallTime(microseconds: at))
      }
      return OpenRun(
        row: row[0], id: id, bootID: row[2], startedAt: start.wall,
        anchor: try lastAnchor(ofRun: row[0], db) ?? start, heartbeat: heartbeat,
        targets: try targets(ofRun: row[0], db))
    }
  }

  private static func lastAnchor(ofRun row: Int64, _ db: Database) throws -> ClockAnchor? {
    try Row.fetchOne(
      db, sql: "SELECT monotonic_us, at FROM anchor WHERE run_id = ? ORDER BY monotonic_us DESC LIMIT 1",
      arguments: [row]
    ).map {
      ClockAnchor(monotonic: MonotonicTime(microseconds: $0[0] as Int64), wall: WallTime(microseconds: $0[1]))
    }
  }

  static func targets(ofRun row: Int64, _ db: Database) throws -> [Target] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT t.id, sum(y.planned + y.in_flight) FROM target t JOIN tally y ON y.target_id = t.id
        WHERE t.run_id = ? GROUP BY t.id
        """,
      arguments: [row]
    ).map { Target(id: TargetID(rawValue: $0[0]), openCount: $0[1]) }
  }
}

/// A row whose end was open when its collector died.
struct OpenRow {
  var id: Int64
  var variant: VariantID
  var plannedMonotonic: Int64
  var standing: SampleStanding

  /// The open rows of a target, newest first.
  static func fetch(_ target: OpenRun.Target, _ db: Database) throws -> [OpenRow] {
    let statement = try RawStatement(
      db,
      """
      SELECT id, variant_id, planned_monotonic_us, state, schedule_lag_us IS NOT NULL, accept_us IS NOT NULL
      FROM sample
      WHERE id BETWEEN ?1 AND ?2
        AND state IN (\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue))
      ORDER BY id DESC LIMIT ?3
      """)
    statement.bind(target.id.sampleIDs.lowerBound, at: 1)
    statement.bind(target.id.sampleIDs.upperBound, at: 2)
    statement.bind(target.openCount, at: 3)
    var rows: [OpenRow] = []
    while try statement.step() {
      rows.append(
        OpenRow(
          id: statement.integer(0), variant: VariantID(rawValue: statement.integer(1)),
          plannedMonotonic: statement.integer(2),
          standing: SampleStanding(
            state: NotificationState(rawValue: Int(statement.integer(3))) ?? .planned,
            isSent: statement.integer(4) != 0, isAccepted: statement.integer(5) != 0)))
    }
    return rows
  }
}
