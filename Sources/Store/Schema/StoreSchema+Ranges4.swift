import GRDB
import Measurement

extension StoreSchema {
  /// Version 4: between which ends each delivery latency lies. Rows of version 3 are left as they are, so that a large
  /// store is brought up in a moment: what they do not say follows from value and error (``DeliveryRange``).
  static func addDeliveryRanges(_ db: Database) throws {
    try db.execute(sql: rangeColumns + "DROP VIEW sample_view;\n" + sampleView(and: certainty + ranges))
    try tellExchangesApart(db)
    try takeBackInexactRollups(db)
  }

  /// A rollup's are NULL where they are the same as the latencies.
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

  /// An error exactly as large as its latency stands for "no clock exchange" in version 3. Where there was one, and the
  /// two are the same by chance, the upper end has to be written down.
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

  /// Rollups with deliveries that have an error lack the ranges. From the hour of the first of them on, rollups are taken
  /// back, and the next collector makes them anew in steps; what lies before, and what has no errors, stays. So does what
  /// there are no notifications of any more.
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
    // Hours first, then what is newer than the last whole one: few rows tell.
    let starts = [
      try firstInexact(3600, from: .min), try firstInexact(60, from: mark(3600) ?? .min),
      try firstInexact(1, from: mark(60) ?? .min),
    ].compactMap { $0 }
    let oldest = try Int64.fetchOne(
      db, sql: "SELECT planned_at FROM sample INDEXED BY sample_planned_at ORDER BY planned_at LIMIT 1")
    guard let first = starts.min(), let oldest else { return }
    func hour(_ second: Int64) -> Int64 { second - (second % 3600 + 3600) % 3600 }
    let cut = max(hour(first), hour(RollupSpan.second(of: WallTime(microseconds: oldest))))
    for span in [1, 60, 3600] as [Int64] {
      try db.execute(sql: "DELETE FROM rollup WHERE span = ? AND start >= ?", arguments: [span, cut])
    }
    try db.execute(
      sql: "UPDATE rollup_mark SET covered_to = ?1 WHERE covered_to > ?1", arguments: [cut])
  }
}
