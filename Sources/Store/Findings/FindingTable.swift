import FoundationEssentials
import GRDB
import Measurement

/// Reads and writes rows of the table `finding`, named x in queries.
enum FindingTable {
  /// The query whose columns are ``FindingRecord/columns``; the run is named r.
  static let select = """
    SELECT \(FindingRecord.columns.selectList())
    FROM finding x JOIN run r ON r.id = x.run_id
    """

  /// Findings of a run that is being deleted are deleted with it.
  static let isListed = "x.run_id NOT IN (SELECT run_id FROM deletion)"

  /// A daily pattern that goes on, of a target of the run ?1, and begun in one before it.
  static let isDailyOfRun = """
    x.status = '\(FindingStatus.daily.rawValue)' AND x.ended_at IS NULL AND EXISTS (
      SELECT 1 FROM run n JOIN target t ON t.run_id = n.id
      WHERE n.uuid = ?1 AND t.name = x.target AND x.run_id < n.id)
    """

  static func record(_ row: Row) -> FindingRecord? {
    row.record(FindingRecord.columns, from: 0, into: .blank)
  }

  /// Inserts or replaces a row; whether it is hidden stays as it is stored.
  static func write(_ record: FindingRecord, runRow: Int64, revision: Int64, _ db: Database) throws {
    try db.cachedStatement(sql: upsert).execute(
      arguments: written.arguments(of: record) + [runRow, revision])
  }

  private static let written = FindingRecord.columns.written()

  private static let upsert = """
    INSERT INTO finding \(written.insertList(with: "run_id", "revision"))
    ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, revision = excluded.revision,
      \(written.dropFirst().map(\.name).upsertAssignments)
    """
}

extension StoreReader {
  /// Findings in the order of their starts. A daily pattern is of the run in which it was first seen, and of later ones while it
  /// goes on.
  public func findings(_ selection: FindingSelection = FindingSelection()) throws -> [FindingRecord] {
    try read { db in
      try db.cachedRows(
        """
        \(FindingTable.select)
        WHERE \(FindingTable.isListed) AND (?1 IS NULL OR r.uuid = ?1 OR \(FindingTable.isDailyOfRun))
          AND (?2 IS NULL OR \(FindingRecord.lastMoment(in: "x")) >= ?2
            OR \(FindingRecord.goesOn(in: "x")))
          AND (?3 IS NULL OR iif(x.status = '\(FindingStatus.daily.rawValue)', x.detected_at, x.started_at) < ?3) AND (?4 OR NOT x.hidden) AND (?5 OR x.status <> '\(FindingStatus.withdrawn.rawValue)')
        ORDER BY x.started_at, x.id
        """,
        [
          selection.run?.description, selection.since?.microseconds, selection.until?.microseconds,
          selection.includesHidden, selection.includesWithdrawn,
        ]
      ).compactMap(FindingTable.record).filter { selection.targets?.contains($0.target) ?? true }
    }
  }

  /// Those that are open, however old they are; hidden and withdrawn ones are left out.
  public func openFindings(at now: WallTime) throws -> [FindingRecord] {
    try findings(FindingSelection(since: now)).filter(\.isOpen)
  }

  /// A finding by its id, hidden and withdrawn ones too.
  public func finding(_ id: String) throws -> FindingRecord? {
    try read { db in
      try db.cachedRows("\(FindingTable.select) WHERE \(FindingTable.isListed) AND x.id = ?", [id])
        .first.flatMap(FindingTable.record)
    }
  }

  /// Findings that changed after a cursor, hidden and withdrawn ones too, in the order of their changes.
  public func findings(changedAfter cursor: Int64) throws -> [FindingRecord] {
    try read { db in
      try db.cachedRows(
        "\(FindingTable.select) WHERE \(FindingTable.isListed) AND x.revision > ? ORDER BY x.revision",
        [cursor]
      ).compactMap(FindingTable.record)
    }
  }

  /// The stretches of closed findings of what some targets measure, in all runs that measured the same (the same name,
  /// provider and endpoint): what went wrong then is not how the series usually is.
  ///
  /// Provisional findings are none of these: no calibrated alarm says that what they saw is unusual.
  ///
  /// - Parameters:
  ///   - variants: `nil` for all.
  ///   - range: stretches that lie outside are left out.
  /// - Returns: in the order of their starts; they may overlap.
  /// - Throws: ``StoreError``.
  public func closedFindings(
    of targets: [TargetID], variants: Set<VariantID>?, in range: Range<WallTime>
  ) throws -> [Range<WallTime>] {
    func list(_ ids: [Int64]) -> String { "[\(ids.map(String.init).joined(separator: ","))]" }
    return try read { db in
      try db.cachedRows(
        """
        SELECT DISTINCT x.started_at, x.ended_at FROM finding x
        WHERE \(FindingTable.isListed) AND x.status = '\(FindingStatus.closed.rawValue)' AND x.ended_at > max(x.started_at, ?3)
          AND x.started_at < ?4
          AND EXISTS (
            SELECT 1 FROM json_each(?1) own JOIN target t ON t.id = own.value
            WHERE t.name = x.target AND t.provider = x.provider
              AND (t.endpoint = x.endpoint OR t.endpoint IS NULL OR x.endpoint = ''))
          AND (?2 IS NULL OR x.variant IN (
            SELECT ifnull(v.name, '') FROM json_each(?2) own LEFT JOIN variant v ON v.id = own.value))
        ORDER BY x.started_at, x.ended_at
        """,
        [
          list(targets.map(\.rawValue)), variants.map { list($0.map(\.rawValue).sorted()) },
          range.lowerBound.microseconds, range.upperBound.microseconds,
        ]
      ).map { WallTime(microseconds: $0[0])..<WallTime(microseconds: $0[1]) }
    }
  }

  /// How far the detector has come with each target and variant that it has looked at. Rows that cannot be read are left out.
  public func detectors() throws -> [DetectorRecord] {
    try read {
      try $0.records(
        DetectorRecord.columns, into: .blank, from: "detector x ORDER BY target, variant, provider, endpoint")
    }
  }

  /// The instants of a detector's checkpoints, ascending.
  public func detectorCheckpointTimes(of detector: DetectorRecord) throws -> [WallTime] {
    try read { db in
      try db.cachedRows(
        """
        SELECT c.through FROM detector d JOIN detector_checkpoint c ON c.detector_id = d.id
        WHERE d.target = ? AND d.variant = ? AND d.provider = ? AND d.endpoint = ? ORDER BY c.through
        """, [detector.target, detector.variant, detector.provider, detector.endpoint]
      ).map { WallTime(microseconds: $0[0]) }
    }
  }

  /// The newest checkpoint of a detector that looked at nothing planned at or after an instant.
  public func detectorCheckpoint(
    of detector: DetectorRecord, atMost through: WallTime
  ) throws -> DetectorCheckpointRecord? {
    try read { db in
      try db.cachedRows(
        """
        SELECT c.through, c.state FROM detector d JOIN detector_checkpoint c ON c.detector_id = d.id
        WHERE d.target = ? AND d.variant = ? AND d.provider = ? AND d.endpoint = ? AND c.through <= ?
        ORDER BY c.through DESC LIMIT 1
        """,
        [detector.target, detector.variant, detector.provider, detector.endpoint, through.microseconds]
      ).first.map {
        DetectorCheckpointRecord(through: WallTime(microseconds: $0[0]), state: [UInt8]($0[1] as Data))
      }
    }
  }
}

/// The state of a detector at an instant of planned time.
public struct DetectorCheckpointRecord: Sendable, Equatable {
  public var through: WallTime
  /// Known to the detector only.
  public var state: [UInt8]

  public init(through: WallTime, state: [UInt8]) {
    self.through = through
    self.state = state
  }
}

extension DetectorCheckpointRecord: Codable {
  private enum CodingKeys: CodingKey {
    case through, state
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    // Text of base 64 takes a third of the bytes of an array of numbers.
    self.init(
      through: try values.decode(WallTime.self, forKey: .through),
      state: [UInt8](try values.decode(Data.self, forKey: .state)))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(through, forKey: .through)
    try values.encode(Data(state), forKey: .state)
  }
}
