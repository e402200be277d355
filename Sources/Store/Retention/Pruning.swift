import GRDB
import Measurement

extension CollectorStore {
  /// Rows that a transaction deletes at most, whatever the time.
  public static let mostPruned = 20_000

  /// Deletes a part of what retention does not keep, in at most two short transactions.
  ///
  /// Only notifications with a final state go, in whole hours that are rolled up. What a mark in the store says to be deleted
  /// is deleted whatever ages the policy has: a step that was interrupted by a crash goes on.
  ///
  /// A deletion is written to the log first, and makes nothing smaller before a checkpoint. While a reader pins the log, nothing
  /// is deleted.
  ///
  /// - Parameters:
  ///   - now: the time from which ages count; `nil` for that of the wall clock.
  ///   - waitsForLog: whether a pinned log is waited for.
  ///   - limit: about how many rows to delete.
  ///   - time: commit once so much time has passed; looked at after every few rows.
  /// - Throws: ``StoreError``. The step that failed deleted nothing.
  public func prune(
    _ policy: RetentionPolicy, at now: WallTime? = nil, atMost limit: Int = CollectorStore.mostPruned,
    within time: Duration, waitsForLog: Bool = true
  ) throws -> PruneStep {
    var step = PruneStep()
    let wall = clock.wallNow()
    let now = now ?? wall
    if waitsForLog, try isLogPinned() {
      step.isWaiting = try read {
        try Deletion.isAny(policy, after: RetentionMarks.next(policy, at: now, wall: wall, $0), at: wall, $0)
      }
      return step
    }
    if !policy.keepsAll { step.forced = try advanceMarks(policy, at: now) }
    let deletion = try read { try Deletion.next(policy, at: wall, $0) }
    var begun: MonotonicTime?
    if let deletion {
      try transaction { db, _ in
        let start = clock.monotonicNow()
        begun = start
        (step.rows, step.samples) = try deletion.step(db, limit: limit) {
          clock.monotonicNow() - start < time
        }
        step.isMore = true
      }
    } else if let surplus = try surplusPages() {
      try transaction { db, _ in
        let start = clock.monotonicNow()
        begun = start
        let most = min(surplus, Int64(max(1, limit / 4)))
        step.pages = try giveBack(most, db) { clock.monotonicNow() - start < time }
        step.isMore = true
      }
    }
    if let begun { step.held = clock.monotonicNow() - begun }
    return step
  }

  /// Marks the notifications planned before an instant, rounded down to a whole hour, as deleted. ``prune(_:atMost:)`` then
  /// deletes them, also those that no fleet has.
  ///
  /// - Returns: the instant that it came to: only what is rolled up can go. `nil` when there is nothing to delete.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func markPruned(samplesBefore time: WallTime) throws -> WallTime? {
    guard let cut = try read({ try RetentionMarks.cut(of: .samples, before: time, $0) }) else { return nil }
    try mark([.samples: cut], isForced: true)
    return cut
  }

  /// - Parameter isForced: whether rows go that are not forwarded, too.
  private func mark(_ cuts: [RetainedKind: WallTime], isForced: Bool) throws {
    try transaction { db, state in
      let forced = isForced ? state.revision : nil
      var spans = try PrunedSpans.fetch(db)
      for (kind, cut) in cuts { try spans.advance(kind, to: cut, forcedThrough: forced, db) }
      // Those that arrived before belong to notifications that were planned before; they are found by their order.
      if let samples = cuts[.samples] {
        try spans.advance(.receipts, to: samples, forcedThrough: forced, db)
      }
      // The marks are part of what the writer knows of rollups.
      state.set(try RollupWatermarks.fetch(db))
    }
  }

  /// - Returns: what goes because of the store's size only, in words.
  private func advanceMarks(_ policy: RetentionPolicy, at now: WallTime) throws -> String? {
    let next = try read { try RetentionMarks.next(policy, at: now, wall: clock.wallNow(), $0) }
    if !next.aged.isEmpty { try mark(next.aged, isForced: false) }
    guard let (kind, cut) = next.forced else { return nil }
    let isLost = try read { db in
      try policy.keepsWhatIsNotForwarded
        && (kind == .samples ? [kind, .receipts] : [kind]).contains {
          try ForwardBacklog.oldest($0, before: cut, db) != nil
        }
    }
    try mark([kind: cut], isForced: true)
    guard kind == .samples || isLost else { return nil }
    let words =
      "the store reached maximum_size: "
      + (kind == .samples ? "notifications planned" : "rows of \(kind.rawValue)")
      + " before \(cut.rfc3339) are deleted"
      + (isLost ? ", and some of them were not forwarded to the fleet" : "")
    try record([Event(at: clock.wallNow(), kind: .pruned, detail: words)], run: nil)
    return words
  }

  /// Unused pages beyond those that stay for what comes next; `nil` where there are none, or where the store was not made to
  /// give pages back.
  private func surplusPages() throws -> Int64? {
    let size = try read { try StoreSize.read($0) }
    guard size.givesBack, size.freePages > size.reserve else { return nil }
    return size.freePages - size.reserve
  }

  /// Gives unused pages back to the file system.
  /// - Parameter goesOn: asked after every few pages.
  /// - Returns: how many.
  private func giveBack(_ most: Int64, _ db: Database, while goesOn: () -> Bool) throws -> Int {
    var pages: Int64 = 0
    repeat {
      let next = min(most - pages, 16)
      try db.execute(sql: "PRAGMA incremental_vacuum(\(next))")
      pages += next
    } while pages < most && goesOn()
    return Int(pages)
  }
}

/// Computes how far retention may go.
enum RetentionMarks {
  /// The marks that a policy moves.
  struct Moves {
    /// Those by age.
    var aged: [RetainedKind: WallTime] = [:]
    /// Because of the store's size; only where none moves by age and nothing is left to delete.
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
      try Deletion.next(policy, at: wall, db) == nil
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
        WHERE state NOT IN (\(Deletion.openStates)) ORDER BY planned_at LIMIT 1
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

/// The next rows that a mark says to delete.
private struct Deletion {
  let kind: RetainedKind
  let before: WallTime
  /// The revision up to which rows go because they are forwarded; `nil` where none waits for that.
  let forwarded: Int64?
  let forced: PrunedSpans.Forced

  static let openStates = "\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue)"

  /// Rows are looked at from the oldest on. Between them may be rows of a clock that was wrong for a while, and rows that
  /// wait for the fleet, so that some are looked at before it is taken that there is nothing to delete.
  private static let lookahead = 10_000

  static func next(_ policy: RetentionPolicy, at wall: WallTime, _ db: Database) throws -> Deletion? {
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
  ) throws -> Deletion? {
    let forwarded = policy.keepsWhatIsNotForwarded ? try ForwardCursor.currentRevision(db) : nil
    // Receipts before the notifications that they belong to: they are found by their order then.
    for kind in [
      RetainedKind.receipts, .samples, .rollupSecond, .rollupMinute, .rollupHour, .path, .log, .events,
      .clock,
      .findings,
    ] {
      guard let before = spans[kind], before <= wall else { continue }
      let deletion = Deletion(
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
    // A statement without them ignores them.
    statement.bind(forwarded ?? 0, at: 3)
    statement.bind(forced.before.microseconds, at: 4)
    statement.bind(forced.through, at: 5)
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
          WHERE planned_at < ?1 AND planned_at >= ifnull(?6, planned_at) AND state NOT IN (\(Self.openStates))
          ORDER BY planned_at LIMIT ?2 + \(Self.lookahead)) WHERE \(goes(at: "planned_at", unless: waiting)) LIMIT ?2
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
    var start: Int64?
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

extension WallTime {
  /// An instant before every row.
  fileprivate static let distantPast = WallTime(microseconds: .min)
}
