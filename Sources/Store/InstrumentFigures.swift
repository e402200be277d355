import GRDB
import Measurement

/// The instrument's own error in a run: delays of sending and of the timing thread, and commit times. Written with the
/// run's commits, so that a killed run has them too.
public struct InstrumentFigures: Sendable, Equatable {
  /// Delays of one kind, µs.
  public struct Lag: Sendable, Equatable {
    /// The number of values.
    public var count: Int64
    public var median: Int64
    public var p99: Int64
    public var maximum: Int64

    public init(count: Int64 = 0, median: Int64 = 0, p99: Int64 = 0, maximum: Int64 = 0) {
      self.count = count
      self.median = median
      self.p99 = p99
      self.maximum = maximum
    }
  }

  /// The name of the collector's host.
  public var host: String
  /// Planned → sent, over all targets, with waits for a free stream of the connection.
  public var scheduleLag: Lag
  /// The delay of the timing thread's wake-ups.
  public var loopLag: Lag
  public var commits: Int64
  /// µs.
  public var longestCommit: Int64
  /// Commits that took longer than 100 ms.
  public var commitStalls: Int64

  public init(
    host: String, scheduleLag: Lag = Lag(), loopLag: Lag = Lag(), commits: Int64 = 0,
    longestCommit: Int64 = 0, commitStalls: Int64 = 0
  ) {
    self.host = host
    self.scheduleLag = scheduleLag
    self.loopLag = loopLag
    self.commits = commits
    self.longestCommit = longestCommit
    self.commitStalls = commitStalls
  }
}

/// The stored instrument figures of a run.
public struct InstrumentRecord: Sendable, Equatable {
  public var figures: InstrumentFigures
  /// The newest calibration of that host when the run began; `nil` when there was none.
  public var calibration: Calibration?
}

extension InstrumentFigures {
  /// The columns of the table `instrument` except those of the run and the calibration. The host is the first: the statement
  /// that writes them refers to it by its number.
  fileprivate static let columns: [RecordColumn<InstrumentFigures>] = [
    .init("host", \.host),
    .init("schedule_lag_count", \.scheduleLag.count), .init("schedule_lag_p50_us", \.scheduleLag.median),
    .init("schedule_lag_p99_us", \.scheduleLag.p99), .init("schedule_lag_max_us", \.scheduleLag.maximum),
    .init("loop_lag_count", \.loopLag.count), .init("loop_lag_p50_us", \.loopLag.median),
    .init("loop_lag_p99_us", \.loopLag.p99), .init("loop_lag_max_us", \.loopLag.maximum),
    .init("commits", \.commits), .init("longest_commit_us", \.longestCommit),
    .init("commit_stalls", \.commitStalls),
  ]
}

extension RecordWriter {
  /// Writes the run's figures so far. The first write also refers to the host's newest calibration, which later writes
  /// keep.
  func write(_ figures: InstrumentFigures, runRow: Int64) throws {
    let statement = try RawStatement(db, Self.instrumentSQL)
    statement.bind(runRow, at: 1)
    Self.instrument.bind(figures, in: statement)
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

  private static let instrument = Inserted(InstrumentFigures.columns, after: ["run_id"])

  private static let instrumentSQL = """
    INSERT INTO instrument (\(instrument.names), calibration_id)
    VALUES (\(instrument.parameters), (SELECT max(id) FROM calibration WHERE host = ?2))
    ON CONFLICT (run_id) DO UPDATE SET \(InstrumentFigures.columns.dropFirst().map(\.name).upsertAssignments)
    """
}

extension StoreReader {
  /// The instrument figures of a run; `nil` during the run's first second, for runs of older versions, and where they
  /// cannot be read.
  public func instrument(of run: RunID) throws -> InstrumentRecord? {
    try read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT x.calibration_id, \(InstrumentFigures.columns.selectList())
          FROM run r JOIN instrument x ON x.run_id = r.id WHERE r.uuid = ?
          """,
        arguments: [run.description])
      guard let row,
        let figures = row.record(InstrumentFigures.columns, from: 1, into: InstrumentFigures(host: ""))
      else { return nil }
      let calibration = try (row[0] as Int64?).flatMap { try Self.calibrations("c.id = ?", [$0], db).first }
      return InstrumentRecord(figures: figures, calibration: calibration)
    }
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
