import GRDB
import Measurement

extension StoreReader {
  /// What became of the notifications planned in a stretch of time, in rows whose number follows the stretch and not the
  /// notifications in it.
  ///
  /// The stretch is cut into whole spans of the asked for size, as far as they are written; what remains at its ends
  /// into the next finer ones, down to seconds. What was planned from ``RollupPage/coveredTo`` on (the newest minute or
  /// two) is not rolled up yet and is to be read as points.
  ///
  /// - Parameters:
  ///   - end: excluded.
  ///   - metrics: which latencies are wanted; each costs bytes to read.
  ///   - limit: at most about this many rows; the earliest are read.
  public func rollups(
    of targets: [TargetID], from start: WallTime, to end: WallTime, span: RollupSpan,
    metrics: Set<Metric> = Set(Metric.allCases), limit: Int
  ) throws -> RollupPage {
    try read { db in
      let marks = try RollupWatermarks.fetch(db)
      let first = RollupSpan.firstWholeSecond(start)
      let last = max(first, min(RollupSpan.second(of: end), marks.second))
      var figures = Set(metrics.map(RollupFigure.init))
      if figures.contains(.delivery) { figures.formUnion([.deliveryLow, .deliveryHigh]) }
      var reading = RollupReading(targets: Set(targets), figures: figures, limit: limit)
      var rows: ContiguousArray<RollupRow> = []
      let reached = try reading.read(span, from: first, to: last, marks: marks, db) {
        rows.append(RollupRow(key: $0, content: $1))
      }
      return RollupPage(
        rows: rows, coveredFrom: WallTime(microseconds: first * 1_000_000),
        coveredTo: WallTime(microseconds: reached * 1_000_000), isTruncated: reached < last,
        revision: try Self.revision(db))
    }
  }

  /// Up to when planned time is rolled up; `nil` before anything is.
  public func rollupsCoverTo() throws -> WallTime? {
    try read { db in
      let mark = try RollupWatermarks.fetch(db).second
      return mark == .min ? nil : WallTime(microseconds: mark * 1_000_000)
    }
  }

  /// How many notifications of some targets were planned in a stretch of time.
  ///
  /// Reads nothing but an index, and no further than it has to.
  ///
  /// - Parameters:
  ///   - end: excluded.
  ///   - limit: counting stops here.
  public func pointCount(
    of targets: [TargetID], from start: WallTime, to end: WallTime, atMost limit: Int
  ) throws -> Int {
    let wanted = Set(targets)
    guard limit > 0, let first = targets.min(), let last = targets.max() else { return 0 }
    return try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT id FROM sample INDEXED BY sample_planned_at
        WHERE planned_at >= ?1 AND planned_at < ?2 AND id BETWEEN ?3 AND ?4
        """)
      statement.bind(start.microseconds, at: 1)
      statement.bind(end.microseconds, at: 2)
      statement.bind(first.sampleIDs.lowerBound, at: 3)
      statement.bind(last.sampleIDs.upperBound, at: 4)
      defer { statement.reset() }
      var count = 0
      while count < limit, try statement.step() {
        if wanted.contains(SampleID(rawValue: statement.integer(0)).target) { count += 1 }
      }
      return count
    }
  }

  /// When the first and the last notification of some targets were planned, by their sequence numbers; `nil` when there
  /// is none.
  public func plannedRange(of targets: [TargetID]) throws -> ClosedRange<WallTime>? {
    try read { db in
      var range: ClosedRange<WallTime>?
      for order in ["ASC", "DESC"] {
        let statement = try RawStatement(
          db, "SELECT planned_at FROM sample WHERE id BETWEEN ?1 AND ?2 ORDER BY id \(order) LIMIT 1")
        for target in targets {
          statement.bind(target.sampleIDs.lowerBound, at: 1)
          statement.bind(target.sampleIDs.upperBound, at: 2)
          if try statement.step() {
            let time = WallTime(microseconds: statement.integer(0))
            range = min(range?.lowerBound ?? time, time)...max(range?.upperBound ?? time, time)
          }
          statement.reset()
        }
      }
      return range
    }
  }
}
