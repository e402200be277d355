import GRDB
import Measurement

/// Computes how far retention may go.
enum RetentionMarks {
  /// The marks that a policy moves.
  struct Moves {
    /// Those by age.
    var aged: [RetainedKind: WallTime] = [:]
    /// The one because of the size; only where none moves by age and nothing is left to delete.
    var forced: (kind: RetainedKind, cut: WallTime)?
  }

  /// Size is that of the pages that stay used once the log is in the file. It goes down with what is deleted, and the log, which
  /// deleting makes longer, is not part of it.
  static func next(_ policy: RetentionPolicy, at now: WallTime, wall: WallTime, _ db: Database) throws
    -> Moves
  {
    let spans = try PrunedSpans.fetch(db)
    var moves = Moves()
    for (kind, age) in policy.ages {
      let time = now.advanced(byMicroseconds: -age.microseconds)
      let last = spans[kind] ?? .distantPast
      guard var cut = try cut(of: kind, before: time, db), cut > last else { continue }
      if policy.keepsWhatIsNotForwarded, let kept = try ForwardBacklog.oldest(kind, before: cut, db) {
        cut = min(cut, kept)
      }
      if cut > last { moves.aged[kind] = cut }
    }
    guard let limit = policy.maximumSize, moves.aged.isEmpty, try StoreSize.read(db).used > limit,
      try RetentionDeletion.next(policy, at: wall, db) == nil
    else { return moves }
    moves.forced = try oldest(before: min(now, wall) - RetentionClock.tolerance, db)
    return moves
  }

  /// The last whole hour before an instant that may go; `nil` when there is none.
  ///
  /// Notifications go only where the rollups of all lengths are complete, and rollups where those of the next length are.
  static func cut(of kind: RetainedKind, before time: WallTime, _ db: Database) throws -> WallTime? {
    var second = RollupSpan.hour.start(of: time.seconds)
    if kind == .samples || kind.span != nil {
      let whole = try RollupWatermarks.fetch(db).hour
      guard whole > .min else { return nil }
      second = min(second, whole)
    }
    return second <= 0 ? nil : WallTime(seconds: second)
  }

  /// What to delete next when the store is too large: the oldest hour of notifications, and when there are none to delete,
  /// the oldest of what takes the most space after them. Rows that a mark has passed wait for the fleet.
  /// - Parameter end: whole hours that end later stay, whatever the rollups say: these follow a wall clock that is wrong for a moment.
  static func oldest(before end: WallTime, _ db: Database) throws -> (RetainedKind, WallTime)? {
    let watermarks = try RollupWatermarks.fetch(db)
    let spans = try PrunedSpans.fetch(db)
    for kind in [RetainedKind.samples, .path, .receipts, .rollupSecond, .log, .rollupMinute, .events] {
      guard let first = try firstRow(of: kind, db) else { continue }
      let hour = RollupSpan.hour.start(of: first.seconds) + 3600
      // Whole hours only, and never the present one or the one before.
      guard watermarks.hour > .min, hour <= watermarks.hour else { continue }
      let cut = WallTime(seconds: hour)
      // Rows before a mark that is in the future stay until then.
      guard cut <= end, spans[kind] ?? .distantPast <= end else { continue }
      return (kind, cut)
    }
    return nil
  }

  private static func firstRow(of kind: RetainedKind, _ db: Database) throws -> WallTime? {
    let sql: String
    switch kind {
    case .samples:
      sql = """
        SELECT planned_at FROM sample INDEXED BY sample_planned_at
        WHERE state NOT IN (\(RetentionDeletion.openStates)) ORDER BY planned_at LIMIT 1
        """
    case .rollupSecond, .rollupMinute, .rollupHour:
      sql =
        "SELECT start * 1000000 FROM rollup WHERE span = \(kind.span?.rawValue ?? 0) ORDER BY start LIMIT 1"
    default:
      guard let (table, time) = kind.rowsInOrder else { return nil }
      sql = "SELECT \(time) FROM \(table) ORDER BY revision LIMIT 1"
    }
    let statement = try RawStatement(db, sql)
    defer { statement.reset() }
    return try statement.step() ? WallTime(microseconds: statement.integer(0)) : nil
  }
}
