import GRDB
import Measurement

extension CollectorStore {
  /// Takes a run out of all lists at once; ``continueDeletion(atMost:)`` then takes its rows away, and a start after a
  /// death goes on with it.
  ///
  /// - Throws: ``StoreError``: `unknownRun`, `runInProgress` while it is being recorded.
  public func beginDeletion(of run: RunID) throws {
    try transaction { db, state in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT id, ended_at IS NULL FROM run WHERE uuid = ? AND id NOT IN (SELECT run_id FROM deletion)
          """,
        arguments: [run.description])
      guard let row else { throw StoreError.unknownRun(run.description, path: path) }
      if row[1] { throw StoreError.runInProgress(run.description, path: path) }
      let id: Int64 = row[0]
      try db.execute(
        sql:
          "INSERT INTO deletion (run_id, target_id) SELECT run_id, id FROM target WHERE run_id = ? ORDER BY id",
        arguments: [id])
      try db.execute(sql: "INSERT INTO deletion (run_id, target_id) VALUES (?, NULL)", arguments: [id])
      // Counters go with them, and receipts that come from now on find nothing.
      try db.execute(sql: "DELETE FROM target WHERE run_id = ?", arguments: [id])
      state.runRows[run] = nil
      state.runRowsByTarget.removeAll()
    }
  }

  /// Whether a run is on its way out.
  public func isDeleting(_ run: RunID) throws -> Bool {
    try read { db in
      try Bool.fetchOne(
        db,
        sql: "SELECT EXISTS (SELECT 1 FROM deletion d JOIN run r ON r.id = d.run_id WHERE r.uuid = ?)",
        arguments: [run.description]) ?? false
    }
  }

  /// Takes away the next rows of runs that are on their way out, in one transaction of bounded size.
  /// - Returns: whether there are more.
  /// - Throws: ``StoreError``. Nothing was taken away then.
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
