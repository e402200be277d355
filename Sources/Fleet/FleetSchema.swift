import Measurement
import Store

/// The schema of a fleet's database as statements in the engine's language.
public struct FleetSchema: Sendable {
  /// The version that this pushscope writes. A database of a newer one is refused.
  public static let version = 2 + Int64(ForwardedTable.changesOfColumns)

  /// Tables with rows of a run, which go when it is deleted.
  static let tablesOfRuns = ForwardedTable.allCases.filter { $0 != .tombstone }.map(\.rawValue)

  public let layout: FleetLayout

  public init(_ layout: FleetLayout) { self.layout = layout }

  /// Makes the database and the table that says which version it has.
  public var opening: [String] {
    let columns = "(version UInt32, fleet String, applied_at DateTime64(6, 'UTC'))"
    let engine =
      layout.cluster == nil
      ? "MergeTree"
      // One table over all shards.
      : "ReplicatedMergeTree('/clickhouse/tables/all/\(layout.database)/schema_version', '{shard}_{replica}')"
    return [
      EngineText.joined(
        "CREATE DATABASE IF NOT EXISTS", EngineText.identifier(layout.database), layout.onCluster),
      EngineText.joined("CREATE TABLE IF NOT EXISTS", layout.name("schema_version"), layout.onCluster)
        + "\n\(columns)\nENGINE = \(engine)\nORDER BY version",
    ]
  }

  /// What makes a version out of the one before.
  public struct Migration: Sendable, Equatable {
    /// Statements that change nothing where they were run before, and make anew what is missing.
    public var definitions: [String]
    /// Applies them to rows that are there already: once, since it reads all of them.
    public var backfill: [String] = []
  }

  /// Steps are only ever added: one for each change of the columns.
  public var migrations: [Migration] {
    let tables = ForwardedTable.allCases.map { EngineTable(table: $0) }
    return [Migration(definitions: tables.flatMap { $0.create(in: layout) }), ranges]
      + (0..<ForwardedTable.changesOfColumns).map { _ in
        Migration(definitions: tables.flatMap { $0.addColumns(in: layout) })
      }
  }

  /// Lets the engine skip what was planned at other times: it is not a part of the key, but follows the sequence.
  private var ranges: Migration {
    let table = layout.name(layout.cluster == nil ? "sample" : "sample_local")
    func alter(_ words: String) -> String { EngineText.joined("ALTER TABLE", table, layout.onCluster, words) }
    return Migration(
      definitions: [alter("ADD INDEX IF NOT EXISTS planned planned_at TYPE minmax GRANULARITY 1")],
      backfill: [alter("MATERIALIZE INDEX planned")])
  }

  /// Views with the names and units of the CSV, without replaced rows and deleted runs. Made anew each time.
  public var views: [String] { FleetViews(layout: layout).all }

  /// The statement that records the version. The first row gives the fleet its id.
  public func versionStatement(_ version: Int64, fleet: String, at time: WallTime) -> String {
    """
    INSERT INTO \(layout.name("schema_version")) (version, fleet, applied_at)
    VALUES (\(version), \(EngineText.quoted(fleet)), \(EngineText.quoted(Self.text(time))))
    """
  }

  /// The version and the fleet's id in one row.
  static func lookup(in database: String) -> String {
    """
    SELECT max(version), argMin(fleet, applied_at), version() FROM \(EngineText.identifier(database)).schema_version
    """
  }

  /// What the writer and the reader may do; the users must exist.
  public func grants(writer: String, reader: String) -> [String] {
    let names = ForwardedTable.allCases.map { layout.name($0.rawValue) }
    let writer = EngineText.identifier(writer)
    let reader = EngineText.identifier(reader)
    let locals =
      layout.cluster == nil ? [] : ForwardedTable.allCases.map { layout.name($0.rawValue + "_local") }
    return (names + locals).map {
      EngineText.joined("GRANT", layout.onCluster, "INSERT ON \($0) TO \(writer)")
    }
      // To find out where to go on.
      + (names + locals).map {
        EngineText.joined("GRANT", layout.onCluster, "SELECT(collector, run, revision) ON \($0) TO \(writer)")
      }
      + [
        EngineText.joined(
          "GRANT", layout.onCluster, "SELECT ON \(layout.name("schema_version")) TO \(writer)"),
        EngineText.joined(
          "GRANT", layout.onCluster, "SELECT ON \(EngineText.identifier(layout.database)).* TO \(reader)"),
      ]
  }

  /// Makes a user. The engine and its logs get a hash of the password.
  /// - Parameter passwordHash: SHA-256 in hexadecimal digits.
  public func user(_ name: String, passwordHash: String, isReader: Bool) -> String {
    EngineText.joined("CREATE USER IF NOT EXISTS", EngineText.identifier(name), layout.onCluster)
      + " IDENTIFIED WITH sha256_hash BY \(EngineText.quoted(passwordHash))"
      // 2: a query may have settings, and writes nothing.
      + (isReader ? " SETTINGS readonly = 2" : "")
  }

  /// All of it for people: what ``FleetSetup`` does.
  public func text(writer: String, reader: String) -> String {
    let users = [(writer, ""), (reader, " SETTINGS readonly = 2")].map { name, settings in
      "-- "
        + EngineText.joined("CREATE USER IF NOT EXISTS", EngineText.identifier(name), layout.onCluster)
        + " IDENTIFIED WITH sha256_password BY '…'\(settings);\n"
    }
    let statements = opening + migrations.flatMap { $0.definitions + $0.backfill } + views
    return statements.map { $0 + ";\n" }.joined(separator: "\n")
      + "\n-- The fleet's id: pushscope fleet setup makes one.\n"
      + "INSERT INTO \(layout.name("schema_version")) (version, fleet, applied_at)\n"
      + "SELECT \(Self.version), toString(generateUUIDv4()), now64(6);\n\n" + users.joined()
      + grants(writer: writer, reader: reader).map { $0 + ";\n" }.joined()
  }

  /// `YYYY-MM-DD hh:mm:ss.ffffff` in UTC, which every version of the engine reads.
  static func text(_ time: WallTime) -> String {
    String(time.rfc3339.dropLast()).replacing("T", with: " ")
  }
}

/// The views of a fleet's database.
struct FleetViews {
  let layout: FleetLayout

  var all: [String] {
    [
      view("sample_view", sample), view("receipt_view", plain(.receipt)), view("event_view", plain(.event)),
      view("log_view", plain(.log)), view("path_view", plain(.path)), view("target_view", plain(.target)),
      view("finding_view", plain(.finding) + " AND NOT x.hidden"), view("run_view", run),
    ]
  }

  private func view(_ name: String, _ query: String) -> String {
    EngineText.joined("CREATE OR REPLACE VIEW", layout.name(name), layout.onCluster) + " AS\n" + query
  }

  /// `FINAL` shows the newest of the rows with one key.
  private func from(_ table: ForwardedTable) -> String {
    """
    FROM \(layout.name(table.rawValue)) AS x FINAL
    WHERE (x.collector, x.run) \(layout.exclusion) (SELECT collector, run FROM \(layout.name("tombstone")))
    """
  }

  private func plain(_ table: ForwardedTable) -> String {
    let columns = table.columns.filter { $0.type != .revision }.map { column in
      let isOptionalRun = column.name == "run" && (table == .event || table == .log)
      return isOptionalRun
        ? "nullIf(x.run, toUUID('\(ForwardedTable.noRun)')) AS run"
        : "x.\(column.name) AS \(column.name)"
    }
    return "SELECT \(columns.joined(separator: ", "))\n\(from(table))"
  }

  private var sample: String {
    let key = ForwardedTable.sample.columns.dropLast(SampleField.forwarded.count).filter {
      $0.type != .revision
    }
    let columns =
      // NULL, as in the store's view, of a target that lists none.
      key.map { "\($0.name == "variant" ? "nullIf(x.variant, '')" : "x.\($0.name)") AS \($0.name)" }
      + SampleField.shared.map { field in
        let value =
          switch field {
          case .time(_, let interval): "x.planned_at + toIntervalMicrosecond(x.\(interval.name))"
          case .deliveryCertainty: SampleField.certainty(of: "x")
          case .column, .deliveryLow, .deliveryHigh, .context: "x.\(field.name)"
          }
        return "\(value) AS \(field.name)"
      }
    return "SELECT \(columns.joined(separator: ", "))\n\(from(.sample))"
  }

  /// Runs with the counts of their notifications.
  private var run: String {
    let ends = NotificationState.allCases.filter { ![.planned, .inFlight, .accepted].contains($0) }
      .map(\.name)
    // As in the CSV: accepted by the provider, in whatever state they ended.
    let states = ["accepted"] + ends
    let counts =
      (["countIf(accept_us IS NOT NULL) AS accepted"] + ends.map { "countIf(state = '\($0)') AS \($0)" })
      .joined(separator: ", ")
    return """
      SELECT x.run AS run, x.name AS name, x.collector AS collector, x.labels AS labels, x.started_at AS started_at,
        x.ended_at AS ended_at, x.end_reason AS end_reason, t.targets AS targets, s.planned AS planned, s.sent AS sent,
        \(states.map { "s.\($0) AS \($0)" }.joined(separator: ", "))
      FROM (SELECT * \(from(.run))) AS x
      LEFT JOIN (
        SELECT collector, run, arrayStringConcat(arraySort(groupUniqArray(target)), ' ') AS targets
        FROM \(layout.name("target")) FINAL GROUP BY collector, run
      ) AS t ON t.collector = x.collector AND t.run = x.run
      LEFT JOIN (
        SELECT collector, run, count() AS planned,
          countIf(schedule_lag_us IS NOT NULL) AS sent, \(counts)
        FROM \(layout.name("sample")) FINAL GROUP BY collector, run
      ) AS s ON s.collector = x.collector AND s.run = x.run
      """
  }
}
