import GRDB
import Measurement

/// How far a store is forwarded to a fleet.
public struct ForwardCursor: Sendable, Equatable, Codable {
  /// The fleet's id.
  public var fleet: String
  /// All rows up to this revision are in the fleet.
  public var revision: Int64
  /// The store's revision when a collector opened it, for the first time since ``CollectorStore/resumeForwarding(_:)``; `nil`
  /// when none has. A higher revision in the fleet is not this file's: the file is an older copy of the one that was forwarded.
  public var openedAt: Int64?

  /// A collector opened the store, which may be another file than the last time.
  static func recordOpening(at revision: Int64, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE forward_cursor SET opened_at_revision = ? WHERE opened_at_revision IS NULL",
      arguments: [revision])
  }

  /// Rows so far are the former collector's. What was closed when the store was opened is not: whoever has the original knows
  /// better.
  static func recordAdoption(of store: CollectorStore, _ db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO adoption (revision, collector) SELECT ?, collector FROM meta",
      arguments: [store.revisionAtStart])
  }

  static func fetch(_ fleet: String, _ db: Database) throws -> ForwardCursor? {
    try Row.fetchOne(
      db, sql: "SELECT revision, opened_at_revision FROM forward_cursor WHERE fleet = ?", arguments: [fleet]
    ).map { ForwardCursor(fleet: fleet, revision: try $0.value(0), openedAt: try $0.optional(1)) }
  }

  /// The revision of the fleet that the store is to be forwarded to; 0 when that has not been reached yet.
  static func currentRevision(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT revision FROM forward_cursor WHERE is_current = 1") ?? 0
  }

  /// The revision of a fleet, or of the current one.
  fileprivate static func revision(of fleet: String?, _ db: Database) throws -> Int64 {
    guard let fleet else { return try currentRevision(db) }
    return try fetch(fleet, db)?.revision ?? 0
  }
}

/// A part of a store that is sent at once.
public struct ForwardWindow: Sendable, Equatable {
  /// The revision that all rows of the window exceed.
  public var after: Int64
  /// The highest revision of the window.
  public var through: Int64
  /// The id of the collector that the rows are of.
  public var collector: String
  /// Whether there are rows with a higher revision.
  public var isMore: Bool

  public init(after: Int64, through: Int64, collector: String, isMore: Bool = false) {
    (self.after, self.through, self.collector, self.isMore) = (after, through, collector, isMore)
  }

  public var isEmpty: Bool { through <= after }
}

extension StoreReader {
  /// The next rows to forward: so few that they are in memory at once.
  ///
  /// Commits are serialized, so that rows up to the store's present revision are complete, whatever is written meanwhile: a row
  /// that changes gets a higher one.
  /// - Throws: ``StoreError``.
  public func forwardWindow(after cursor: Int64) throws -> ForwardWindow {
    try read { db in
      let last = try Self.revision(db)
      var through = last
      var collector = try String.fetchOne(db, sql: "SELECT collector FROM meta") ?? ""
      let adoption = try Row.fetchOne(
        db, sql: "SELECT revision, collector FROM adoption WHERE revision > ? ORDER BY revision LIMIT 1",
        arguments: [cursor])
      if let adoption {
        through = min(through, adoption[0])
        collector = adoption[1]
      }
      for table in ForwardedTable.allCases {
        let statement = try RawStatement(
          db,
          """
          SELECT revision FROM \(table.rawValue) WHERE revision > ?1 AND revision <= ?2
          ORDER BY revision LIMIT 1 OFFSET \(table.rowLimit - 1)
          """)
        statement.bind(cursor, at: 1)
        statement.bind(through, at: 2)
        if try statement.step() { through = min(through, statement.integer(0)) }
        statement.reset()
      }
      return ForwardWindow(after: cursor, through: through, collector: collector, isMore: through < last)
    }
  }

  /// Reads a table's rows of a window in one read transaction.
  public func forward(
    _ table: ForwardedTable, _ window: ForwardWindow, _ body: (ForwardedRow) throws -> Void
  ) throws {
    try read { db in
      let statement = try RawStatement(db, table.selectSQL)
      statement.bind(window.after, at: 1)
      statement.bind(window.through, at: 2)
      statement.bind(window.collector, at: 3)
      defer { statement.reset() }
      while try statement.step() { try body(ForwardedRow(statement)) }
    }
  }

  /// Which rows of a table have a revision in a window.
  public func forwardDigest(_ table: ForwardedTable, _ window: ForwardWindow) throws -> ForwardDigest {
    try read { db in
      let statement = try RawStatement(db, table.digestSQL)
      statement.bind(window.after, at: 1)
      statement.bind(window.through, at: 2)
      statement.bind(window.collector, at: 3)
      defer { statement.reset() }
      var digest = ForwardDigest()
      while try statement.step() {
        guard let run = statement.text(0) else { continue }
        digest.runs[run] = .init(rows: statement.integer(1), revisions: statement.integer(2))
      }
      return digest
    }
  }

  /// The number of rows that are not in a fleet.
  ///
  /// Reads an index from the cursor on, some ms for a hundred thousand rows, in several transactions: of a fleet that was gone for
  /// weeks, one would keep the log from being emptied.
  /// - Parameters:
  ///   - fleet: its id; `nil` for the one that the store is forwarded to.
  ///   - rowsAtOnce: the rows of each transaction.
  /// - Throws: ``StoreError``.
  public func forwardBacklog(of fleet: String? = nil, rowsAtOnce: Int64 = 200_000) throws -> Int {
    let (cursor, revision) = try read { db in
      (try ForwardCursor.revision(of: fleet, db), try Self.revision(db))
    }
    var rows = 0
    for table in ForwardedTable.allCases {
      var part = ForwardBacklog.Part(last: cursor, isFull: true)
      while part.isFull, part.last < revision {
        part = try read { db in
          try ForwardBacklog.part(of: table, after: part.last, to: revision, atMost: rowsAtOnce, db)
        }
        rows += part.rows
      }
    }
    return rows
  }

  /// How far the store is forwarded, where it ever was.
  /// - Returns: `nil` for a store that is not forwarded, and for one that is forwarded as a whole.
  public func forwardPause() throws -> ForwardPause? {
    try read { db in
      guard
        let row = try Row.fetchOne(
          db, sql: "SELECT revision, moved_at FROM forward_cursor WHERE is_current = 1"),
        case let cursor = row[0] as Int64, try Self.revision(db) > cursor
      else { return nil }
      var rows = 0
      for table in ForwardedTable.allCases where rows < ForwardPause.most {
        rows += try ForwardBacklog.count(
          of: table, after: cursor, atMost: ForwardPause.most - rows, db)
      }
      return rows == 0
        ? nil : ForwardPause(cursor: cursor, rows: rows, since: WallTime(microseconds: row[1]))
    }
  }
}

/// Tells whether two stores have the same rows of a table that only grows, without its rows.
public struct ForwardDigest: Sendable, Equatable {
  /// The rows of one run.
  public struct Part: Sendable, Equatable {
    public var rows: Int64
    /// Their sum.
    public var revisions: Int64

    public init(rows: Int64, revisions: Int64) { (self.rows, self.revisions) = (rows, revisions) }
  }

  /// The parts, keyed by the id of a run.
  public var runs: [String: Part] = [:]

  public init() {}
}

/// Where the forwarding of a store has come to, and what waits there.
public struct ForwardPause: Sendable, Equatable {
  /// The same as long as nothing is forwarded.
  public var cursor: Int64
  /// Rows that are not in the fleet, counted up to ``most``.
  public var rows: Int
  /// When rows were last forwarded, or forwarding to this fleet began.
  public var since: WallTime

  public static let most = 100_000

  public init(cursor: Int64, rows: Int, since: WallTime) {
    (self.cursor, self.rows, self.since) = (cursor, rows, since)
  }
}

enum ForwardBacklog {
  /// Some rows of a table, in the order of their revisions.
  fileprivate struct Part {
    /// Those that are to be forwarded: no notification that is only planned.
    var rows = 0
    /// The revision of the last one.
    var last: Int64
    /// Whether there may be more.
    var isFull = false
  }

  fileprivate static func part(
    of table: ForwardedTable, after cursor: Int64, to revision: Int64, atMost limit: Int64, _ db: Database
  ) throws -> Part {
    let isForwarded = table == .sample ? "state <> \(NotificationState.planned.rawValue)" : "1"
    let statement = try RawStatement(
      db,
      """
      SELECT count(*), sum(counts), max(revision) FROM (
        SELECT revision, \(isForwarded) AS counts FROM \(table.rawValue)
        WHERE revision > ?1 AND revision <= ?2 ORDER BY revision LIMIT ?3)
      """)
    statement.bind(cursor, at: 1)
    statement.bind(revision, at: 2)
    statement.bind(limit, at: 3)
    defer { statement.reset() }
    guard try statement.step(), statement.integer(0) > 0 else { return Part(last: cursor) }
    return Part(
      rows: Int(statement.integer(1)), last: statement.integer(2), isFull: statement.integer(0) == limit)
  }

  fileprivate static func count(
    of table: ForwardedTable, after cursor: Int64, atMost limit: Int, _ db: Database
  )
    throws -> Int
  {
    let condition = table == .sample ? "AND state <> \(NotificationState.planned.rawValue)" : ""
    let statement = try RawStatement(
      db,
      """
      SELECT count(*) FROM (SELECT 1 FROM \(table.rawValue) WHERE revision > ?1 \(condition) LIMIT ?2)
      """)
    statement.bind(cursor, at: 1)
    statement.bind(Int64(limit), at: 2)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  /// The start of the hour of the oldest row before an instant that is not in the fleet; `nil` when there is none.
  ///
  /// Of rows that come in the order of time, only the first ones that wait are looked at: among them are those of a clock that was
  /// set back a moment later.
  static func oldest(_ kind: RetainedKind, before time: WallTime, _ db: Database) throws -> WallTime? {
    let sql: String
    switch kind {
    case .samples:
      sql = """
        SELECT planned_at FROM sample INDEXED BY sample_planned_at
        WHERE planned_at < ?2 AND revision > ?1 ORDER BY planned_at LIMIT 1
        """
    case .findings: sql = "SELECT min(started_at) FROM finding WHERE revision > ?1 AND started_at < ?2"
    default:
      guard !kind.staysOnHost, let (table, time) = kind.rowsInOrder else { return nil }
      sql = """
        SELECT min(at) FROM (SELECT \(time) AS at FROM \(table) WHERE revision > ?1 ORDER BY revision LIMIT 1000)
        WHERE at < ?2
        """
    }
    let statement = try RawStatement(db, sql)
    statement.bind(try ForwardCursor.currentRevision(db), at: 1)
    statement.bind(time.microseconds, at: 2)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    let hour = RollupSpan.hour.start(of: WallTime(microseconds: statement.integer(0)).seconds)
    return WallTime(seconds: hour)
  }
}

extension CollectorStore {
  /// The store is to be forwarded to the fleet at a place. Until a fleet was reached there, nothing counts as forwarded.
  /// - Throws: ``StoreError``.
  public func expectForwarding(at place: String) throws {
    try transaction { db, _ in
      let isKnown = try Bool.fetchOne(
        db, sql: "SELECT place IS ? FROM forward_cursor WHERE is_current = 1", arguments: [place])
      guard isKnown != true else { return }
      try makeCurrent("", at: place, db)
    }
  }

  /// How far the store is forwarded to a fleet, from now on its only one.
  /// - Parameter place: where it was reached.
  /// - Throws: ``StoreError``.
  public func beginForwarding(to fleet: String, at place: String) throws -> ForwardCursor {
    var cursor = ForwardCursor(fleet: fleet, revision: 0, openedAt: revisionAtStart)
    try transaction { db, _ in
      try makeCurrent(fleet, at: place, db)
      try db.execute(sql: "DELETE FROM forward_cursor WHERE fleet = ''")
      cursor = try ForwardCursor.fetch(fleet, db) ?? cursor
    }
    return cursor
  }

  private func makeCurrent(_ fleet: String, at place: String, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO forward_cursor (fleet, revision, opened_at_revision, is_current, moved_at, place)
        VALUES (?1, 0, ?2, 1, ?3, ?4) ON CONFLICT (fleet) DO UPDATE SET is_current = 1, place = ?4
        """,
      arguments: [fleet, revisionAtStart, clock.wallNow().microseconds, place])
    try db.execute(sql: "UPDATE forward_cursor SET is_current = 0 WHERE fleet <> ?", arguments: [fleet])
  }

  /// The fleet has nothing of this collector that the store does not know: notes that, until a collector opens the store again.
  public func resumeForwarding(_ fleet: String) throws {
    try transaction { db, _ in
      try db.execute(
        sql: "UPDATE forward_cursor SET opened_at_revision = NULL WHERE fleet = ?", arguments: [fleet])
    }
  }

  /// Records in a transaction of its own that all rows up to a revision are in the fleet.
  /// - Throws: ``StoreError``.
  public func moveForwardCursor(of fleet: String, to revision: Int64) throws {
    try transaction { db, _ in
      try db.cachedStatement(
        sql: "UPDATE forward_cursor SET revision = ?, moved_at = ? WHERE fleet = ? AND is_current = 1"
      ).execute(arguments: [revision, clock.wallNow().microseconds, fleet])
    }
  }
}
