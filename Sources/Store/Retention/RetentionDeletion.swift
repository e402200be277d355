import GRDB
import Measurement

/// The next rows that a mark says to delete.
struct RetentionDeletion {
  let kind: RetainedKind
  let before: WallTime
  /// The revision up to which rows go because they are forwarded; `nil` where none waits for that.
  let forwarded: Int64?
  let forced: PrunedSpans.Forced

  static let openStates = "\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue)"

  /// Rows in the order of time are looked at from the oldest on. Rows of a clock that was wrong for a while may be between
  /// others, so that some are looked at before it is taken that there is nothing to delete.
  private static let lookahead = 100
  /// Notifications before a mark are there only while they wait for the fleet: others may be behind them.
  private static let mostWaiting = 10_000

  static func next(_ policy: RetentionPolicy, at wall: WallTime, _ db: Database) throws -> RetentionDeletion?
  {
    try next(policy, PrunedSpans.fetch(db), at: wall, db)
  }

  /// Whether there are rows to delete once some marks have moved.
  static func isAny(
    _ policy: RetentionPolicy, after moves: RetentionMarks.Moves, at wall: WallTime, _ db: Database
  ) throws -> Bool {
    if moves.forced != nil { return true }
    var spans = try PrunedSpans.fetch(db)
    for (kind, cut) in moves.aged { spans.advance(kind, to: cut) }
    return try Self.next(policy, spans, at: wall, db) != nil
  }

  /// Skips marks that lie in the future of the wall clock: a clock that was ahead made them, and rows recorded now are before them
  /// without being old. What a clock that was behind recorded before a mark waits for the fleet as other rows do.
  private static func next(
    _ policy: RetentionPolicy, _ spans: PrunedSpans, at wall: WallTime, _ db: Database
  ) throws -> RetentionDeletion? {
    let forwarded = policy.keepsWhatIsNotForwarded ? try ForwardCursor.currentRevision(db) : nil
    // Receipts before the notifications that they belong to: they are found by their order then.
    for kind in [
      RetainedKind.receipts, .samples, .rollupSecond, .rollupMinute, .rollupHour, .path, .log, .events,
      .clock,
      .findings,
    ] {
      guard let before = spans[kind], before <= wall else { continue }
      let deletion = RetentionDeletion(
        kind: kind, before: before, forwarded: kind.staysOnHost ? nil : forwarded, forced: spans.forced(kind))
      if try deletion.hasRows(db) { return deletion }
    }
    return nil
  }

  private func hasRows(_ db: Database) throws -> Bool {
    let statement = try RawStatement(db, "SELECT EXISTS (\(selection(of: "0")))")
    bind(statement, limit: 1)
    defer { statement.reset() }
    return try statement.step() && statement.integer(0) != 0
  }

  private func bind(_ statement: RawStatement, limit: Int) {
    statement.bind(before.microseconds, at: 1)
    statement.bind(limit, at: 2)
    // A statement without these ignores them.
    statement.bind(forwarded ?? 0, at: 3)
    statement.bind(forced.before.microseconds, at: 4)
    statement.bind(forced.through, at: 5)
    statement.bind(Int64.min, at: 6)
  }

  /// SQL that is true of a row that goes: its revision is up to ?3, or up to ?5 where it is older than ?4.
  private func goes(at time: String, unless waiting: String = "0") -> String {
    forwarded == nil
      ? "1" : "((revision <= ?3 AND NOT \(waiting)) OR (\(time) < ?4 AND revision <= ?5))"
  }

  /// Selects rows to delete; ?1 is the mark in µs, ?2 how many, ?6 the time in µs from which notifications are looked at.
  private func selection(of column: String) -> String {
    switch kind {
    case .samples:
      // A receipt goes with its notification.
      let waiting = "EXISTS (SELECT 1 FROM receipt r WHERE r.sample_id = id AND r.revision > ?3)"
      return """
        SELECT \(column) FROM (SELECT id, revision, planned_at FROM sample INDEXED BY sample_planned_at
          WHERE planned_at >= ?6 AND planned_at < ?1 AND state NOT IN (\(Self.openStates))
          ORDER BY planned_at LIMIT ?2 + \(Self.mostWaiting)) WHERE \(goes(at: "planned_at", unless: waiting)) LIMIT ?2
        """
    case .rollupSecond, .rollupMinute, .rollupHour:
      return """
        SELECT \(column) FROM rollup WHERE span = \(kind.span?.rawValue ?? 0) AND start < ?1 / 1000000
        ORDER BY start LIMIT ?2
        """
    case .findings:
      return
        "SELECT \(column) FROM finding WHERE started_at < ?1 AND ended_at < ?1 AND \(goes(at: "ended_at")) LIMIT ?2"
    case .receipts, .path, .log, .events, .clock:
      guard let (table, time) = kind.rowsInOrder else { return "SELECT 1 WHERE 0" }
      return """
        SELECT \(column) FROM (SELECT revision, \(time) AS at FROM \(table)
          ORDER BY revision LIMIT ?2 + \(Self.lookahead)) WHERE at < ?1 AND \(goes(at: "at")) LIMIT ?2
        """
    }
  }

  /// Rows that are deleted before the time is looked at: less than a millisecond where they are in memory.
  private static let portion = 32

  /// Deletes rows, oldest first.
  /// - Parameters:
  ///   - limit: about how many.
  ///   - goesOn: asked after every few rows.
  func step(_ db: Database, limit: Int, while goesOn: () -> Bool) throws -> (rows: Int, samples: Int) {
    if kind == .samples { return try deleteSamples(db, limit: limit, while: goesOn) }
    let delete = try deletion(db)
    var rows = 0
    repeat {
      let next = min(limit - rows, Self.portion)
      let deleted = try delete(next)
      rows += deleted
      if deleted < next { break }
    } while rows < limit && goesOn()
    return (rows, 0)
  }

  /// Deletes a portion of the rows of any other kind than notifications, and returns how many they were.
  private func deletion(_ db: Database) throws -> (_ limit: Int) throws -> Int {
    let sql: String
    switch kind {
    case .samples: return { _ in 0 }
    case .rollupSecond, .rollupMinute, .rollupHour:
      // By their whole key, in its order: of a thousand targets a single span is a thousand rows.
      sql = """
        DELETE FROM rollup WHERE (span, start, target_id, variant_id) IN (
          SELECT span, start, target_id, variant_id FROM rollup
          WHERE span = \(kind.span?.rawValue ?? 0) AND start < ?1 / 1000000
          ORDER BY span, start, target_id, variant_id LIMIT ?2)
        """
    case .findings: sql = "DELETE FROM finding WHERE rowid IN (\(selection(of: "rowid")))"
    case .receipts, .path, .log, .events, .clock:
      guard let (table, _) = kind.rowsInOrder else { return { _ in 0 } }
      sql = "DELETE FROM \(table) WHERE revision IN (\(selection(of: "revision")))"
    }
    let statement = try RawStatement(db, sql)
    return { limit in
      bind(statement, limit: limit)
      try statement.run()
      return db.changesCount
    }
  }

  private func deleteSamples(
    _ db: Database, limit: Int, while goesOn: () -> Bool
  ) throws -> (rows: Int, samples: Int) {
    let select = try RawStatement(db, selection(of: "id, planned_at"))
    let receipts = try RawStatement(db, "DELETE FROM receipt WHERE sample_id = ?1")
    let samples = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    var deleted = (rows: 0, samples: 0)
    // Those before stay.
    var start = Int64.min
    repeat {
      bind(select, limit: min(limit - deleted.samples, Self.portion))
      select.bind(start, at: 6)
      var ids: [Int64] = []
      while try select.step() {
        ids.append(select.integer(0))
        start = select.integer(1)
      }
      select.reset()
      if ids.isEmpty { break }
      // Neighbors in the table one after the other.
      ids.sort()
      for id in ids {
        receipts.bind(id, at: 1)
        try receipts.run()
        deleted.rows += db.changesCount
        samples.bind(id, at: 1)
        try samples.run()
      }
      deleted.samples += ids.count
      deleted.rows += ids.count
    } while deleted.samples < limit && goesOn()
    return deleted
  }
}
