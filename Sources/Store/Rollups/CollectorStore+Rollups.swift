import GRDB
import Measurement

extension CollectorStore {
  /// Planned time is rolled up when it is this old: by then nearly all of its notifications have their end.
  public static let rollupDelay = Duration.seconds(60)

  /// Writes the next rollups of what was planned more than ``rollupDelay`` ago, in one transaction of bounded size.
  ///
  /// Whoever keeps the store calls it again and again; commits in between go on, and a store that is behind (recorded
  /// by an older version, or ended in a hurry) is so caught up with in steps. Nothing is written when there is nothing
  /// to roll up.
  ///
  /// - Parameter limit: about how many rows to read; a whole second, minute or hour is never split.
  /// - Returns: whether there is more to do now.
  /// - Throws: ``StoreError``. Nothing was written then.
  public func rollUp(atMost limit: Int = 2_000) throws -> Bool {
    let oldest = clock.wallNow().advanced(byMicroseconds: -Self.rollupDelay.microseconds)
    let end = RollupSpan.second(of: oldest)
    let isNeeded = try read { db in
      let marks = try RollupWatermarks.fetch(db)
      return try marks.areCoarseSpansBehind || Self.isAnythingPlanned(from: marks.second, to: end, db)
    }
    guard isNeeded else { return false }
    var isBehind = false
    try transaction { db, state in
      var marks = try state.marks(db)
      let builder = try RollupBuilder(db)
      var rest = limit
      for span in RollupSpan.allCases {
        let reached = span.part.map { marks[$0] } ?? end
        guard reached > .min else { continue }
        rest -= try builder.advance(span, to: span.start(of: reached), limit: max(0, rest), marks: &marks)
      }
      state.rollupWatermarks = marks
      isBehind = marks.second < end || marks.areCoarseSpansBehind
    }
    return isBehind
  }

  private static func isAnythingPlanned(from start: Int64, to end: Int64, _ db: Database) throws -> Bool {
    guard start < end else { return false }
    let statement = try RawStatement(
      db,
      """
      SELECT 1 FROM sample INDEXED BY sample_planned_at WHERE planned_at >= ?1 AND planned_at < ?2 LIMIT 1
      """)
    statement.bind(start == .min ? .min : start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    return try statement.step()
  }
}
