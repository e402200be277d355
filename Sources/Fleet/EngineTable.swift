import Measurement
import Store

/// A forwarded table in the engine: its types, its key, and how it is divided.
struct EngineTable {
  let table: ForwardedTable

  var name: String { table.rawValue }

  /// What makes a row the same row: a row that is sent again replaces the former one.
  private var key: [String] {
    switch table {
    case .run, .tombstone: ["collector", "run"]
    case .target: ["collector", "run", "target"]
    case .sample: ["collector", "run", "target", "sequence"]
    case .receipt: ["collector", "run", "target", "sequence", "revision"]
    case .path: ["collector", "run", "target", "revision"]
    case .event, .log: ["collector", "run", "revision"]
    case .finding: ["collector", "id"]
    }
  }

  /// A time that never changes, by whose month the rows are divided.
  private var partition: String? {
    switch table {
    case .sample: "planned_at"
    case .receipt: "arrived_at"
    case .event, .log, .path: "at"
    case .run, .target, .finding, .tombstone: nil
    }
  }

  private static func type(of column: ForwardedColumn) -> String {
    let isOptional = column.type.isOptional
    func value(_ plain: String) -> String { isOptional ? "Nullable(\(plain))" : plain }
    return switch column.type.kind {
    case .uuid: value("UUID")
    case .name: "LowCardinality(\(value("String")))"
    case .text, .list: "\(value("String")) CODEC(ZSTD(1))"
    case .integer where column.name == "sequence" && !isOptional: "Int64 CODEC(Delta(8), ZSTD(1))"
    case .integer: "\(value("Int64")) CODEC(ZSTD(1))"
    case .real: "\(value("Float64")) CODEC(ZSTD(1))"
    case .time: "\(value("DateTime64(6, 'UTC')")) CODEC(\(isOptional ? "" : "DoubleDelta, ")ZSTD(1))"
    case .flag: value("Bool")
    case .revision: "UInt64 CODEC(Delta(8), ZSTD(1))"
    case .labels: "Map(LowCardinality(String), String)"
    }
  }

  /// Adds the columns that later versions have to a table that is there.
  func addColumns(in layout: FleetLayout) -> [String] {
    let columns = table.columns.map { "ADD COLUMN IF NOT EXISTS \($0.name) \(Self.type(of: $0))" }
      .joined(separator: ", ")
    let names = layout.cluster == nil ? [name] : [name + "_local", name]
    return names.map { EngineText.joined("ALTER TABLE", layout.name($0), layout.onCluster, columns) }
  }

  /// `CREATE TABLE` and, in a cluster, the table over all of its shards.
  func create(in layout: FleetLayout) -> [String] {
    let columns = table.columns.map { "  \($0.name) \(Self.type(of: $0))" }.joined(separator: ",\n")
    let rows = partition.map { "\nPARTITION BY toYYYYMM(\($0))" } ?? ""
    let order = "\nORDER BY (\(key.joined(separator: ", ")))"
    guard let cluster = layout.cluster else {
      return [
        """
        CREATE TABLE IF NOT EXISTS \(layout.name(name))
        (
        \(columns)
        )
        ENGINE = ReplacingMergeTree(revision)\(rows)\(order)
        """
      ]
    }
    // Rows with one key are on one shard: there the newest replaces the others.
    return [
      """
      CREATE TABLE IF NOT EXISTS \(layout.name(name + "_local")) \(layout.onCluster)
      (
      \(columns)
      )
      ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/\(layout.database)/\(name)', '{replica}', revision)\(rows)\(order)
      """,
      """
      CREATE TABLE IF NOT EXISTS \(layout.name(name)) \(layout.onCluster) AS \(layout.name(name + "_local"))
      ENGINE = Distributed(\(EngineText.quoted(cluster)), \(EngineText.quoted(layout.database)), \
      \(EngineText.quoted(name + "_local")), \(shardingKey))
      """,
    ]
  }

  /// The sharding key as text, since older versions do not hash a UUID.
  private var shardingKey: String {
    table == .finding ? "cityHash64(toString(collector))" : "cityHash64(toString(collector), toString(run))"
  }

  /// The statement before the rows.
  func insert(into database: String) -> String {
    let columns = table.columns.map(\.name).joined(separator: ", ")
    return "INSERT INTO \(EngineText.identifier(database)).\(name) (\(columns)) FORMAT RowBinary"
  }
}

/// Where the tables are: on one server, or replicated and divided over a cluster.
public struct FleetLayout: Sendable, Equatable {
  public var database: String
  /// The name of a cluster of the server's configuration; `nil` for one server.
  public var cluster: String?

  public init(database: String, cluster: String? = nil) {
    self.database = database
    self.cluster = cluster
  }

  func name(_ table: String) -> String { "\(EngineText.identifier(database)).\(table)" }
  var onCluster: String { cluster.map { "ON CLUSTER \(EngineText.quoted($0))" } ?? "" }
  /// The operator for what is not in a table, whose rows are on other shards.
  var exclusion: String { cluster == nil ? "NOT IN" : "GLOBAL NOT IN" }
}

/// Text in the engine's SQL.
enum EngineText {
  /// A string literal.
  static func quoted(_ text: String) -> String { quoted(text, by: "'") }
  /// A name of anything.
  static func identifier(_ text: String) -> String { quoted(text, by: "`") }
  /// Parts of a statement, of which some may be empty.
  static func joined(_ parts: String...) -> String { parts.filter { !$0.isEmpty }.joined(separator: " ") }

  private static func quoted(_ text: String, by mark: Character) -> String {
    var quoted = String(mark)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": quoted += "\\\\"
      case "'", "`": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0": quoted += "\\0"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + String(mark)
  }
}
