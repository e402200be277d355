import GRDB
public import Measurement

/// An event or a log line: what happened in a run, which is read in pages, followed and visited in one way.
public protocol RecordContent: Sendable, Equatable {
  /// Its table, in the store and in an engine.
  static var table: ForwardedTable { get }
  static var columns: [RecordColumn<Self>] { get }
  /// How many of the columns stand before the target's name, where all are listed.
  static var columnsBeforeTarget: Int { get }
  /// What the columns are read into.
  static var blank: Self { get }

  var at: WallTime { get }
  var target: TargetID? { get set }
}

extension RecordContent {
  /// What stands for all columns, with what stands for the target's name in its place among them.
  public static func list<Value>(_ columns: [Value], with target: Value...) -> [Value] {
    columns.prefix(columnsBeforeTarget) + target + columns.dropFirst(columnsBeforeTarget)
  }
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
  public static var columnsBeforeTarget: Int { 1 }
  public static var blank: Event { Event(at: WallTime(microseconds: 0), kind: .runStarted) }

  public static let columns: [RecordColumn<Event>] = [
    .init("at", \.at, .exported),
    .init("kind", \.kind, .exported),
    .init("connection_id", \.connectionID, .exported),
    .init("sequence", \.sequence, .exported),
    .init("count", \.count, .exported),
    .init("detail", \.detail, .exported),
  ]
}

extension LogLine: RecordContent {
  public static var table: ForwardedTable { .log }
  public static var columnsBeforeTarget: Int { 2 }
  public static var blank: LogLine {
    LogLine(at: WallTime(microseconds: 0), level: .info, label: "", message: "")
  }

  public static let columns: [RecordColumn<LogLine>] = [
    .init("at", \.at, .exported),
    .init("level", \.level, .exported),
    .init("label", \.label, .exported, as: .name),
    .init("message", \.message, .exported),
  ]
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
    SELECT x.revision, r.uuid, t.name, x.target_id, \(Content.columns.selectList())
    FROM \(Content.table.rawValue) x LEFT JOIN run r ON r.id = x.run_id LEFT JOIN target t ON t.id = x.target_id
    """
  }

  /// `nil` for what only a newer pushscope knows.
  static func decode(_ row: RawStatement) -> StoredRecord<Content>? {
    guard var content = row.record(Content.columns, from: 4, into: Content.blank) else { return nil }
    content.target = row.optionalInteger(3).map(TargetID.init(rawValue:))
    return StoredRecord(
      revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2),
      content: content)
  }
}

extension StoreReader {
  /// The last records of a run up to a place, oldest first, and the cursor to follow from.
  public func last<Content: RecordContent>(
    _: Content.Type, of run: RunID, through place: RecordPlace = .last, limit: Int
  ) throws -> ChangePage<StoredRecord<Content>> {
    try read { db in
      var rows: ContiguousArray<StoredRecord<Content>> = try Self.records(
        db, of: run, "(x.at, x.revision) <= (?2, ?3) ORDER BY x.at DESC, x.revision DESC", place, limit)
      rows.reverse()
      return ChangePage(rows: rows, next: try Self.revision(db), isComplete: true)
    }
  }

  /// The first records of a run after a place, oldest first.
  public func first<Content: RecordContent>(
    _: Content.Type, of run: RunID, after place: RecordPlace, limit: Int
  ) throws -> ContiguousArray<StoredRecord<Content>> {
    try read { db in
      try Self.records(db, of: run, "(x.at, x.revision) > (?2, ?3) ORDER BY x.at, x.revision", place, limit)
    }
  }

  /// Records written after a cursor, of all runs.
  public func changes<Content: RecordContent>(
    _: Content.Type, after cursor: Int64, limit: Int
  ) throws -> ChangePage<StoredRecord<Content>> {
    try read { db in
      let statement = try RawStatement(
        db, RecordQuery<Content>.select + " WHERE x.revision > ?1 ORDER BY x.revision LIMIT ?2")
      statement.bind(cursor, at: 1)
      statement.bind(limit, at: 2)
      let page = try Self.page(db, statement, after: cursor, limit: limit) { row in
        (RecordQuery<Content>.decode(row), row.integer(0))
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
         WHERE x.run_id = (SELECT id FROM run WHERE uuid = ?1) AND \(condition) LIMIT ?4
        """)
    statement.bind(run.description, at: 1)
    statement.bind(place, at: 2)
    statement.bind(limit, at: 4)
    var rows = ContiguousArray<StoredRecord<Content>>()
    while try statement.step() {
      if let row = RecordQuery<Content>.decode(statement) { rows.append(row) }
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
