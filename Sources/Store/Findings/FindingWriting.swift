import FoundationEssentials
import GRDB
import Measurement

/// What the detector writes in one transaction.
public struct FindingChanges: Sendable, Codable {
  /// New and changed ones; whether one is hidden stays as it is stored.
  public var findings: [FindingRecord] = []
  public var detectors: [DetectorChange] = []
  /// Those of a target belong to its run.
  public var events: [Event] = []
  public var log: [LogLine] = []
  /// The run of events and log lines without a target.
  public var run: RunID?

  public init() {}

  public var isEmpty: Bool { findings.isEmpty && detectors.isEmpty && events.isEmpty && log.isEmpty }
}

/// How far a detector has come, and its checkpoints.
public struct DetectorChange: Sendable, Codable {
  public var detector: DetectorRecord
  /// The checkpoint to add.
  public var checkpoint: DetectorCheckpointRecord?
  /// Checkpoints of a later instant no longer hold: rows under them changed.
  public var validThrough: WallTime?
  /// Checkpoints to remove because others suffice.
  public var superfluous: [WallTime] = []
  /// Older checkpoints are removed.
  public var oldest: WallTime?

  public init(_ detector: DetectorRecord) { self.detector = detector }
}

extension CollectorStore {
  /// Writes findings and the detector's state in one transaction. Findings of a run that was deleted meanwhile are skipped.
  /// - Throws: ``StoreError``. Nothing was written.
  public func save(_ changes: FindingChanges) throws {
    guard !changes.isEmpty else { return }
    try transaction { db, state in
      for record in changes.findings {
        let run = try Int64.fetchOne(
          db,
          sql: "SELECT id FROM run WHERE uuid = ? AND id NOT IN (SELECT run_id FROM deletion)",
          arguments: [record.run.description])
        guard let run else { continue }
        state.revision += 1
        try FindingTable.write(record, runRow: run, revision: state.revision, db)
      }
      for change in changes.detectors { try Self.write(change, db) }
      let records = RecordWriter(db)
      try records.insert(changes.events, changes.log, runRow: records.row(of: changes.run), &state)
    }
  }

  private static func write(_ change: DetectorChange, _ db: Database) throws {
    let columns = DetectorRecord.columns
    // A power that is not known yet replaces none.
    let replaced = columns.map(\.name).filter { !DetectorRecord.key.contains($0) && $0 != "power" }
    let id = try Int64.fetchOne(
      db,
      sql: """
        INSERT INTO detector \(columns.insertList()) ON CONFLICT (\(DetectorRecord.key.joined(separator: ", ")))
        DO UPDATE SET \(replaced.upsertAssignments), power = ifnull(excluded.power, power)
        RETURNING id
        """,
      arguments: columns.arguments(of: change.detector))
    guard let id else { return }
    if let end = change.validThrough {
      try db.cachedStatement(sql: "DELETE FROM detector_checkpoint WHERE detector_id = ? AND through > ?")
        .execute(arguments: [id, end.microseconds])
    }
    if let oldest = change.oldest {
      try db.cachedStatement(sql: "DELETE FROM detector_checkpoint WHERE detector_id = ? AND through < ?")
        .execute(arguments: [id, oldest.microseconds])
    }
    for time in change.superfluous {
      try db.cachedStatement(sql: "DELETE FROM detector_checkpoint WHERE detector_id = ? AND through = ?")
        .execute(arguments: [id, time.microseconds])
    }
    guard let checkpoint = change.checkpoint else { return }
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO detector_checkpoint (detector_id, through, state) VALUES (?, ?, ?)"
    ).execute(arguments: [id, checkpoint.through.microseconds, Data(checkpoint.state)])
  }

  /// Forgets what the detector knows, as when rows that it has seen were deleted; findings stay.
  public func resetDetectors() throws {
    try transaction { db, _ in try db.execute(sql: "DELETE FROM detector") }
  }

  /// Hides a finding from lists, counts and alerts, or shows it again.
  /// - Throws: ``StoreError``, e.g. `unknownFinding`.
  public func setHidden(_ isHidden: Bool, finding id: String) throws {
    try transaction { db, state in
      state.revision += 1
      try db.execute(
        sql: """
          UPDATE finding SET hidden = ?, revision = ?
          WHERE id = ? AND run_id NOT IN (SELECT run_id FROM deletion)
          """,
        arguments: [isHidden, state.revision, id])
      guard db.changesCount == 1 else { throw StoreError.unknownFinding(id, path: path) }
    }
  }
}
