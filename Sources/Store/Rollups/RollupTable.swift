import GRDB
import Measurement

/// Reads and writes rows of the `rollup` table.
struct RollupTable {
  private let select: RawStatement
  private let replace: RawStatement
  private let delete: RawStatement

  init(_ db: Database) throws {
    select = try RawStatement(
      db,
      """
      SELECT \(Self.content) FROM rollup WHERE span = ?1 AND start = ?2 AND target_id = ?3 AND variant_id = ?4
      """)
    replace = try RawStatement(db, Self.replaceSQL)
    delete = try RawStatement(
      db, "DELETE FROM rollup WHERE span = ?1 AND start = ?2 AND target_id = ?3 AND variant_id = ?4")
  }

  static let counts = StateCounts.columns.joined(separator: ", ")
  static let countColumns = Int32(StateCounts.columns.count)
  private static let content = numbers + ", " + RollupFigure.allCases.map(\.sql).joined(separator: ", ")
  private static let figureColumnNames = RollupFigure.allCases.map(\.name).joined(separator: ", ")
  /// State counts, then side counts.
  static let numbers = counts + ", " + RollupSideCounts.columns
  private static let firstFigure = countColumns + RollupSideCounts.columnCount
  private static let figureColumns = Int32(RollupFigure.allCases.count)

  private static let replaceSQL = """
    INSERT OR REPLACE INTO rollup (span, start, target_id, variant_id, \(numbers), \(figureColumnNames))
    VALUES (\((1...4 + firstFigure + figureColumns).map { "?\($0)" }.joined(separator: ", ")))
    """

  /// Selects rows of a span by a range of starts, in the order of their keys, for ``row(_:span:)``.
  static let stretchSQL = """
    SELECT start, target_id, variant_id, \(content) FROM rollup
    WHERE span = ?1 AND start >= ?2 AND start < ?3 ORDER BY start, target_id, variant_id
    """

  static func row(_ statement: RawStatement, span: RollupSpan) -> (key: RollupKey, content: RollupContent) {
    (
      RollupKey(
        span: span, start: statement.integer(0), target: TargetID(rawValue: statement.integer(1)),
        variant: VariantID(rawValue: statement.integer(2))),
      content(statement, from: 3)
    )
  }

  static func counts(_ statement: RawStatement, from column: Int32) -> StateCounts {
    var counts = StateCounts()
    for place in StateCounts.columns.indices {
      counts[column: place] = Int(statement.integer(column + Int32(place)))
    }
    return counts
  }

  private static func content(_ statement: RawStatement, from column: Int32) -> RollupContent {
    let sideCounts = column + countColumns
    var content = RollupContent(
      counts: counts(statement, from: column),
      sideCounts: RollupSideCounts(
        duplicates: Int(statement.integer(sideCounts)), outOfOrder: Int(statement.integer(sideCounts + 1)),
        freshConnections: Int(statement.integer(sideCounts + 2))))
    for (index, figure) in RollupFigure.allCases.enumerated() {
      let bytes = statement.blob(column + firstFigure + Int32(index))
      if !bytes.isEmpty { content.figures[figure] = PackedLatencies(bytes: bytes) }
    }
    return content
  }

  /// The stored content; empty when there is no row.
  func content(of key: RollupKey) throws -> RollupContent {
    Self.bind(key, in: select)
    defer { select.reset() }
    return try select.step() ? Self.content(select, from: 0) : RollupContent()
  }

  /// Replaces a row; deletes it when it has no notification left.
  func write(_ content: RollupContent, for key: RollupKey) throws {
    guard content.counts.planned != 0 else {
      Self.bind(key, in: delete)
      return try delete.run()
    }
    Self.bind(key, in: replace)
    for place in StateCounts.columns.indices {
      replace.bind(content.counts[column: place], at: 5 + Int32(place))
    }
    for (index, number) in content.sideCounts.all.enumerated() {
      replace.bind(number, at: 5 + Self.countColumns + Int32(index))
    }
    for (index, figure) in RollupFigure.allCases.enumerated() {
      let packed = content.figures[figure]
      let isImplied = figure.standIn.map { content.figures[$0] == packed } ?? false
      replace.bind(isImplied ? [] : packed.bytes, at: 5 + Self.firstFigure + Int32(index))
    }
    try replace.run()
  }

  private static func bind(_ key: RollupKey, in statement: RawStatement) {
    statement.bind(key.span.rawValue, at: 1)
    statement.bind(key.start, at: 2)
    statement.bind(key.target.rawValue, at: 3)
    statement.bind(key.variant.rawValue, at: 4)
  }
}
