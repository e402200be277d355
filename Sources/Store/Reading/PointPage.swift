import GRDB
import Measurement

/// The result of reading points.
public struct PointPage: Sendable, Equatable {
  /// Ascending by id, so by target, then sequence.
  public var points: ContiguousArray<PointRow>
  /// The store's revision at the read: the cursor to follow changes from.
  public var revision: Int64
  /// Whether the oldest were left out because of the limit.
  public var isTruncated: Bool

  public init(points: ContiguousArray<PointRow>, revision: Int64, isTruncated: Bool) {
    (self.points, self.revision, self.isTruncated) = (points, revision, isTruncated)
  }
}

extension StoreReader {
  /// The last points of each target.
  /// - Parameter limit: at most this many per target.
  public func lastPoints(of targets: [TargetID], limit: Int) throws -> PointPage {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT \(PointRow.columns) FROM sample WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT ?3
        """)
      var points = ContiguousArray<PointRow>()
      var isTruncated = false
      for target in targets.sorted() {
        let range = target.sampleIDs
        statement.bind(range.lowerBound, at: 1)
        statement.bind(range.upperBound, at: 2)
        statement.bind(limit + 1, at: 3)
        let start = points.count
        while try statement.step() { points.append(PointRow(from: statement)) }
        if points.count - start > limit {
          isTruncated = true
          points.removeLast()
        }
        points[start...].reverse()
      }
      return PointPage(points: points, revision: try Self.revision(db), isTruncated: isTruncated)
    }
  }

  /// The points of some targets in a range of planned time.
  /// - Parameters:
  ///   - end: excluded.
  ///   - limit: the largest number in all; the newest are returned.
  public func points(
    of targets: [TargetID], plannedFrom start: WallTime, to end: WallTime, limit: Int
  ) throws -> PointPage {
    let wanted = Set(targets)
    guard let first = targets.min(), let last = targets.max() else {
      return PointPage(points: [], revision: try revision(), isTruncated: false)
    }
    return try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT \(PointRow.columns) FROM sample INDEXED BY sample_planned_at
        WHERE planned_at >= ?3 AND planned_at < ?4 AND id BETWEEN ?1 AND ?2 ORDER BY planned_at DESC
        """)
      statement.bind(
        first.sampleIDs.lowerBound...last.sampleIDs.upperBound, plannedFrom: start, to: end)
      var points = ContiguousArray<PointRow>()
      var isTruncated = false
      while try statement.step() {
        guard wanted.contains(SampleID(rawValue: statement.integer(0)).target) else { continue }
        guard points.count < limit else {
          isTruncated = true
          statement.reset()
          break
        }
        points.append(PointRow(from: statement))
      }
      points.reverse()
      if wanted.count > 1 || !points.isAscending { points.sort { $0.id < $1.id } }
      return PointPage(points: points, revision: try Self.revision(db), isTruncated: isTruncated)
    }
  }

  /// The points of all runs that changed after a cursor, in their current state.
  ///
  /// A point that changes again is returned again. Plans that recovery removes are not seen here: read the run again
  /// when it ends as `interrupted`.
  public func changedPoints(after cursor: Int64, limit: Int) throws -> ChangePage<PointRow> {
    try read { db in
      let statement = try RawStatement(
        db,
        """
        SELECT \(PointRow.columns), revision FROM sample INDEXED BY sample_revision
        WHERE revision > ?1 ORDER BY revision LIMIT ?2
        """)
      statement.bind(cursor, at: 1)
      statement.bind(limit, at: 2)
      return try Self.page(db, statement, after: cursor, limit: limit) { row in
        (PointRow(from: row), row.integer(PointRow.columnCount))
      }
    }
  }

  /// The number of notifications of some targets in a range of planned time.
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
      if try Self.hasRolledUp(limit, of: wanted, from: start, to: end, db) { return limit }
      if first == last { return try Self.count(of: first, from: start, to: end, atMost: limit, db) }
      let statement = try RawStatement(
        db,
        """
        SELECT id FROM sample INDEXED BY sample_planned_at
        WHERE planned_at >= ?3 AND planned_at < ?4 AND id BETWEEN ?1 AND ?2
        """)
      statement.bind(
        first.sampleIDs.lowerBound...last.sampleIDs.upperBound, plannedFrom: start, to: end)
      defer { statement.reset() }
      var count = 0
      while count < limit, try statement.step() {
        if wanted.contains(SampleID(rawValue: statement.integer(0)).target) { count += 1 }
      }
      return count
    }
  }

  /// Whether the whole hours of a range have as many notifications: some rows tell that of millions.
  private static func hasRolledUp(
    _ count: Int, of targets: Set<TargetID>, from start: WallTime, to end: WallTime, _ db: Database
  ) throws -> Bool {
    let watermarks = try RollupWatermarks.fetch(db)
    // Rollups know of notifications that retention has deleted, too.
    guard watermarks.hour > .min, try !PrunedSpans.fetch(db).hasPruned(samplesFrom: start) else {
      return false
    }
    let first = RollupSpan.hour.start(of: RollupSpan.firstWholeSecond(start) + 3_599)
    let last = RollupSpan.hour.start(of: min(end.seconds, watermarks.hour))
    var known = 0
    // Where so many hours have too few, counting is quick.
    var reading = RollupReading(targets: targets, figures: [], limit: 500)
    _ = try reading.read(.hour, from: first, to: last, watermarks: watermarks, db) {
      known += $1.counts.planned
    }
    return known >= count
  }

  /// Collects the rows of a statement ordered by revision.
  static func page<Row>(
    _ db: Database, _ statement: RawStatement, after cursor: Int64, limit: Int,
    decode: (RawStatement) throws -> (Row, revision: Int64)
  ) throws -> ChangePage<Row> {
    var rows = ContiguousArray<Row>()
    var last = cursor
    while try statement.step() {
      let (row, revision) = try decode(statement)
      rows.append(row)
      last = revision
    }
    let isComplete = rows.count < limit
    return ChangePage(
      rows: rows, next: isComplete ? max(cursor, try revision(db)) : last, isComplete: isComplete)
  }
}

extension TargetID {
  /// The ids its samples can have.
  var sampleIDs: ClosedRange<Int64> {
    SampleID(target: self, sequence: 0)
      .rawValue...SampleID(target: self, sequence: SampleID.sequenceMask).rawValue
  }
}

extension ContiguousArray<PointRow> {
  fileprivate var isAscending: Bool {
    for index in indices.dropFirst() where self[index].id < self[index - 1].id { return false }
    return true
  }
}

extension RawStatement {
  /// Binds which notifications to read.
  /// - Parameters:
  ///   - ids: ?1 and ?2.
  ///   - start: ?3; `nil`, like the end, for no limit.
  ///   - end: ?4, excluded.
  func bind(_ ids: ClosedRange<Int64>, plannedFrom start: WallTime?, to end: WallTime?) {
    bind(ids.lowerBound, at: 1)
    bind(ids.upperBound, at: 2)
    bind(start?.microseconds ?? .min, at: 3)
    bind(end?.microseconds ?? .max, at: 4)
  }
}
