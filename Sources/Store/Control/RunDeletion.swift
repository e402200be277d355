import GRDB
import Measurement

/// A target of a run that is being deleted, or the run itself once its targets are gone.
struct RunDeletion {
  private let id: Int64
  private let run: Int64
  private let target: TargetID?

  static func next(_ db: Database) throws -> RunDeletion? {
    let rows = try db.cachedRows(
      "SELECT id, run_id, target_id FROM deletion ORDER BY run_id, target_id IS NULL, id LIMIT 1")
    return try rows.first.map {
      RunDeletion(
        id: try $0.value(0), run: try $0.value(1),
        target: try $0.optional(2).map(TargetID.init(rawValue:)))
    }
  }

  /// Deletes at most about `limit` rows.
  func step(_ db: Database, limit: Int) throws {
    let isDone = try target.map { try empty($0, db, limit: limit) } ?? emptyRun(db, limit: limit)
    if isDone { try db.execute(sql: "DELETE FROM deletion WHERE id = ?", arguments: [id]) }
  }

  private func empty(_ target: TargetID, _ db: Database, limit: Int) throws -> Bool {
    let ids = target.sampleIDs
    try db.cachedStatement(
      sql: """
        DELETE FROM receipt WHERE revision IN
          (SELECT revision FROM receipt WHERE sample_id BETWEEN ? AND ? LIMIT ?)
        """
    ).execute(arguments: [ids.lowerBound, ids.upperBound, limit])
    if db.changesCount == limit { return false }
    try db.cachedStatement(
      sql: "DELETE FROM path WHERE revision IN (SELECT revision FROM path WHERE target_id = ? LIMIT ?)"
    ).execute(arguments: [target.rawValue, limit])
    if db.changesCount == limit { return false }

    let samples = try RawStatement(
      db, "SELECT id, planned_at FROM sample WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3")
    samples.bind(ids.lowerBound, at: 1)
    samples.bind(ids.upperBound, at: 2)
    samples.bind(limit, at: 3)
    var last: Int64?
    var seconds: Set<Int64> = []
    while try samples.step() {
      last = samples.integer(0)
      seconds.insert(WallTime(microseconds: samples.integer(1)).seconds)
    }
    guard let last else { return try deletePrunedRollups(of: target, db) }
    try db.cachedStatement(sql: "DELETE FROM sample WHERE id BETWEEN ? AND ?").execute(
      arguments: [ids.lowerBound, last])
    try deleteRollups(of: target, seconds: seconds, db)
    return false
  }

  /// Deletes the rollups whose notifications retention has deleted, some hours at a time.
  private func deletePrunedRollups(of target: TargetID, _ db: Database) throws -> Bool {
    guard let pruned = try PrunedSpans.fetch(db).samples.map(\.seconds),
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT ifnull(d.rollups_from, r.started_at / 1000000 - 86400), ifnull(r.ended_at, r.started_at) / 1000000
          FROM deletion d JOIN run r ON r.id = d.run_id WHERE d.id = ?
          """,
        arguments: [id])
    else { return true }
    // A day around the run: its clock may have been set.
    let earliest = RollupSpan.hour.start(of: try row.value(0))
    let ended: Int64 = try row.value(1)
    let end = min(pruned, RollupSpan.hour.start(of: ended.addingClamped(86_400)).addingClamped(3600))
    // From the next one that is there: what a clock without a sense of time has begun may be any number of hours ago.
    guard let oldest = try oldestRollup(from: earliest, before: end, db) else { return true }
    let start = RollupSpan.hour.start(of: oldest)
    let next = min(end, start + Self.hoursAtATime * 3600)
    let delete = try RawStatement(
      db, "DELETE FROM rollup WHERE span = ?1 AND start >= ?2 AND start < ?3 AND target_id = ?4")
    for span in RollupSpan.allCases {
      delete.bind(span.rawValue, at: 1)
      delete.bind(start, at: 2)
      delete.bind(next, at: 3)
      delete.bind(target.rawValue, at: 4)
      try delete.run()
    }
    try db.execute(sql: "UPDATE deletion SET rollups_from = ? WHERE id = ?", arguments: [next, id])
    return next >= end
  }

  private static let hoursAtATime: Int64 = 6

  /// Where the oldest rollup of a range of time begins, of whatever target.
  private func oldestRollup(from start: Int64, before end: Int64, _ db: Database) throws -> Int64? {
    guard start < end else { return nil }
    let select = try RawStatement(
      db, "SELECT start FROM rollup WHERE span = ?1 AND start >= ?2 AND start < ?3 ORDER BY start LIMIT 1")
    var oldest: Int64?
    for span in RollupSpan.allCases {
      select.bind(span.rawValue, at: 1)
      select.bind(start, at: 2)
      select.bind(end, at: 3)
      if try select.step() { oldest = min(oldest ?? .max, select.integer(0)) }
      select.reset()
    }
    return oldest
  }

  /// All rows of the target will be deleted, so the minutes and hours of these seconds are deleted now.
  private func deleteRollups(of target: TargetID, seconds: Set<Int64>, _ db: Database) throws {
    let delete = try RawStatement(
      db, "DELETE FROM rollup WHERE span = ?1 AND start = ?2 AND target_id = ?3")
    for span in RollupSpan.allCases {
      for start in Set(seconds.map { span.start(of: $0) }).sorted() {
        delete.bind(span.rawValue, at: 1)
        delete.bind(start, at: 2)
        delete.bind(target.rawValue, at: 3)
        try delete.run()
      }
    }
  }

  private func emptyRun(_ db: Database, limit: Int) throws -> Bool {
    for table in ["event", "log", "clock_exchange"] {
      try db.cachedStatement(
        sql: """
          DELETE FROM \(table) WHERE revision IN (SELECT revision FROM \(table) WHERE run_id = ? LIMIT ?)
          """
      ).execute(arguments: [run, limit])
      if db.changesCount == limit { return false }
    }
    // All other rows are deleted with the run's row (ON DELETE CASCADE).
    try db.execute(sql: "DELETE FROM run WHERE id = ?", arguments: [run])
    return true
  }
}

extension CollectorStore {
  /// Removes a run from all lists. ``continueDeletion(atMost:)`` then deletes its rows, also after a restart.
  ///
  /// - Throws: ``StoreError``: `unknownRun`, `runInProgress` while it is being recorded.
  public func beginDeletion(of run: RunID) throws {
    try transaction { db, state in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT id, ended_at IS NULL, collector FROM run WHERE uuid = ? AND id NOT IN (SELECT run_id FROM deletion)
          """,
        arguments: [run.description])
      guard let row else { throw StoreError.unknownRun(run.description, path: path) }
      if try row.value(1) { throw StoreError.runInProgress(run.description, path: path) }
      let id: Int64 = try row.value(0)
      try db.execute(
        sql:
          "INSERT INTO deletion (run_id, target_id) SELECT run_id, id FROM target WHERE run_id = ? ORDER BY id",
        arguments: [id])
      try db.execute(sql: "INSERT INTO deletion (run_id, target_id) VALUES (?, NULL)", arguments: [id])
      // What follows the store learns of it here.
      state.revision += 1
      try db.execute(
        sql: "INSERT OR REPLACE INTO tombstone (revision, run, collector, at) VALUES (?, ?, ?, ?)",
        arguments: [
          state.revision, run.description, try row.value(2) as String, clock.wallNow().microseconds,
        ])
      // Deletes the counters, too; later receipts find no target.
      try db.execute(sql: "DELETE FROM target WHERE run_id = ?", arguments: [id])
      state.forget(run)
    }
  }

  /// Whether a run is being deleted.
  public func isDeleting(_ run: RunID) throws -> Bool {
    try read { db in
      try Bool.fetchOne(
        db,
        sql: "SELECT EXISTS (SELECT 1 FROM deletion d JOIN run r ON r.id = d.run_id WHERE r.uuid = ?)",
        arguments: [run.description]) ?? false
    }
  }

  /// Deletes the next rows of runs that are being deleted, in one transaction of bounded size.
  /// - Returns: whether there are more.
  /// - Throws: ``StoreError``. Nothing was deleted.
  public func continueDeletion(atMost limit: Int = 1_000) throws -> Bool {
    guard try read({ try RunDeletion.next($0) }) != nil else { return false }
    var isMore = false
    try transaction { db, _ in
      if let deletion = try RunDeletion.next(db) { try deletion.step(db, limit: limit) }
      isMore = try RunDeletion.next(db) != nil
    }
    return isMore
  }
}
