import GRDB
import Measurement

/// The writer's caches between transactions. Everything in them can be read from the database, so they are dropped
/// after a transaction that failed.
struct WriterState: Sendable {
  /// The last revision given out.
  var revision: Int64
  var sampleStates = SampleStateCache()
  private var runRows: [RunID: Int64] = [:]
  private var runRowsByTarget: [TargetID: Int64] = [:]
  private var watermarks: RollupWatermarks?
  /// Set once: the database must not be used any more.
  private(set) var isClosed = false

  init(revision: Int64) { self.revision = revision }

  mutating func close() { isClosed = true }

  /// The row of a run.
  /// - Throws: `unknownRun`.
  mutating func row(of run: RunID, _ db: Database, path: String) throws -> Int64 {
    if let row = runRows[run] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT id FROM run WHERE uuid = ?", arguments: [run.description])
    guard let row else { throw StoreError.unknownRun(run.description, path: path) }
    runRows[run] = row
    return row
  }

  /// The row of a target's run; `nil` when the target was deleted.
  mutating func runRow(of target: TargetID, _ db: Database) throws -> Int64? {
    if let row = runRowsByTarget[target] { return row }
    let row = try Int64.fetchOne(
      db, sql: "SELECT run_id FROM target WHERE id = ?", arguments: [target.rawValue])
    runRowsByTarget[target] = row
    return row
  }

  mutating func note(_ run: RunID, row: Int64) { runRows[run] = row }

  /// Drops a run that was deleted, and its targets.
  mutating func forget(_ run: RunID) {
    runRows[run] = nil
    runRowsByTarget.removeAll()
  }

  mutating func rollupWatermarks(_ db: Database) throws -> RollupWatermarks {
    if let watermarks { return watermarks }
    let stored = try RollupWatermarks.fetch(db)
    watermarks = stored
    return stored
  }

  mutating func set(_ watermarks: RollupWatermarks) { self.watermarks = watermarks }
}
