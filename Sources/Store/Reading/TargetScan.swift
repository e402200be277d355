import GRDB
import Measurement

/// The shorter way to a target's notifications of a range of planned time.
///
/// The index of planned times has the entries of all targets, and each notification of the target is then looked up by its
/// key; by keys, all of the target's rows are read one after the other. In a run with many targets the first steps over the
/// entries of all of them, for each one that is asked for.
enum TargetScan {
  case plannedTimes, keys

  /// - Parameter end: excluded.
  static func shorter(
    for target: TargetID, from start: WallTime, to end: WallTime, _ db: Database
  ) throws -> TargetScan {
    let counts = NotificationState.allCases.map { "y.\($0.name)" }.joined(separator: " + ")
    let row = try db.cachedRows(
      """
      SELECT r.started_at, ifnull(r.ended_at, (SELECT max(planned_at) FROM sample)),
        total(iif(t.id = ?1, \(counts), 0)), total(\(counts))
      FROM target t JOIN run r ON r.id = t.run_id JOIN tally y ON y.target_id = t.id
      WHERE t.run_id = (SELECT run_id FROM target WHERE id = ?1)
      """, [target.rawValue]
    ).first
    guard let row, let first = row[0] as Int64?, let last = row[1] as Int64?, last > first else {
      return .plannedTimes
    }
    let (own, all): (Double, Double) = (row[2], row[3])
    let part = max(0, Double(min(end.microseconds, last)) - Double(max(start.microseconds, first)))
    let share = min(1, part / Double(last - first))
    // A step over a row takes about twice as long as one over an entry of the index, and looking up a row four times.
    return 2 * own < share * (all + 4 * own) ? .keys : .plannedTimes
  }
}

extension StoreReader {
  /// Visits a target's notifications of a range of planned time, in the order of their planned times or of their sequence
  /// numbers, which differ only where the wall clock was set back.
  ///
  /// - Parameter end: excluded.
  public func forEachSample(
    of target: TargetID, plannedFrom start: WallTime, to end: WallTime, columns: SampleColumns,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    guard start < end else { return }
    switch try read({ try TargetScan.shorter(for: target, from: start, to: end, $0) }) {
    case .keys: try forEachSampleByKey(of: target, start, end, columns, body)
    case .plannedTimes: try forEachSampleByTime(target.sampleIDs, start, end, columns, body)
    }
  }

  /// Visits the notifications of some targets in a range of planned time, in the order of their planned times.
  ///
  /// - Parameter end: excluded.
  public func forEachSample(
    of targets: Set<TargetID>, plannedFrom start: WallTime, to end: WallTime,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    try forEachSampleByTime(.min ... .max, start, end, .all) { row in
      if targets.contains(row.id.target) { try body(row) }
    }
  }

  func forEachSampleByKey(
    of target: TargetID, _ start: WallTime?, _ end: WallTime?, _ columns: SampleColumns,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    let ids = target.sampleIDs
    try forEachSample(
      "NOT INDEXED WHERE id > ?1 AND id <= ?2 AND planned_at >= ?3 AND planned_at < ?4 ORDER BY id",
      columns,
      bind: { statement, last in
        statement.bind((last?.id ?? ids.lowerBound - 1)...ids.upperBound, plannedFrom: start, to: end)
      }, body)
  }

  private func forEachSampleByTime(
    _ ids: ClosedRange<Int64>, _ start: WallTime, _ end: WallTime, _ columns: SampleColumns,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    try forEachSample(
      """
      INDEXED BY sample_planned_at WHERE planned_at >= ?1 AND (planned_at > ?1 OR id > ?2) AND planned_at < ?3
        AND id BETWEEN ?4 AND ?5 ORDER BY planned_at, id
      """,
      columns,
      bind: { statement, last in
        statement.bind(last?.plannedAt ?? start.microseconds, at: 1)
        statement.bind(last?.id ?? .min, at: 2)
        statement.bind(end.microseconds, at: 3)
        statement.bind(ids.lowerBound, at: 4)
        statement.bind(ids.upperBound, at: 5)
      }, body)
  }

  /// Visits the rows of a query of the table `sample`, in its order.
  ///
  /// - Parameters:
  ///   - condition: continues the query.
  ///   - bind: gets the last row of the chunk before.
  private func forEachSample(
    _ condition: String, _ columns: SampleColumns,
    bind: @escaping @Sendable (RawStatement, _ last: (id: Int64, plannedAt: Int64)?) -> Void,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    let sql = "SELECT \(columns.list) FROM sample \(condition) LIMIT "
    try SampleStream(columns) { [self] chunk, last in
      try read { db in
        let statement = try RawStatement(db, sql + "\(chunk.capacity)")
        bind(statement, last)
        try chunk.fill(from: statement)
      }
    }.forEach(body)
  }

  /// Counts the notifications of a target one after the other, by the shorter way.
  static func count(
    of target: TargetID, from start: WallTime, to end: WallTime, atMost limit: Int, _ db: Database
  ) throws -> Int {
    let isByKey = try TargetScan.shorter(for: target, from: start, to: end, db) == .keys
    let statement = try RawStatement(
      db,
      """
      SELECT count(*) FROM (
        SELECT 1 FROM sample \(isByKey ? "NOT INDEXED" : "INDEXED BY sample_planned_at")
        WHERE planned_at >= ?3 AND planned_at < ?4 AND id BETWEEN ?1 AND ?2 LIMIT ?5)
      """)
    statement.bind(target.sampleIDs, plannedFrom: start, to: end)
    statement.bind(limit, at: 5)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }
}
