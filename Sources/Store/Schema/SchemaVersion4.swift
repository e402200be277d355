import GRDB
import Measurement

/// Version 4: the range of each delivery latency. Rows of version 3 are not rewritten, so that upgrading a large store
/// takes a moment: their ranges follow from value and error (``DeliveryRange``).
enum SchemaVersion4 {
  static func apply(_ db: Database) throws {
    try db.execute(
      sql: rangeColumns + "DROP VIEW sample_view;\n"
        + StoreViews.sampleView(and: StoreViews.certainty + ranges))
    try tellExchangesApart(db)
    try takeBackInexactRollups(db)
  }

  /// The columns of a rollup are NULL where they equal the latencies.
  private static let rangeColumns = """
    ALTER TABLE sample ADD COLUMN delivery_high_us INTEGER;
    ALTER TABLE rollup ADD COLUMN delivery_low BLOB;
    ALTER TABLE rollup ADD COLUMN delivery_high BLOB;
    ALTER TABLE rollup ADD COLUMN fresh_delivery_low BLOB;
    ALTER TABLE rollup ADD COLUMN fresh_delivery_high BLOB;

    """

  private static let ranges = """
    ,
      CASE WHEN s.delivery_us IS NULL THEN NULL
        ELSE max(0, s.delivery_us - max(0, ifnull(s.delivery_error_us, s.delivery_us))) END AS delivery_low_us,
      CASE WHEN s.delivery_us IS NULL THEN NULL
        ELSE max(0, ifnull(s.delivery_high_us, CASE WHEN ifnull(s.delivery_error_us, s.delivery_us) = s.delivery_us
          THEN s.delivery_us ELSE s.delivery_us + max(0, s.delivery_error_us) END)) END AS delivery_high_us
    """

  /// In version 3 an error that equals its latency means "no clock exchange". Where there was one and the two are equal
  /// by chance, the upper end is written.
  private static func tellExchangesApart(_ db: Database) throws {
    guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM clock_exchange)") == true else { return }
    try db.execute(
      sql: """
        UPDATE sample SET delivery_high_us = delivery_us + delivery_error_us
        WHERE delivery_us > 0 AND delivery_error_us = delivery_us AND EXISTS (
          SELECT 1 FROM receipt c
          WHERE c.sample_id = sample.id AND c.duplicate = 0 AND c.offset_us IS NOT NULL)
        """)
  }

  /// Rollups of deliveries with an error lack the ranges. From the hour of the first of them on, rollups are deleted,
  /// and the next collector rebuilds them in steps. Older rollups, and those whose notifications were deleted, stay.
  private static func takeBackInexactRollups(_ db: Database) throws {
    func mark(_ span: Int64) throws -> Int64? {
      try Int64.fetchOne(db, sql: "SELECT covered_to FROM rollup_mark WHERE span = ?", arguments: [span])
    }
    func firstInexact(_ span: Int64, from start: Int64) throws -> Int64? {
      try Int64.fetchOne(
        db,
        sql: """
          SELECT start FROM rollup
          WHERE span = ? AND start >= ? AND (delivery_error IS NOT NULL OR delivery_limit IS NOT NULL)
          ORDER BY start LIMIT 1
          """,
        arguments: [span, start])
    }
    // Hours first, then what is newer than the last whole one, to read few rows.
    let starts = [
      try firstInexact(3600, from: .min), try firstInexact(60, from: mark(3600) ?? .min),
      try firstInexact(1, from: mark(60) ?? .min),
    ].compactMap { $0 }
    let oldest = try Int64.fetchOne(
      db, sql: "SELECT planned_at FROM sample INDEXED BY sample_planned_at ORDER BY planned_at LIMIT 1")
    guard let first = starts.min(), let oldest else { return }
    let cut = max(
      RollupSpan.hour.start(of: first),
      RollupSpan.hour.start(of: RollupSpan.second(of: WallTime(microseconds: oldest))))
    for span in [1, 60, 3600] as [Int64] {
      try db.execute(sql: "DELETE FROM rollup WHERE span = ? AND start >= ?", arguments: [span, cut])
    }
    try db.execute(
      sql: "UPDATE rollup_mark SET covered_to = ?1 WHERE covered_to > ?1", arguments: [cut])
  }
}
