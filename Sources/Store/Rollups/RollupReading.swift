import GRDB
import Measurement

/// Visits the fewest rollups that cover a range of time.
struct RollupReading {
  typealias Visit = (RollupKey, RollupContent) -> Void

  private let targets: Set<TargetID>
  private let ascending: [TargetID]
  private let sql: String
  private var rest: Int
  /// Rows of other targets that are stepped over one by one; looking up a place costs about as much.
  private static let longestWalk = 4

  /// - Parameter figures: the figures to read.
  init(targets: Set<TargetID>, figures: Set<RollupFigure>, limit: Int) {
    self.targets = targets
    ascending = targets.sorted()
    rest = limit
    let blobs = RollupFigure.allCases.map { figures.contains($0) ? $0.sql : "NULL" }
    sql = """
      SELECT start, target_id, variant_id, \(RollupTable.numbers), \(blobs.joined(separator: ", "))
      FROM rollup WHERE span = ?1 AND (start, target_id) >= (?2, ?3) AND start < ?4
      ORDER BY start, target_id, variant_id
      """
  }

  /// Reads the rollups between two seconds since 1970. Where finer ones are deleted, the coarser ones at the ends are read
  /// whole.
  /// - Returns: the second up to which everything was read.
  mutating func read(
    _ span: RollupSpan, from start: Int64, to end: Int64, watermarks: RollupWatermarks, _ db: Database,
    _ visit: Visit
  ) throws -> Int64 {
    guard start < end else { return start }
    // Coarse spans are kept at least as long as finer ones.
    let minutes = min(end, max(start, watermarks.first(.minute)))
    let seconds = min(end, max(minutes, watermarks.first(.second)))
    var reached = start
    for (finest, last) in [(RollupSpan.hour, minutes), (.minute, seconds), (.second, end)]
    where reached < last {
      let length = Int64(finest.rawValue)
      let whole = min(finest.start(of: last &+ (length - 1)), max(last, watermarks[finest]))
      let wanted = span.rawValue < finest.rawValue ? finest : span
      let stretches = wanted.stretches(
        from: reached == .min ? reached : finest.start(of: reached), to: whole, finest: finest
      ) { watermarks[$0] }
      for stretch in stretches {
        let done = try read(stretch, db, visit)
        guard done == stretch.end else { return max(start, done) }
      }
      reached = last
    }
    return end
  }

  /// - Returns: the second up to which everything was read.
  private mutating func read(_ stretch: RollupStretch, _ db: Database, _ visit: Visit) throws -> Int64 {
    let statement = try RawStatement(db, sql)
    statement.bind(stretch.span.rawValue, at: 1)
    statement.bind(stretch.start, at: 2)
    statement.bind(Int64.min, at: 3)
    statement.bind(stretch.end, at: 4)
    defer { statement.reset() }
    var last = stretch.start
    var skipped = 0
    while try statement.step() {
      // Stop between spans, so that none is read partially.
      if rest <= 0, statement.integer(0) != last { return statement.integer(0) }
      last = statement.integer(0)
      let target = TargetID(rawValue: statement.integer(1))
      guard targets.contains(target) else {
        skipped += 1
        // Where many others are between, the index leads to the next one: reading each of N targets by itself must not
        // step over the rows of all of them.
        if skipped > Self.longestWalk {
          skipped = 0
          let next = ascending.first { $0 > target }
          statement.reset()
          statement.bind(next == nil ? last + 1 : last, at: 2)
          statement.bind(next?.rawValue ?? .min, at: 3)
        }
        continue
      }
      skipped = 0
      let row = RollupTable.row(statement, span: stretch.span)
      visit(row.key, row.content)
      rest -= 1
    }
    return stretch.end
  }
}

extension StoreReader {
  /// The rollups of a range of planned time. Their number depends on the range, not on its notifications.
  ///
  /// The range is divided into whole spans of the requested size, as far as they exist, and the rest at its ends into
  /// the next finer ones, down to seconds. Notifications from ``RollupPage/coveredTo`` on (the newest minute or two)
  /// are not rolled up yet; read them as points. Where retention has deleted the finer ones, the rows at the ends of the range
  /// are whole minutes or hours, which begin before it or end after it.
  ///
  /// - Parameters:
  ///   - end: excluded.
  ///   - metrics: the latencies to read.
  ///   - limit: about the largest number of rows; the earliest are returned.
  public func rollups(
    of targets: [TargetID], from start: WallTime, to end: WallTime, span: RollupSpan,
    metrics: Set<Metric> = Set(Metric.allCases), limit: Int
  ) throws -> RollupPage {
    try read { db in
      let watermarks = try RollupWatermarks.fetch(db)
      let first = RollupSpan.firstWholeSecond(start)
      let last = max(first, min(end.seconds, watermarks.second))
      var reading = RollupReading(
        targets: Set(targets), figures: RollupFigure.ranged(metrics), limit: limit)
      var rows: ContiguousArray<RollupRow> = []
      let reached = try reading.read(span, from: first, to: last, watermarks: watermarks, db) {
        rows.append(RollupRow(key: $0, content: $1))
      }
      return RollupPage(
        rows: rows, coveredFrom: WallTime(seconds: first),
        coveredTo: WallTime(seconds: reached), isTruncated: reached < last,
        revision: try Self.revision(db))
    }
  }

  /// The end of the rolled-up planned time; `nil` before the first rollup.
  public func rollupsCoverTo() throws -> WallTime? {
    try read { db in
      let mark = try RollupWatermarks.fetch(db).second
      return mark == .min ? nil : WallTime(seconds: mark)
    }
  }
}

extension Range<Int64> {
  /// Seconds since 1970 as instants, as far as they are in a range of time.
  func times(within start: WallTime?, _ end: WallTime?) -> Range<WallTime> {
    let first = WallTime(seconds: lowerBound)
    let last = WallTime(seconds: upperBound)
    return Range<WallTime>(
      uncheckedBounds: (start.map { Swift.max($0, first) } ?? first, end.map { Swift.min($0, last) } ?? last))
  }
}
