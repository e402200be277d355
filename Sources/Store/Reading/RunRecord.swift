import FoundationEssentials
import GRDB
import Measurement

/// A stored run: a row of the `runs` table.
public struct RunRecord: Sendable, Equatable {
  public var id: RunID
  public var name: String?
  /// The store that recorded the run.
  public var collectorID: UUID
  public var startedAt: WallTime
  public var startedMonotonic: MonotonicTime
  public var bootID: String
  /// `nil` while it is being recorded.
  public var endedAt: WallTime?
  public var endReason: Stored<RunEndReason>?
  /// The collector's last write for it.
  public var lastHeartbeat: WallTime?
  /// The names of the targets, sorted.
  public var targetNames: [String]
  public var counts: StateCounts
  public var revision: Int64
}

extension RunRecord {
  /// The columns of the table `run`, named x in queries.
  public static let columns: [RecordColumn<RunRecord>] = [
    .init("run", \.id, [.exported, .readOnly], sql: "x.uuid"),
    .init("name", \.name, .exported),
    .init("collector", \.collectorID, [.exported, .readOnly]),
    .init("started_at", \.startedAt, .exported),
    .init("ended_at", \.endedAt, .exported),
    .init("end_reason", \.endReason, .exported),
    .init("started_monotonic_us", \.startedMonotonic, .local),
    .init("boot_id", \.bootID, .local),
    .init("revision", \.revision, .readOnly, as: .revision),
  ]

  /// A record for the columns to be read into: without the clocks of its host, as others than its own store know a run.
  public static let blank = RunRecord(
    id: RunID(uuid: UUID()), collectorID: UUID(), startedAt: WallTime(microseconds: 0),
    startedMonotonic: MonotonicTime(microseconds: 0 as Int64), bootID: "", targetNames: [],
    counts: StateCounts(), revision: 0)
}

/// A stored target of a run.
public struct TargetRecord: Sendable, Equatable {
  public var id: TargetID
  /// The number that its own store gave it, which is a part of its notifications' ids: ``id``, where it is read from that store.
  public var storedID: TargetID
  public var run: RunID
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Whether receipts of its notifications are expected.
  public var expectsReceipts: Bool { receiptDeadline != nil }
  /// ``Metric/judged(expectsReceipts:)`` of its notifications.
  public var judgedMetric: Metric { .judged(expectsReceipts: expectsReceipts) }
  /// Notifications per second that the schedule asked for.
  public var askedRate: Double
  /// Scheme, host and port that requests went to; `nil` in runs of older versions.
  public var endpoint: String?
  /// The configuration's `device`.
  public var device: String?
  /// The variants, at least one; it has an empty name if the target lists no values.
  public var variants: [VariantRecord]

  public init(
    id: TargetID, storedID: TargetID? = nil, run: RunID, _ target: TargetDescription,
    variants: [VariantRecord]
  ) {
    (self.id, self.storedID, self.run, self.variants) = (id, storedID ?? id, run, variants)
    (name, provider, endpoint, device) = (target.name, target.provider, target.endpoint, target.device)
    (receiptDeadline, askedRate) = (target.receiptDeadline, target.askedRate)
  }

  /// The id that a notification of it travels with.
  public func notificationID(_ sample: SampleID) -> NotificationID {
    NotificationID(run: run, sample: SampleID(target: storedID, sequence: sample.sequence))
  }

  /// The counts over all variants.
  public var counts: StateCounts { variants.reduce(StateCounts()) { $0 + $1.counts } }
}

/// A variant of a target with its state counts.
public struct VariantRecord: Sendable, Equatable {
  public var id: VariantID
  /// `priority=10,push_type=alert`; empty if the target lists no values.
  public var name: String
  public var counts: StateCounts

  public init(id: VariantID, name: String, counts: StateCounts) {
    (self.id, self.name, self.counts) = (id, name, counts)
  }
}

extension StoreReader {
  /// All runs, oldest first.
  public func runs() throws -> [RunRecord] { try read { try Self.runs(where: "true", [], $0) } }

  public func run(_ id: RunID) throws -> RunRecord? {
    try read { try Self.runs(where: "x.uuid = ?", [id.description], $0).first }
  }

  /// The run that began last.
  public func latestRun() throws -> RunRecord? {
    try read {
      try Self.runs(
        where: "x.id = (SELECT max(id) FROM run WHERE id NOT IN (SELECT run_id FROM deletion))", [], $0
      ).first
    }
  }

  public func labels(named name: String) throws -> [RunID: String] {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT r.uuid, l.value FROM run r, json_each(r.labels) l
          WHERE l.key = ? AND r.id NOT IN (SELECT run_id FROM deletion)
          """,
        arguments: [name])
      var labels: [RunID: String] = [:]
      for row in rows {
        let value: String = try row.value(1)
        if let run = RunID(try row.value(0) as String) { labels[run] = value }
      }
      return labels
    }
  }

  /// The targets of a run with their state counts, in the order of their names.
  public func targets(of run: RunID) throws -> [TargetRecord] {
    try read { db in
      let rows = try db.cachedRows(
        """
        SELECT x.id, \(TargetDescription.columns.selectList())
        FROM run r JOIN target x ON x.run_id = r.id WHERE r.uuid = ? ORDER BY x.id
        """, [run.description])
      return try rows.compactMap { row in
        guard let target = row.record(TargetDescription.columns, from: 1, into: .blank) else { return nil }
        return TargetRecord(
          id: TargetID(rawValue: row[0]), run: run, target,
          variants: try Self.variants(ofTarget: row[0], db))
      }
    }
  }

  /// A stored sample.
  public func sample(_ id: SampleID) throws -> Sample? { try read { try SampleQuery.sample(id, $0) } }

  private static func runs(
    where condition: String, _ arguments: StatementArguments, _ db: Database
  ) throws -> [RunRecord] {
    let rows = try db.cachedRows(
      """
      SELECT x.id, h.at, \(RunRecord.columns.selectList())
      FROM run x LEFT JOIN heartbeat h ON h.run_id = x.id
      WHERE (\(condition)) AND x.id NOT IN (SELECT run_id FROM deletion) ORDER BY x.id
      """, arguments)
    return try rows.compactMap { row in
      guard var run = row.record(RunRecord.columns, from: 2, into: .blank) else { return nil }
      run.lastHeartbeat = (row[1] as Int64?).map(WallTime.init(microseconds:))
      run.targetNames = try db.cachedRows("SELECT name FROM target WHERE run_id = ? ORDER BY id", [row[0]])
        .map {
          $0[0]
        }
      run.counts = try counts(ofRun: row[0], db)
      return run
    }
  }

  private static func counts(ofRun row: Int64, _ db: Database) throws -> StateCounts {
    let tallies = try db.cachedRows(
      """
      SELECT \(StateCounts.selected) FROM target t JOIN tally y ON y.target_id = t.id WHERE t.run_id = ?
      """, [row])
    return tallies.reduce(into: StateCounts()) { $0 += StateCounts($1) }
  }

  private static func variants(ofTarget row: Int64, _ db: Database) throws -> [VariantRecord] {
    try db.cachedRows(
      """
      SELECT \(StateCounts.selected), y.variant_id AS variant, v.name AS name
      FROM tally y LEFT JOIN variant v ON v.id = y.variant_id WHERE y.target_id = ? ORDER BY y.variant_id
      """, [row]
    ).map {
      VariantRecord(id: VariantID(rawValue: $0["variant"]), name: $0["name"] ?? "", counts: StateCounts($0))
    }
  }
}

extension StateCounts {
  /// The columns that ``init(_:)`` reads, of a table named y.
  fileprivate static let selected = columns.map { "y.\($0)" }.joined(separator: ", ")

  fileprivate init(_ row: Row) {
    self.init()
    for (place, column) in Self.columns.enumerated() { self[column: place] = row[column] }
  }
}

/// The run and target of a stored notification, for receipts of runs that are no longer in memory.
public struct SampleOrigin: Sendable, Equatable {
  public var run: RunID
  /// The boot that the sample's planned monotonic time belongs to.
  public var bootID: String
  public var target: String
  public var provider: String
  /// µs from planned; `nil` when no receipt was expected.
  public var receiptDeadline: Int64?
}

extension Sample {
  /// Whether its times and counts can be of a notification. A receipt for one of others would be dated wrongly.
  fileprivate var isPossible: Bool {
    // Times until the year 9999, and as long spans, µs: sums of some of them do not overflow.
    let times: ClosedRange<Int64> = 0...253_402_300_799_999_999
    let spans = -times.upperBound...times.upperBound
    return [plannedAt.microseconds, plannedMonotonic, Int64(duplicates), Int64(attempt)].allSatisfy(
      times.contains)
      && [
        scheduleLag, serviceTime, acceptLatency, deliveryLatency, deliveryError, deliveryHigh, path,
        shownLatency,
      ]
      .allSatisfy {
        $0.map(spans.contains) ?? true
      }
  }
}

extension CollectorStore {
  /// A stored row, for receipts that come after it left memory.
  /// - Throws: ``StoreError`` with the code `corrupt` for a row with numbers that no collector writes.
  public func sample(_ id: SampleID) throws -> Sample? {
    try read { db in
      let sample = try SampleQuery.sample(id, db)
      if let sample, !sample.isPossible {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT, message: "notification \(id.rawValue) has impossible numbers")
      }
      return sample
    }
  }

  /// The rows of a notification's receipts in the order in which they were stored.
  /// - Throws: ``StoreError`` with the code `corrupt` for a row that no collector writes.
  public func receiptRows(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    try read { db in
      try ReceiptQuery.rows(of: id, atMost: limit, db) { record in
        guard let record else {
          throw DatabaseError(
            resultCode: .SQLITE_CORRUPT, message: "a receipt of notification \(id.rawValue) cannot be read")
        }
        return record.receipt
      }
    }
  }

  /// The run and target of a stored sample; `nil` when the store does not have its target, or is deleting it.
  public func origin(of id: SampleID) throws -> SampleOrigin? {
    try read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT r.uuid, r.boot_id, t.name, t.provider, t.receipt_deadline_us
          FROM target t JOIN run r ON r.id = t.run_id WHERE t.id = ?
          """,
        arguments: [id.target.rawValue])
      guard let row, let run = RunID(try row.value(0) as String) else { return nil }
      return SampleOrigin(
        run: run, bootID: try row.value(1), target: try row.value(2), provider: try row.value(3),
        receiptDeadline: try row.optional(4))
    }
  }

  /// Whether retention has deleted the row of a notification that was planned.
  ///
  /// - Parameter fingerprint: of the run that the notification says it is of.
  public func isPruned(_ id: SampleID, ofRun fingerprint: UInt64) throws -> Bool {
    guard let origin = try origin(of: id), origin.run.fingerprint == fingerprint else { return false }
    return try read { db in
      guard try PrunedSpans.fetch(db).samples != nil, id.sequence > 0 else { return false }
      let states = NotificationState.allCases.map(\.name).joined(separator: " + ")
      // Sequence numbers have no gaps, so that all of a target's up to the number of its notifications were planned.
      let planned = try Int64.fetchOne(
        db, sql: "SELECT sum(\(states)) FROM tally WHERE target_id = ?", arguments: [id.target.rawValue])
      return id.sequence <= planned ?? 0
    }
  }
}

/// A configuration that a target had until a reload changed it.
public struct FormerTarget: Sendable, Equatable {
  public var target: TargetID
  public var until: WallTime
  public var provider: String
  /// µs from planned; `nil` when no receipt was expected.
  public var receiptDeadline: Int64?
  /// Notifications per second.
  public var askedRate: Double
  public var endpoint: String?
  public var device: String?
}

extension StoreReader {
  /// The configurations that targets of a run had before reloads, oldest first.
  public func formerTargets(of run: RunID) throws -> [FormerTarget] {
    try read { db in
      try db.cachedRows(
        """
        SELECT x.target_id, x.until, \(TargetDescription.settings.selectList())
        FROM run r JOIN target t ON t.run_id = r.id JOIN former_target x ON x.target_id = t.id
        WHERE r.uuid = ? ORDER BY x.revision
        """, [run.description]
      ).compactMap { row in
        row.record(TargetDescription.settings, from: 2, into: .blank).map {
          FormerTarget(
            target: TargetID(rawValue: row[0]), until: WallTime(microseconds: row[1]), provider: $0.provider,
            receiptDeadline: $0.receiptDeadline, askedRate: $0.askedRate, endpoint: $0.endpoint,
            device: $0.device)
        }
      }
    }
  }
}
