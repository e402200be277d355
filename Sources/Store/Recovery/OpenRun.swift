import GRDB
import Measurement

/// A run that nobody closed, as a start finds it.
struct OpenRun {
  var row: Int64
  var id: RunID
  var bootID: String
  var startedAt: WallTime
  /// The last tie between the clocks.
  var anchor: ClockAnchor
  /// Both clocks when the collector last wrote for the run.
  var heartbeat: ClockAnchor

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
        anchor: try lastAnchor(ofRun: row[0], db) ?? start, heartbeat: heartbeat)
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
}
