import GRDB
import Measurement

/// Visits the rows of a stretch of time, from the fewest rollups there are for it.
struct RollupReading {
  typealias Visit = (RollupKey, RollupContent) -> Void

  private let targets: Set<TargetID>
  private let sql: String
  private var rest: Int

  /// - Parameter figures: which values are wanted; the others are not read.
  init(targets: Set<TargetID>, figures: Set<RollupFigure>, limit: Int) {
    self.targets = targets
    rest = limit
    let blobs = RollupFigure.allCases.map { figures.contains($0) ? $0.sql : "NULL" }
    sql = """
      SELECT start, target_id, variant_id, \(RollupTable.numbers), \(blobs.joined(separator: ", "))
      FROM rollup WHERE span = ?1 AND start >= ?2 AND start < ?3 ORDER BY start, target_id, variant_id
      """
  }

  /// Reads from one second to another.
  /// - Returns: how far it came before the limit was reached.
  mutating func read(
    _ span: RollupSpan, from start: Int64, to end: Int64, marks: RollupWatermarks, _ db: Database,
    _ visit: Visit
  ) throws -> Int64 {
    guard start < end else { return start }
    guard let part = span.part else { return try readWhole(span, from: start, to: end, db, visit) }
    let length = Int64(span.rawValue)
    let firstWhole = start == span.start(of: start) ? start : span.start(of: start) + length
    let lastWhole = min(span.start(of: end), marks[span])
    guard firstWhole < lastWhole else { return try read(part, from: start, to: end, marks: marks, db, visit) }
    let head = try read(part, from: start, to: firstWhole, marks: marks, db, visit)
    guard head == firstWhole else { return head }
    let middle = try readWhole(span, from: firstWhole, to: lastWhole, db, visit)
    guard middle == lastWhole else { return middle }
    return try read(part, from: lastWhole, to: end, marks: marks, db, visit)
  }

  private mutating func readWhole(
    _ span: RollupSpan, from start: Int64, to end: Int64, _ db: Database, _ visit: Visit
  ) throws -> Int64 {
    let statement = try RawStatement(db, sql)
    statement.bind(span.rawValue, at: 1)
    statement.bind(start, at: 2)
    statement.bind(end, at: 3)
    defer { statement.reset() }
    var last = start
    while try statement.step() {
      // Only between spans, so that none is read in part.
      if rest <= 0, statement.integer(0) != last { return statement.integer(0) }
      last = statement.integer(0)
      guard targets.contains(TargetID(rawValue: statement.integer(1))) else { continue }
      let row = RollupTable.row(statement, span: span)
      visit(row.key, row.content)
      rest -= 1
    }
    return end
  }
}
