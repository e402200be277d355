import GRDB
import Measurement

extension StoreReader {
  /// Adds up what became of a target's notifications planned in a stretch of time, from the fewest rollups: hours where
  /// there are whole ones, minutes and seconds at the ends. Ten million notifications are some hundred rows.
  ///
  /// - Parameters:
  ///   - start: `nil` for the beginning of the store.
  ///   - end: excluded; `nil` for its end.
  /// - Returns: `nil` where nothing of it is rolled up.
  /// - Throws: ``StoreError``.
  public func rollupTotals(
    of target: TargetID, from start: WallTime?, to end: WallTime?, figures: Set<RollupFigure>
  ) throws -> RollupTotals? {
    try read { db in
      let marks = try RollupWatermarks.fetch(db)
      let first =
        start.map(RollupSpan.firstWholeSecond) ?? RollupSpan.second(of: WallTime(microseconds: .min)) + 1
      let last = min(end.map { RollupSpan.second(of: $0) } ?? .max, marks.second)
      guard first < last else { return nil }
      var reading = RollupReading(targets: [target], figures: figures, limit: .max)
      var totals: [VariantID: RollupTotal] = [:]
      _ = try reading.read(.hour, from: first, to: last, marks: marks, db) { key, content in
        totals[key.variant, default: RollupTotal(variant: key.variant)].add(content)
      }
      return RollupTotals(
        variants: totals.values.sorted { $0.variant < $1.variant },
        from: WallTime(microseconds: first * 1_000_000), to: WallTime(microseconds: last * 1_000_000))
    }
  }

  /// Visits a target's notifications that were planned in a stretch of time, in the order of their planned times.
  ///
  /// - Parameter end: excluded.
  public func forEachSample(
    of target: TargetID, plannedFrom start: WallTime, to end: WallTime,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    var chunk = SampleChunk(capacity: SampleChunk.streamCapacity)
    var last = (time: start.microseconds, id: Int64.min)
    repeat {
      try read { db in
        let statement = try RawStatement(
          db,
          """
          SELECT \(SampleColumn.list) FROM sample INDEXED BY sample_planned_at
          WHERE planned_at >= ?1 AND (planned_at > ?1 OR id > ?2) AND planned_at < ?3 AND id BETWEEN ?4 AND ?5
          ORDER BY planned_at, id LIMIT ?6
          """)
        statement.bind(last.time, at: 1)
        statement.bind(last.id, at: 2)
        statement.bind(end.microseconds, at: 3)
        statement.bind(target.sampleIDs.lowerBound, at: 4)
        statement.bind(target.sampleIDs.upperBound, at: 5)
        statement.bind(SampleChunk.streamCapacity, at: 6)
        try chunk.fill(from: statement)
      }
      try chunk.forEach { row in
        last = (row.plannedAt.microseconds, row.id.rawValue)
        try body(row)
      }
    } while chunk.isFull
  }
}
