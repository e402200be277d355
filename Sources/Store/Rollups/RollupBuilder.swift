import GRDB
import Measurement

/// Writes rollups of planned time that is over: seconds from notifications, minutes from seconds, hours from minutes.
struct RollupBuilder {
  private let db: Database
  private let table: RollupTable

  init(_ db: Database) throws {
    self.db = db
    table = try RollupTable(db)
  }

  /// Takes one span's mark onwards, at most to `end`.
  /// - Parameters:
  ///   - end: seconds since 1970, a whole number of spans.
  ///   - limit: stop at the next whole span after so many rows were read.
  /// - Returns: how many rows were read.
  func advance(_ span: RollupSpan, to end: Int64, limit: Int, marks: inout RollupWatermarks) throws -> Int {
    let start = marks[span]
    guard start < end else { return 0 }
    let done =
      span == .second
      ? try readNotifications(from: start, to: end, limit: limit)
      : try readParts(of: span, from: start, to: end, limit: limit)
    try marks.advance(span, to: done.reached, db)
    return done.rows
  }

  private func readNotifications(
    from start: Int64, to end: Int64, limit: Int
  ) throws -> (reached: Int64, rows: Int) {
    let statement = try RawStatement(
      db,
      """
      SELECT \(RollupContribution.columns) FROM sample INDEXED BY sample_planned_at
      WHERE planned_at >= ?1 AND planned_at < ?2 ORDER BY planned_at
      """)
    statement.bind(start == .min ? .min : start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    var gathering = RollupBatch(span: .second)
    var rows = 0
    while try statement.step() {
      let facts = RollupContribution(from: statement)
      if gathering.start != facts.second {
        try gathering.write(to: table)
        if rows >= limit { return (facts.second, rows) }
        gathering.begin(facts.second)
      }
      gathering.add(facts)
      rows += 1
    }
    try gathering.write(to: table)
    return (end, rows)
  }

  private func readParts(
    of span: RollupSpan, from start: Int64, to end: Int64, limit: Int
  ) throws -> (reached: Int64, rows: Int) {
    guard let part = span.part else { return (end, 0) }
    let statement = try RawStatement(db, RollupTable.stretchSQL)
    statement.bind(part.rawValue, at: 1)
    statement.bind(start, at: 2)
    statement.bind(end, at: 3)
    defer { statement.reset() }
    var gathering = RollupBatch(span: span)
    var rows = 0
    while try statement.step() {
      let row = RollupTable.row(statement, span: part)
      let whole = span.start(of: row.key.start)
      if gathering.start != whole {
        // Writing rows of another span than the one that is being read does not disturb the reading.
        try gathering.write(to: table)
        if rows >= limit { return (whole, rows) }
        gathering.begin(whole)
      }
      gathering.add(row.content, target: row.key.target, variant: row.key.variant)
      rows += 1
    }
    try gathering.write(to: table)
    return (end, rows)
  }
}
