import GRDB
import Measurement

/// A table of a fleet's engine and what its rows are read from. Names and units are the CSV's.
public enum ForwardedTable: String, Sendable, Hashable, CaseIterable {
  case run, target, sample, receipt, event, log, path, finding, tombstone

  /// The columns in the order in which they are read and sent.
  public var columns: [ForwardedColumn] {
    switch self {
    case .run: Self.head + Self.forwarded(RunRecord.columns)
    case .target: Self.head + Self.forwarded(TargetDescription.columns)
    case .sample: Self.head + Self.sampleColumns
    case .receipt: Self.head + Self.receiptColumns
    case .event: Self.head + Self.columns(of: Event.self)
    case .log: Self.head + Self.columns(of: LogLine.self)
    case .path: Self.head + Self.pathColumns
    case .finding: Self.head + Self.forwarded(FindingRecord.columns)
    case .tombstone: [Self.head[0], Self.head[1], Self.head[2], .init("at", .time)]
    }
  }

  /// How many rows are read at a time at most: rows of some tables hold text of some kB.
  var rowLimit: Int {
    switch self {
    case .log, .event, .finding: 2_000
    case .run, .target, .sample, .receipt, .path, .tombstone: 10_000
    }
  }

  /// Rows with a revision in (?1, ?2] of runs of the collector ?3, oldest revision first.
  var selectSQL: String {
    let list = columns.map { $0.expression(self) }.joined(separator: ", ")
    return """
      SELECT \(list) FROM \(source) WHERE x.revision > ?1 AND x.revision <= ?2 AND \(condition)
      ORDER BY x.revision
      """
  }

  /// Counts the changes of columns since 0.1.0.
  public static var changesOfColumns: Int { StoreSchema.forwardedChanges }

  /// Tables whose rows are added and never changed: the revision is what tells one from another.
  public static let insertOnly: [ForwardedTable] = [.receipt, .event, .log, .path]

  /// The query that counts, for each run, the rows with a revision in (?1, ?2], and sums these revisions.
  var digestSQL: String {
    """
    SELECT ifnull(r.uuid, '\(Self.noRun)'), count(*), sum(x.revision) FROM \(source)
    WHERE x.revision > ?1 AND x.revision <= ?2 AND \(condition) GROUP BY 1
    """
  }

  /// Stands for the run id in rows that belong to no run.
  public static let noRun = "00000000-0000-0000-0000-000000000000"

  /// The table with the name x, its run as r, its target as t. Rows of a run that is being deleted have no target.
  private var source: String {
    let target = "JOIN run r ON r.id = t.run_id"
    return switch self {
    case .run: "run r JOIN run x ON x.id = r.id"
    case .target: "target x JOIN target t ON t.id = x.id \(target)"
    case .sample:
      "sample x JOIN target t ON t.id = x.id >> \(SampleID.sequenceBits) \(target) LEFT JOIN variant v ON v.id = x.variant_id"
    case .receipt:
      "receipt x JOIN target t ON t.id = x.sample_id >> \(SampleID.sequenceBits) \(target)"
    case .path: "path x JOIN target t ON t.id = x.target_id \(target)"
    case .event, .log:
      "\(rawValue) x LEFT JOIN run r ON r.id = x.run_id LEFT JOIN target t ON t.id = x.target_id"
    case .finding: "finding x JOIN run r ON r.id = x.run_id"
    case .tombstone: "tombstone x"
    }
  }

  private var condition: String {
    let isListed = "r.id NOT IN (SELECT run_id FROM deletion)"
    return switch self {
    case .run, .finding: "r.collector = ?3 AND \(isListed)"
    case .target, .receipt, .path: "r.collector = ?3"
    // What was never due leaves the store without a trace.
    case .sample: "r.collector = ?3 AND x.state <> \(NotificationState.planned.rawValue)"
    case .event, .log: "(r.id IS NULL OR r.collector = ?3 AND \(isListed))"
    case .tombstone: "x.collector = ?3"
    }
  }

  private static let head: [ForwardedColumn] = [
    .init("collector", .uuid, "?3"), .init("run", .uuid, "r.uuid", in: [.tombstone: "x.run"]),
    .init("revision", .revision), .init("labels", .labels, "r.labels"),
  ]

  private static let sampleColumns: [ForwardedColumn] =
    [
      .init("target", .name, "t.name"), .init("variant", .name, "ifnull(v.name, '')"),
      .init("provider", .name, "t.provider"),
      .init("sequence", .integer, "x.id & \(SampleID.sequenceMask)"),
      .init("notification_id", .uuid, StoreViews.notificationID("x.id")),
    ] + SampleField.forwarded.map { .init($0.name, $0.type, StoreViews.expression($0, of: "x")) }

  private static let receiptColumns: [ForwardedColumn] =
    [
      .init("target", .name, "t.name"),
      .init("sequence", .integer, "x.sample_id & \(SampleID.sequenceMask)"),
      .init("notification_id", .uuid, StoreViews.notificationID("x.sample_id")),
    ] + forwarded(Receipt.columns)

  private static let pathColumns = [.init("target", .name, "t.name")] + forwarded(PingAnswer.columns)

  private static func columns<Content: RecordContent>(of _: Content.Type) -> [ForwardedColumn] {
    Content.list(forwarded(Content.columns), with: .init("target", .optionalName, "t.name"))
  }

  private static func forwarded<Record>(_ columns: [RecordColumn<Record>]) -> [ForwardedColumn] {
    columns.forwarded().filter { column in !head.contains { $0.name == column.name } }
      .map { ForwardedColumn($0.name, $0.type, $0.sql) }
  }
}

/// A column that is forwarded: what it holds says how it is sent.
public struct ForwardedColumn: Sendable, Hashable {
  public let name: String
  public let type: ColumnType
  private let sql: String
  private let exceptions: [ForwardedTable: String]

  /// - Parameters:
  ///   - sql: of the column; by default the table's own column of that name.
  ///   - exceptions: of single tables.
  fileprivate init(
    _ name: String, _ type: ColumnType, _ sql: String? = nil, in exceptions: [ForwardedTable: String] = [:]
  ) {
    self.name = name
    self.type = type
    self.sql = sql ?? "x.\(name)"
    self.exceptions = exceptions
  }

  fileprivate func expression(_ table: ForwardedTable) -> String { "\(exceptions[table] ?? sql) AS \(name)" }
}

/// A row while it is read.
public struct ForwardedRow {
  private let statement: RawStatement

  init(_ statement: RawStatement) { self.statement = statement }

  /// Whether a column of the row is NULL. Columns count from 0.
  public func isNull(_ column: Int) -> Bool { statement.isNull(Int32(column)) }
  /// A column's number; 0 for NULL.
  public func integer(_ column: Int) -> Int64 { statement.integer(Int32(column)) }
  /// A column's number; 0 for NULL.
  public func real(_ column: Int) -> Double { statement.real(Int32(column)) }

  /// Calls with the bytes of a text, UTF-8; none for NULL.
  public func withText<T>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
    try body(statement.bytes(Int32(column)) ?? UnsafeBufferPointer(start: nil, count: 0))
  }
}
