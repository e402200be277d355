import GRDB
import Measurement

/// Rows that changed after a cursor, in the order of their changes.
public struct ChangePage<Row: Sendable>: Sendable {
  public var rows: ContiguousArray<Row>
  /// The cursor for the next read.
  public var next: Int64
  /// Whether these were all changes; otherwise the limit was reached, and there may be more.
  public var isComplete: Bool

  public init(rows: ContiguousArray<Row>, next: Int64, isComplete: Bool) {
    (self.rows, self.next, self.isComplete) = (rows, next, isComplete)
  }
}

extension ChangePage: Equatable where Row: Equatable {}

/// An event with its run and target.
public struct EventRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var event: Event

  public init(revision: Int64, run: RunID?, targetName: String?, event: Event) {
    (self.revision, self.run, self.targetName, self.event) = (revision, run, targetName, event)
  }
}

/// A log line with its run and target.
public struct LogRecord: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var line: LogLine

  public init(revision: Int64, run: RunID?, targetName: String?, line: LogLine) {
    (self.revision, self.run, self.targetName, self.line) = (revision, run, targetName, line)
  }
}

/// A stored receipt.
public struct ReceiptRecord: Sendable, Equatable {
  public var revision: Int64
  public var receipt: Receipt

  public init(revision: Int64, receipt: Receipt) { (self.revision, self.receipt) = (revision, receipt) }
}

/// Selects and decodes rows of the tables `event`, `log` and `receipt`.
enum RecordQuery {
  static let events = """
    SELECT e.revision, r.uuid, t.name, e.at, e.kind, e.target_id, e.connection_id, e.sequence, e.count, e.detail
    FROM event e LEFT JOIN run r ON r.id = e.run_id LEFT JOIN target t ON t.id = e.target_id
    """

  /// `nil` for an unknown kind.
  static func event(_ row: RawStatement) -> EventRecord? {
    guard let kind = row.text(4).flatMap(EventKind.init(rawValue:)) else { return nil }
    return EventRecord(
      revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2),
      event: Event(
        at: WallTime(microseconds: row.integer(3)), kind: kind,
        target: row.optionalInteger(5).map(TargetID.init(rawValue:)),
        connectionID: row.optionalInteger(6), sequence: row.optionalInteger(7), count: Int(row.integer(8)),
        detail: row.text(9) ?? ""))
  }

  static let log = """
    SELECT e.revision, r.uuid, t.name, e.at, e.level, e.target_id, e.label, e.message
    FROM log e LEFT JOIN run r ON r.id = e.run_id LEFT JOIN target t ON t.id = e.target_id
    """

  static func log(_ row: RawStatement) -> LogRecord? {
    guard let level = row.text(4).flatMap(LogLine.Level.init(rawValue:)) else { return nil }
    return LogRecord(
      revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2),
      line: LogLine(
        at: WallTime(microseconds: row.integer(3)), level: level,
        target: row.optionalInteger(5).map(TargetID.init(rawValue:)), label: row.text(6) ?? "",
        message: row.text(7) ?? ""))
  }

  static let receipts = """
    SELECT revision, sample_id, device, received_at, arrived_at, same_clock, offset_us, offset_error_us, duplicate,
      monotonic_ns
    FROM receipt
    """

  static func receipt(_ row: RawStatement) -> ReceiptRecord? {
    ReceiptRecord(
      revision: row.integer(0),
      receipt: Receipt(
        sample: SampleID(rawValue: row.integer(1)), device: row.text(2) ?? "",
        receivedAt: WallTime(microseconds: row.integer(3)),
        arrivedAt: WallTime(microseconds: row.integer(4)), isSameClock: row.integer(5) != 0,
        monotonic: row.optionalInteger(9), offset: row.optionalInteger(6),
        offsetError: row.optionalInteger(7),
        isDuplicate: row.integer(8) != 0))
  }
}

extension StoreReader {
  /// Events written after a cursor, of all runs.
  public func events(after cursor: Int64, limit: Int) throws -> ChangePage<EventRecord> {
    try changes(
      RecordQuery.events + " WHERE e.revision > ?1 ORDER BY e.revision LIMIT ?2", after: cursor, limit: limit,
      RecordQuery.event)
  }

  /// Log lines written after a cursor, of all runs.
  public func log(after cursor: Int64, limit: Int) throws -> ChangePage<LogRecord> {
    try changes(
      RecordQuery.log + " WHERE e.revision > ?1 ORDER BY e.revision LIMIT ?2", after: cursor, limit: limit,
      RecordQuery.log)
  }

  /// The last events of a run, or the last up to a place, oldest first, and the cursor to follow from.
  public func lastEvents(of run: RunID, through place: RecordPlace = .last, limit: Int) throws
    -> ChangePage<EventRecord>
  {
    try last(RecordQuery.events, of: run, through: place, limit: limit, RecordQuery.event)
  }

  /// The last log lines of a run, or the last up to a place, oldest first, and the cursor to follow from.
  public func lastLog(of run: RunID, through place: RecordPlace = .last, limit: Int) throws
    -> ChangePage<LogRecord>
  {
    try last(RecordQuery.log, of: run, through: place, limit: limit, RecordQuery.log)
  }

  /// The first events of a run after a place, oldest first.
  public func firstEvents(of run: RunID, after place: RecordPlace, limit: Int) throws
    -> ContiguousArray<EventRecord>
  {
    try first(RecordQuery.events, of: run, after: place, limit: limit, RecordQuery.event)
  }

  /// The first log lines of a run after a place, oldest first.
  public func firstLog(of run: RunID, after place: RecordPlace, limit: Int) throws
    -> ContiguousArray<LogRecord>
  {
    try first(RecordQuery.log, of: run, after: place, limit: limit, RecordQuery.log)
  }

  /// The receipts of one notification, in the order in which they were stored.
  public func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    try read { db in
      let statement = try RawStatement(
        db, RecordQuery.receipts + " WHERE sample_id = ?1 ORDER BY sample_id, revision LIMIT ?2")
      statement.bind(id.rawValue, at: 1)
      statement.bind(Int64(limit), at: 2)
      defer { statement.reset() }
      var receipts: [Receipt] = []
      while try statement.step() {
        if let record = RecordQuery.receipt(statement) { receipts.append(record.receipt) }
      }
      return receipts
    }
  }

  /// The number of events of a run before a place; reads an index.
  public func eventCount(of run: RunID, before place: RecordPlace = .last) throws -> Int {
    try count("event", of: run, before: place)
  }

  /// The number of log lines of a run before a place; reads an index.
  public func logCount(of run: RunID, before place: RecordPlace = .last) throws -> Int {
    try count("log", of: run, before: place)
  }

  private func count(_ table: String, of run: RunID, before place: RecordPlace) throws -> Int {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT count(*) FROM \(table)
        WHERE run_id = (SELECT id FROM run WHERE uuid = ?1) AND (at, revision) < (?2, ?3)
        """)
      statement.bind(run.description, at: 1)
      statement.bind(place, at: 2)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.integer(0)) : 0
    }
  }

  private func first<Row>(
    _ select: String, of run: RunID, after place: RecordPlace, limit: Int, _ decode: (RawStatement) -> Row?
  ) throws -> ContiguousArray<Row> {
    try read { db in
      let statement = try RawStatement(
        db,
        select + """
           WHERE e.run_id = (SELECT id FROM run WHERE uuid = ?1) AND (e.at, e.revision) > (?2, ?3)
          ORDER BY e.at, e.revision LIMIT ?4
          """)
      statement.bind(run.description, at: 1)
      statement.bind(place, at: 2)
      statement.bind(limit, at: 4)
      var rows = ContiguousArray<Row>()
      while try statement.step() {
        if let row = decode(statement) { rows.append(row) }
      }
      return rows
    }
  }

  private func changes<Row>(
    _ sql: String, after cursor: Int64, limit: Int, _ decode: (RawStatement) -> Row?
  ) throws -> ChangePage<Row> {
    try read { db in
      let statement = try RawStatement(db, sql)
      statement.bind(cursor, at: 1)
      statement.bind(limit, at: 2)
      let page = try Self.page(db, statement, after: cursor, limit: limit) { row in
        (decode(row), row.integer(0))
      }
      return ChangePage(
        rows: ContiguousArray(page.rows.compactMap { $0 }), next: page.next, isComplete: page.isComplete)
    }
  }

  private func last<Row>(
    _ select: String, of run: RunID, through place: RecordPlace, limit: Int, _ decode: (RawStatement) -> Row?
  ) throws -> ChangePage<Row> {
    try read { db in
      let statement = try RawStatement(
        db,
        select + """
           WHERE e.run_id = (SELECT id FROM run WHERE uuid = ?1) AND (e.at, e.revision) <= (?2, ?3)
          ORDER BY e.at DESC, e.revision DESC LIMIT ?4
          """)
      statement.bind(run.description, at: 1)
      statement.bind(place, at: 2)
      statement.bind(limit, at: 4)
      var rows = ContiguousArray<Row>()
      while try statement.step() {
        if let row = decode(statement) { rows.append(row) }
      }
      rows.reverse()
      return ChangePage(rows: rows, next: try Self.revision(db), isComplete: true)
    }
  }
}

extension RawStatement {
  /// Binds time and revision, as two parameters.
  fileprivate func bind(_ place: RecordPlace, at index: Int32) {
    bind(place.at.microseconds, at: index)
    bind(place.revision, at: index + 1)
  }
}
