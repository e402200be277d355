import FoundationEssentials
import GRDB
import Measurement

/// Reads and writes rows of the table `finding`.
enum FindingTable {
  /// The query whose columns are in the order of ``record(_:)``; the table is named f, the run r.
  static let select = """
    SELECT f.id, f.incident, r.uuid, f.target, f.variant, f.provider, f.endpoint, f.device, f.metric, f.kind,
      f.status, f.started_at, f.detected_at, f.seen_until, f.started_low, f.started_high, f.ended_at, f.quantile,
      f.before_us, f.after_us, f.after_low_us, f.after_high_us, f.share_before, f.share_after, f.share_low,
      f.share_high, f.cause, f.scope, f.causes, f.evidence, f.samples, f.effective_samples, f.window_us,
      f.statistic, f.threshold, f.gradual, f.new_normal, f.verdicts, f.legs, f.events, f.detection, f.hidden,
      f.revision
    FROM finding f JOIN run r ON r.id = f.run_id
    """

  /// Findings of a run that is being deleted are deleted with it.
  static let isListed = "f.run_id NOT IN (SELECT run_id FROM deletion)"

  static func record(_ row: Row) -> FindingRecord? {
    guard let run = RunID(row[2]) else { return nil }
    func time(_ index: Int) -> WallTime? { (row[index] as Int64?).map(WallTime.init(microseconds:)) }
    var record = FindingRecord(
      id: row[0], incident: row[1], run: run, target: row[3], variant: row[4], provider: row[5],
      endpoint: row[6], device: row[7], metric: .delivery, kind: .slower, status: .open,
      startedAt: WallTime(microseconds: row[11]), detectedAt: WallTime(microseconds: row[12]),
      seenUntil: WallTime(microseconds: row[13]))
    record.metric = Stored(rawValue: row[8])
    record.kind = Stored(rawValue: row[9])
    record.status = Stored(rawValue: row[10])
    record.startedLow = time(14)
    record.startedHigh = time(15)
    record.endedAt = time(16)
    record.quantile = row[17]
    record.before = row[18]
    record.after = row[19]
    record.afterLow = row[20]
    record.afterHigh = row[21]
    record.shareBefore = row[22]
    record.shareAfter = row[23]
    record.shareLow = row[24]
    record.shareHigh = row[25]
    record.cause = (row[26] as String).isEmpty ? nil : Cause(rawValue: row[26])
    record.scope = row[27]
    record.causes = (row[28] as String).split(separator: ";").map { Cause(rawValue: String($0)) }
    record.evidence = row[29]
    record.samples = row[30]
    record.effectiveSamples = row[31]
    record.window = row[32]
    record.statistic = row[33]
    record.threshold = row[34]
    record.isGradual = row[35]
    record.isNewNormal = row[36]
    record.verdicts = decoded(row[37]) ?? []
    record.legs = decoded(row[38]) ?? []
    record.events = decoded(row[39]) ?? []
    record.detection = row[40]
    record.isHidden = row[41]
    record.revision = row[42]
    return record
  }

  /// Inserts or replaces a row; whether it is hidden stays as it is stored.
  static func write(_ record: FindingRecord, runRow: Int64, revision: Int64, _ db: Database) throws {
    let arguments: StatementArguments = [
      record.id, revision, record.incident, runRow, record.target, record.variant, record.provider,
      record.endpoint, record.device, record.metric.rawValue, record.kind.rawValue, record.status.rawValue,
      record.startedAt.microseconds, record.startedLow?.microseconds, record.startedHigh?.microseconds,
      record.endedAt?.microseconds, record.detectedAt.microseconds, record.seenUntil.microseconds,
      record.quantile, record.before, record.after, record.afterLow, record.afterHigh, record.shareBefore,
      record.shareAfter, record.shareLow, record.shareHigh, record.cause?.rawValue ?? "", record.scope,
      record.causes.map(\.rawValue).joined(separator: ";"), record.evidence, record.samples,
      record.effectiveSamples,
      record.window, record.statistic, record.threshold, record.isGradual, record.isNewNormal,
      try encoded(record.verdicts), try encoded(record.legs), try encoded(record.events), record.detection,
    ]
    try db.cachedStatement(sql: upsert).execute(arguments: arguments)
  }

  private static let columns = [
    "id", "revision", "incident", "run_id", "target", "variant", "provider", "endpoint", "device", "metric",
    "kind", "status", "started_at", "started_low", "started_high", "ended_at", "detected_at", "seen_until",
    "quantile", "before_us", "after_us", "after_low_us", "after_high_us", "share_before", "share_after",
    "share_low", "share_high", "cause", "scope", "causes", "evidence", "samples", "effective_samples",
    "window_us", "statistic", "threshold", "gradual", "new_normal", "verdicts", "legs", "events", "detection",
  ]

  private static let upsert = """
    INSERT INTO finding (\(columns.joined(separator: ", ")))
    VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
    ON CONFLICT (id) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """

  private static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// `nil` for text that another version or program wrote.
  private static func decoded<Value: Decodable>(_ text: String) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

extension StoreReader {
  /// Findings in the order of their starts.
  public func findings(_ selection: FindingSelection = FindingSelection()) throws -> [FindingRecord] {
    try read { db in
      try db.cachedRows(
        """
        \(FindingTable.select)
        WHERE \(FindingTable.isListed) AND (?1 IS NULL OR r.uuid = ?1)
          AND (?2 IS NULL OR ifnull(f.ended_at, f.seen_until) >= ?2
            OR \(FindingRecord.isOpen(in: "f")))
          AND (?3 IS NULL OR f.started_at < ?3) AND (?4 OR NOT f.hidden) AND (?5 OR f.status <> '\(FindingStatus.withdrawn.rawValue)')
        ORDER BY f.started_at, f.id
        """,
        [
          selection.run?.description, selection.since?.microseconds, selection.until?.microseconds,
          selection.includesHidden, selection.includesWithdrawn,
        ]
      ).compactMap(FindingTable.record).filter { selection.targets?.contains($0.target) ?? true }
    }
  }

  /// A finding by its id, hidden and withdrawn ones too.
  public func finding(_ id: String) throws -> FindingRecord? {
    try read { db in
      try db.cachedRows("\(FindingTable.select) WHERE \(FindingTable.isListed) AND f.id = ?", [id])
        .first.flatMap(FindingTable.record)
    }
  }

  /// Findings that changed after a cursor, hidden and withdrawn ones too, in the order of their changes.
  public func findings(changedAfter cursor: Int64) throws -> [FindingRecord] {
    try read { db in
      try db.cachedRows(
        "\(FindingTable.select) WHERE \(FindingTable.isListed) AND f.revision > ? ORDER BY f.revision",
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
        SELECT DISTINCT f.started_at, f.ended_at FROM finding f
        WHERE \(FindingTable.isListed) AND f.status = '\(FindingStatus.closed.rawValue)' AND f.ended_at > max(f.started_at, ?3)
          AND f.started_at < ?4
          AND EXISTS (
            SELECT 1 FROM json_each(?1) own JOIN target t ON t.id = own.value
            WHERE t.name = f.target AND t.provider = f.provider
              AND (t.endpoint = f.endpoint OR t.endpoint IS NULL OR f.endpoint = ''))
          AND (?2 IS NULL OR f.variant IN (
            SELECT ifnull(v.name, '') FROM json_each(?2) own LEFT JOIN variant v ON v.id = own.value))
        ORDER BY f.started_at, f.ended_at
        """,
        [
          list(targets.map(\.rawValue)), variants.map { list($0.map(\.rawValue).sorted()) },
          range.lowerBound.microseconds, range.upperBound.microseconds,
        ]
      ).map { WallTime(microseconds: $0[0])..<WallTime(microseconds: $0[1]) }
    }
  }

  /// The number of incidents of a run that are going on, without hidden findings.
  public func openIncidents(of run: RunID) throws -> Int {
    try read { db in
      try db.cachedRows(
        """
        SELECT count(DISTINCT f.incident) FROM finding f JOIN run r ON r.id = f.run_id
        WHERE r.uuid = ? AND NOT f.hidden AND \(FindingRecord.isOpen(in: "f"))
        """, [run.description]
      ).first.map { $0[0] } ?? 0
    }
  }

  /// How far the detector has come with each target and variant that it has looked at.
  public func detectors() throws -> [DetectorRecord] {
    try read { db in
      try db.cachedRows("\(DetectorTable.select) ORDER BY target, variant, provider, endpoint").map {
        DetectorTable.record($0)
      }
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

enum DetectorTable {
  static let select = """
    SELECT target, variant, provider, endpoint, through, cursor, age_us, learning_us, power FROM detector
    """

  static func record(_ row: Row) -> DetectorRecord {
    DetectorRecord(
      target: row[0], variant: row[1], provider: row[2], endpoint: row[3],
      through: WallTime(microseconds: row[4]), cursor: row[5], age: row[6], learning: row[7],
      power: (row[8] as String?).flatMap {
        try? JSONDecoder().decode([DetectionPower].self, from: Data($0.utf8))
      })
  }
}
