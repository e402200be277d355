import GRDB
import Measurement

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

  /// Receipts written after a cursor, of all runs.
  public func receipts(after cursor: Int64, limit: Int) throws -> ChangePage<ReceiptRecord> {
    try changes(
      RecordQuery.receipts + " WHERE revision > ?1 ORDER BY revision LIMIT ?2", after: cursor, limit: limit,
      RecordQuery.receipt)
  }

  /// The last events of a run, oldest first, and the cursor to follow from.
  public func lastEvents(of run: RunID, limit: Int) throws -> ChangePage<EventRecord> {
    try last(RecordQuery.events, of: run, limit: limit, RecordQuery.event)
  }

  /// The last log lines of a run, oldest first, and the cursor to follow from.
  public func lastLog(of run: RunID, limit: Int) throws -> ChangePage<LogRecord> {
    try last(RecordQuery.log, of: run, limit: limit, RecordQuery.log)
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
    _ select: String, of run: RunID, limit: Int, _ decode: (RawStatement) -> Row?
  ) throws -> ChangePage<Row> {
    try read { db in
      let statement = try RawStatement(
        db,
        select + """
           WHERE e.run_id = (SELECT id FROM run WHERE uuid = ?1) ORDER BY e.revision DESC LIMIT ?2
          """)
      statement.bind(run.description, at: 1)
      statement.bind(limit, at: 2)
      var rows = ContiguousArray<Row>()
      while try statement.step() {
        if let row = decode(statement) { rows.append(row) }
      }
      rows.reverse()
      return ChangePage(rows: rows, next: try Self.revision(db), isComplete: true)
    }
  }
}
