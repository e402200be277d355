import GRDB
import Measurement

extension StoreReader {
  /// What a run's machinery did to its own figures; `nil` before the run's first second is over, and for runs of older
  /// versions.
  public func instrument(of run: RunID) throws -> InstrumentRecord? {
    try read { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT i.* FROM run r JOIN instrument i ON i.run_id = r.id WHERE r.uuid = ?",
        arguments: [run.description])
      guard let row else { return nil }
      let calibration = try (row["calibration_id"] as Int64?).flatMap {
        try Self.calibrations("c.id = ?", [$0], db).first
      }
      return InstrumentRecord(
        figures: InstrumentFigures(
          host: row["host"], scheduleLag: Self.lag("schedule_lag", row), loopLag: Self.lag("loop_lag", row),
          commits: row["commits"], longestCommit: row["longest_commit_us"],
          commitStalls: row["commit_stalls"]),
        calibration: calibration)
    }
  }

  /// The newest calibration, of one host or of any.
  public func latestCalibration(of host: String? = nil) throws -> Calibration? {
    try read { db in
      try Self.calibrations(
        "c.id = (SELECT max(id) FROM calibration WHERE ?1 IS NULL OR host = ?1)", [host], db
      ).first
    }
  }

  private static func lag(_ name: String, _ row: Row) -> InstrumentFigures.Lag {
    InstrumentFigures.Lag(
      count: row["\(name)_count"], median: row["\(name)_p50_us"], p99: row["\(name)_p99_us"],
      maximum: row["\(name)_max_us"])
  }

  private static func calibrations(
    _ condition: String, _ arguments: StatementArguments, _ db: Database
  ) throws -> [Calibration] {
    try Row.fetchAll(db, sql: "SELECT c.* FROM calibration c WHERE \(condition)", arguments: arguments).map {
      row in
      let figures = try Row.fetchAll(
        db,
        sql: """
          SELECT interval, quantile, counted, value_us, low_us, high_us FROM calibration_figure
          WHERE calibration_id = ? ORDER BY interval, quantile
          """,
        arguments: [row["id"] as Int64])
      return Calibration(
        at: WallTime(microseconds: row["at"]), host: row["host"], bootID: row["boot_id"], rate: row["rate"],
        length: row["length_us"], planned: row["planned"],
        floors: Calibration.Interval.allCases.compactMap { floor($0, figures) })
    }
  }

  private static func floor(_ interval: Calibration.Interval, _ rows: [Row]) -> Calibration.Floor? {
    let rows = rows.filter { $0["interval"] == interval.rawValue }
    func end(_ quantile: Double) -> Int64? { rows.first { $0["quantile"] == quantile }?["value_us"] }
    guard let first = rows.first, let minimum = end(0), let maximum = end(1) else { return nil }
    return Calibration.Floor(
      interval: interval, counted: first["counted"], minimum: minimum, maximum: maximum,
      figures: Quantile.standard.compactMap { quantile in
        guard let row = rows.first(where: { $0["quantile"] == quantile.fraction }) else { return nil }
        guard let value = row["value_us"] as Int64?, let low = row["low_us"] as Int64?,
          let high = row["high_us"] as Int64?
        else {
          return Calibration.Figure(quantile: quantile, estimate: .tooFew(needs: quantile.smallestCount))
        }
        return Calibration.Figure(quantile: quantile, estimate: .known(value: value, low: low, high: high))
      })
  }
}
