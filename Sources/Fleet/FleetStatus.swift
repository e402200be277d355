import Configuration
import Measurement

/// What a fleet's engine has of each collector.
public struct FleetStatus: Sendable, Equatable {
  /// What the engine has of one collector.
  public struct Collector: Sendable, Equatable {
    public var id: String
    /// The collector's labels when its last run began: `region=eu-west,team=mobile`.
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
  /// How far it is ahead of this host's.
  public var clockDifference: Duration
  /// Ascending by id.
  public var collectors: [Collector]

  /// - Parameter clock: this host's.
  /// - Throws: ``FleetError``, also when the configuration has no reader.
  public static func fetch(
    _ fleet: FleetConfiguration, clock: any HostClock = SystemClock()
  ) throws(FleetError) -> FleetStatus {
    guard let reader = fleet.reader else {
      throw FleetError.missing("reader", "to read the fleet", in: fleet)
    }
    let client = try EngineClient(fleet, as: reader)
    let identity = try FleetIdentity.fetch(client, database: fleet.database)
    let database = EngineText.identifier(fleet.database)
    // Of deleted runs only the tombstones count, until the next setup.
    let isListed = "(collector, run) NOT IN (SELECT collector, run FROM \(database).tombstone)"
    let rows = try client.rows(
      """
      SELECT toString(r.collector), r.label_text, r.runs, ifNull(s.notifications, 0), ifNull(s.newest, 0),
        greatest(r.highest, ifNull(s.highest, 0))
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
    var collectors: [Collector] = []
    for row in rows {
      guard let collector = Collector(row) else {
        throw FleetError.unexpectedAnswer(
          "the engine does not say what it has of each collector", place: client.place)
      }
      collectors.append(collector)
    }
    let before = clock.wallNow()
    let answer = try client.rows("SELECT toUnixTimestamp64Micro(now64(6))")
    let after = clock.wallNow()
    guard answer.count == 1, answer[0].count == 1, let now = Int64(answer[0][0]), now > 0 else {
      throw FleetError.unexpectedAnswer("the engine does not say what time it is", place: client.place)
    }
    // It was asked at some time between.
    let asked = before + (after - before) / 2
    let time = WallTime(microseconds: now)
    return FleetStatus(
      id: identity.id, engine: identity.engine, now: time, clockDifference: time - asked,
      collectors: collectors)
  }

  /// `its clock 2.10 ms ahead of this host's`.
  public var clockText: String {
    "its clock \(LatencyText.text(clockDifference.magnitude.microseconds)) \(clockDifference < .zero ? "behind" : "ahead of") this host's"
  }
}

extension FleetStatus.Collector {
  /// - Returns: `nil` for a row that is not as asked for.
  fileprivate init?(_ row: [String]) {
    guard row.count == 6, let runs = Int(row[2]), let notifications = Int(row[3]), let newest = Int64(row[4]),
      let revision = Int64(row[5]), runs >= 0, notifications >= 0, newest >= 0
    else { return nil }
    self.init(
      id: row[0], labels: row[1], runs: runs, notifications: notifications,
      newest: newest == 0 ? nil : WallTime(microseconds: newest), revision: revision)
  }
}
