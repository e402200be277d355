import GRDB
public import Measurement

/// An event or a log line: what happened in a run, which is read in pages, followed and visited in one way.
public protocol RecordContent: Sendable, Equatable {
  /// Its table, in the store and in an engine.
  static var table: ForwardedTable { get }
  /// Its columns in this table, in the order in which ``init(at:target:reading:)`` reads them.
  static var columns: [RecordColumn] { get }

  var at: WallTime { get }

  /// - Returns: `nil` for a kind that only a newer pushscope knows; all columns are read then, too.
  init?(at time: WallTime, target: TargetID?, reading fields: inout some RecordFields) throws
}

/// A column of an event or a log line.
public struct RecordColumn: Sendable {
  public let name: String
  /// Otherwise a number.
  public let isText: Bool

  fileprivate static func text(_ name: String) -> RecordColumn { RecordColumn(name: name, isText: true) }
  fileprivate static func number(_ name: String) -> RecordColumn { RecordColumn(name: name, isText: false) }
}

/// The values of a row that are still to be read, from left to right.
public protocol RecordFields {
  mutating func text() throws -> String
  mutating func integer() throws -> Int64
  mutating func optionalInteger() throws -> Int64?
}

/// An event or a log line with its run and target.
public struct StoredRecord<Content: RecordContent>: Sendable, Equatable {
  public var revision: Int64
  public var run: RunID?
  public var targetName: String?
  public var content: Content

  public init(revision: Int64, run: RunID?, targetName: String?, content: Content) {
    (self.revision, self.run, self.targetName, self.content) = (revision, run, targetName, content)
  }
}

public typealias EventRecord = StoredRecord<Event>
public typealias LogRecord = StoredRecord<LogLine>

extension EventRecord {
  public var event: Event { content }
}

extension LogRecord {
  public var line: LogLine { content }
}

extension Event: RecordContent {
  public static var table: ForwardedTable { .event }
  public static var columns: [RecordColumn] {
    [.text("kind"), .number("connection_id"), .number("sequence"), .number("count"), .text("detail")]
  }

  public init?(at time: WallTime, target: TargetID?, reading fields: inout some RecordFields) throws {
    let kind = EventKind(rawValue: try fields.text())
    let (connection, sequence) = (try fields.optionalInteger(), try fields.optionalInteger())
    let (count, detail) = (Int(try fields.integer()), try fields.text())
    guard let kind else { return nil }
    self.init(
      at: time, kind: kind, target: target, connectionID: connection, sequence: sequence, count: count,
      detail: detail)
  }
}

extension LogLine: RecordContent {
  public static var table: ForwardedTable { .log }
  public static var columns: [RecordColumn] { [.text("level"), .text("label"), .text("message")] }

  public init?(at time: WallTime, target: TargetID?, reading fields: inout some RecordFields) throws {
    let level = Level(rawValue: try fields.text())
    let (label, message) = (try fields.text(), try fields.text())
    guard let level else { return nil }
    self.init(at: time, level: level, target: target, label: label, message: message)
  }
}

extension SampleSource {
  /// Visits events by run, then in order; those of no run come first.
  public func forEachEvent(_ selection: RowSelection, _ body: (EventRecord) throws -> Void) throws {
    try forEachRecord(selection, body)
  }

  /// Visits log lines by run, then in order; those of no run come first.
  public func forEachLogLine(_ selection: RowSelection, _ body: (LogRecord) throws -> Void) throws {
    try forEachRecord(selection, body)
  }
}

// MARK: - In a store

/// Selects and decodes rows of the tables `event` and `log`.
enum RecordQuery<Content: RecordContent> {
  static var select: String {
    """
    SELECT e.revision, r.uuid, t.name, e.at, e.target_id, \(Content.columns.map { "e.\($0.name)" }.joined(separator: ", "))
    FROM \(Content.table.rawValue) e LEFT JOIN run r ON r.id = e.run_id LEFT JOIN target t ON t.id = e.target_id
    """
  }

  /// `nil` for what only a newer pushscope knows.
  static func decode(_ row: RawStatement) throws -> StoredRecord<Content>? {
    var fields = StatementFields(row: row, next: 5)
    return try Content(
      at: WallTime(microseconds: row.integer(3)),
      target: row.optionalInteger(4).map(TargetID.init(rawValue:)),
      reading: &fields
    ).map {
      StoredRecord(
        revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2), content: $0
      )
    }
  }
}

private struct StatementFields: RecordFields {
  let row: RawStatement
  var next: Int32

  private mutating func take() -> Int32 {
    defer { next += 1 }
    return next
  }

  mutating func text() -> String { row.text(take()) ?? "" }
  mutating func integer() -> Int64 { row.integer(take()) }
  mutating func optionalInteger() -> Int64? { row.optionalInteger(take()) }
}

extension StoreReader {
  /// The last records of a run up to a place, oldest first, and the cursor to follow from.
  public func last<Content: RecordContent>(
    _: Content.Type, of run: RunID, through place: RecordPlace = .last, limit: Int
  ) throws -> ChangePage<StoredRecord<Content>> {
    try read { db in
      var rows: ContiguousArray<StoredRecord<Content>> = try Self.records(
        db, of: run, "(e.at, e.revision) <= (?2, ?3) ORDER BY e.at DESC, e.revision DESC", place, limit)
      rows.reverse()
      return ChangePage(rows: rows, next: try Self.revision(db), isComplete: true)
    }
  }

  /// The first records of a run after a place, oldest first.
  public func first<Content: RecordContent>(
    _: Content.Type, of run: RunID, after place: RecordPlace, limit: Int
  ) throws -> ContiguousArray<StoredRecord<Content>> {
    try read { db in
      try Self.records(db, of: run, "(e.at, e.revision) > (?2, ?3) ORDER BY e.at, e.revision", place, limit)
    }
  }

  /// Records written after a cursor, of all runs.
  public func changes<Content: RecordContent>(
    _: Content.Type, after cursor: Int64, limit: Int
  ) throws -> ChangePage<StoredRecord<Content>> {
    try read { db in
      let statement = try RawStatement(
        db, RecordQuery<Content>.select + " WHERE e.revision > ?1 ORDER BY e.revision LIMIT ?2")
      statement.bind(cursor, at: 1)
      statement.bind(limit, at: 2)
      let page = try Self.page(db, statement, after: cursor, limit: limit) { row in
        (try RecordQuery<Content>.decode(row), row.integer(0))
      }
      return ChangePage(
        rows: ContiguousArray(page.rows.compactMap { $0 }), next: page.next, isComplete: page.isComplete)
    }
  }

  /// The number of records of a run before a place; reads an index.
  public func count<Content: RecordContent>(
    _: Content.Type, of run: RunID, before place: RecordPlace = .last
  ) throws -> Int {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT count(*) FROM \(Content.table.rawValue)
        WHERE run_id = (SELECT id FROM run WHERE uuid = ?1) AND (at, revision) < (?2, ?3)
        """)
      statement.bind(run.description, at: 1)
      statement.bind(place, at: 2)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.integer(0)) : 0
    }
  }

  private static func records<Content>(
    _ db: Database, of run: RunID, _ condition: String, _ place: RecordPlace, _ limit: Int
  ) throws -> ContiguousArray<StoredRecord<Content>> {
    let statement = try RawStatement(
      db,
      RecordQuery<Content>.select + """
         WHERE e.run_id = (SELECT id FROM run WHERE uuid = ?1) AND \(condition) LIMIT ?4
        """)
    statement.bind(run.description, at: 1)
    statement.bind(place, at: 2)
    statement.bind(limit, at: 4)
    var rows = ContiguousArray<StoredRecord<Content>>()
    while try statement.step() {
      if let row = try RecordQuery<Content>.decode(statement) { rows.append(row) }
    }
    return rows
  }
}

extension RawStatement {
  /// Binds time and revision, as two parameters.
  fileprivate func bind(_ place: RecordPlace, at index: Int32) {
    bind(place.at.microseconds, at: index)
    bind(place.revision, at: index + 1)
  }
}
