import GRDB
import Measurement

extension RecordWriter {
  /// Writes what the run's machinery did so far. The first time it also says which calibration stood when the run
  /// began; a later one does not replace it.
  func write(_ figures: InstrumentFigures, runRow: Int64) throws {
    let statement = try RawStatement(db, Self.instrumentSQL)
    statement.bind(runRow, at: 1)
    statement.bind(figures.host, at: 2)
    let numbers = [
      figures.scheduleLag.count, figures.scheduleLag.median, figures.scheduleLag.p99,
      figures.scheduleLag.maximum, figures.loopLag.count, figures.loopLag.median, figures.loopLag.p99,
      figures.loopLag.maximum, figures.commits, figures.longestCommit, figures.commitStalls,
    ]
    for (index, number) in numbers.enumerated() { statement.bind(number, at: Int32(3 + index)) }
    try statement.run()
  }

  /// Writes a calibration with its figures.
  func insert(_ calibration: Calibration) throws {
    try db.execute(
      sql: "INSERT INTO calibration (at, host, boot_id, rate, length_us, planned) VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        calibration.at.microseconds, calibration.host, calibration.bootID, calibration.rate,
        calibration.length, calibration.planned,
      ])
    let id = db.lastInsertedRowID
    for floor in calibration.floors {
      try insert(0, .known(value: floor.minimum, low: floor.minimum, high: floor.minimum), floor, id)
      for figure in floor.figures { try insert(figure.quantile.fraction, figure.estimate, floor, id) }
      try insert(1, .known(value: floor.maximum, low: floor.maximum, high: floor.maximum), floor, id)
    }
  }

  private func insert(
    _ quantile: Double, _ estimate: QuantileEstimate, _ floor: Calibration.Floor, _ calibration: Int64
  ) throws {
    var known: (value: Int64, low: Int64, high: Int64)?
    if case .known(let value, let low, let high) = estimate { known = (value, low, high) }
    try db.execute(
      sql: """
        INSERT INTO calibration_figure (calibration_id, interval, quantile, counted, value_us, low_us, high_us)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        calibration, floor.interval.rawValue, quantile, floor.counted, known?.value, known?.low, known?.high,
      ])
  }

  private static let instrumentSQL: String = {
    let columns = [
      "schedule_lag_count", "schedule_lag_p50_us", "schedule_lag_p99_us", "schedule_lag_max_us",
      "loop_lag_count", "loop_lag_p50_us", "loop_lag_p99_us", "loop_lag_max_us", "commits",
      "longest_commit_us", "commit_stalls",
    ]
    return """
      INSERT INTO instrument (run_id, host, calibration_id, \(columns.joined(separator: ", ")))
      VALUES (?1, ?2, (SELECT max(id) FROM calibration WHERE host = ?2),
        \(columns.indices.map { "?\($0 + 3)" }.joined(separator: ", ")))
      ON CONFLICT (run_id) DO UPDATE SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
  }()
}
