import Configuration
import Measurement

/// What a fleet's engine has of each collector.
public struct FleetStatus: Sendable, Equatable {
  /// What the engine has of one collector.
  public struct Collector: Sendable, Equatable {
    public var id: String
    /// As they were when its last run began: `region=eu-west,team=mobile`.
    public var labels: String
    public var runs: Int
    public var notifications: Int
    /// When the newest notification was planned; `nil` without any.
    public var newest: WallTime?
    /// The highest revision of its rows.
    public var revision: Int64
  }

  public var id: String
  public var engine: String
  /// The engine's clock.
  public var now: WallTime
  /// Ascending by id.
  public var collectors: [Collector]

  /// - Throws: ``FleetError``, also when the configuration has no reader.
  public static func fetch(_ fleet: FleetConfiguration) throws(FleetError) -> FleetStatus {
    guard let reader = fleet.reader ?? fleet.writer else {
      throw FleetError(
        .denied, place: fleet.urls.first?.origin ?? "", detail: "fleet.reader is not configured")
    }
    let client = try EngineClient(fleet, as: reader)
    let identity = try FleetIdentity.fetch(client, database: fleet.database)
    let database = EngineText.identifier(fleet.database)
    // Of deleted runs only the tombstones count, until the next setup.
    let isListed = "(collector, run) NOT IN (SELECT collector, run FROM \(database).tombstone)"
    let rows = try client.rows(
      """
      SELECT toString(r.collector), r.label_text, r.runs, s.notifications, s.newest, greatest(r.highest, s.highest)
      FROM (
        SELECT collector, uniqExact(run) AS runs, max(revision) AS highest,
          argMax(arrayStringConcat(arrayMap((k, v) -> concat(k, '=', v), mapKeys(labels), mapValues(labels)), ','), started_at)
            AS label_text
        FROM \(database).run FINAL WHERE \(isListed) GROUP BY collector
      ) AS r
      LEFT JOIN (
        SELECT collector, count() AS notifications, toUnixTimestamp64Micro(max(planned_at)) AS newest,
          max(revision) AS highest
        FROM \(database).sample FINAL WHERE \(isListed) GROUP BY collector
      ) AS s ON s.collector = r.collector
      ORDER BY 1
      """)
    let now =
      try client.rows("SELECT toUnixTimestamp64Micro(now64(6))").first?.first.flatMap { Int64($0) } ?? 0
    return FleetStatus(
      id: identity.id, engine: identity.engine, now: WallTime(microseconds: now),
      collectors: rows.compactMap { row in
        guard row.count == 6 else { return nil }
        let newest = Int64(row[4]) ?? 0
        return Collector(
          id: row[0], labels: row[1], runs: Int(row[2]) ?? 0, notifications: Int(row[3]) ?? 0,
          newest: newest == 0 ? nil : WallTime(microseconds: newest), revision: Int64(row[5]) ?? 0)
      })
  }
}
