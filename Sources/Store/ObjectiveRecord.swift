import FoundationEssentials
import GRDB
import Measurement

/// What an objective of the collector's configuration said when it was looked at last: a row of the table `objective`.
public struct ObjectiveRecord: Sendable, Equatable {
  /// How fast the budget of a share is used up over two windows.
  public struct Burn: Sendable, Equatable, Codable {
    /// Allowed: so many times the budget.
    public var factor: Double
    /// µs, the longer one first.
    public var windows: [Int64]
    /// Times the budget, of each window; `nil` without a settled notification.
    public var rates: [Double?]
    public var verdict: Stored<GateDecision>

    public init(factor: Double, windows: [Int64], rates: [Double?], verdict: GateDecision) {
      self.factor = factor
      self.windows = windows
      self.rates = rates
      self.verdict = Stored(verdict)
    }
  }

  public var name: String
  /// The place in the configuration's order.
  public var position: Int
  public var target: String
  /// `nil` for an objective of silence.
  public var metric: Metric?
  /// µs.
  public var limit: Int64?
  /// The required share; `nil` for an objective of silence.
  public var share: Double?
  /// µs.
  public var window: Int64?
  /// µs; `nil` for an objective of a share.
  public var silence: Int64?
  public var verdict: GateDecision
  /// The number of good events over the window; `valid` is the number of all events.
  public var good: Int
  public var valid: Int
  /// The interval of the share over the window.
  public var shareLow: Double?
  public var shareHigh: Double?
  public var burns: [Burn]
  /// How long an objective of silence has heard nothing while a run was under way, µs. It goes on after a restart.
  public var quiet: Int64
  /// The start of the breach that lasts, or of the last one.
  public var breachedAt: WallTime?
  /// When that ended; `nil` while it lasts.
  public var endedAt: WallTime?
  public var evaluatedAt: WallTime

  public init(name: String, position: Int, target: String, evaluatedAt: WallTime) {
    self.name = name
    self.position = position
    self.target = target
    self.evaluatedAt = evaluatedAt
    verdict = .undecided
    good = 0
    valid = 0
    burns = []
    quiet = 0
  }
}

/// An alert that lasts, or whose delivery is not complete: a row of the table `alert`.
public struct AlertRecord: Sendable, Equatable {
  /// What an alert is made of.
  public enum Kind: String, Sendable, Hashable {
    case objective, finding
  }

  /// How far an alert has come on one way.
  public struct Delivery: Sendable, Equatable, Codable {
    /// µs since 1970: when it was delivered last as lasting; `nil` before the first time.
    public var firedAt: Int64?
    /// When its end was delivered.
    public var resolvedAt: Int64?
    /// When it is tried next after a failure; `nil` without one.
    public var retryAt: Int64?
    /// When the first of consecutive tries failed.
    public var failingSince: Int64?
    public var tries: Int
    /// Why the last try failed, without a secret.
    public var problem: String?
    /// It was tried for a day.
    public var isGivenUp: Bool

    public init() {
      tries = 0
      isGivenUp = false
    }
  }

  /// The id of this incident.
  public var id: String
  /// The fingerprint of the labels, as Alertmanager computes it.
  public var fingerprint: String
  public var kind: Stored<Kind>
  public var labels: [String: String]
  public var annotations: [String: String]
  public var startedAt: WallTime
  /// `nil` while it lasts.
  public var endedAt: WallTime?
  /// The deliveries, keyed by way: `webhook`, `command`.
  public var deliveries: [String: Delivery]

  public init(
    id: String, fingerprint: String, kind: Kind, labels: [String: String], annotations: [String: String],
    startedAt: WallTime
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.kind = Stored(kind)
    self.labels = labels
    self.annotations = annotations
    self.startedAt = startedAt
    deliveries = [:]
  }
}

/// What objectives and alerts write in one transaction.
public struct ObjectiveChanges: Sendable {
  /// All objectives of the configuration; others are removed. `nil`: they stay as they are.
  public var objectives: [ObjectiveRecord]?
  /// New and changed ones.
  public var alerts: [AlertRecord] = []
  /// Ids of those that are over and delivered.
  public var removedAlerts: [String] = []
  public var events: [Event] = []
  public var log: [LogLine] = []
  /// The run of events and log lines without a target.
  public var run: RunID?

  public init() {}

  public var isEmpty: Bool {
    objectives == nil && alerts.isEmpty && removedAlerts.isEmpty && events.isEmpty && log.isEmpty
  }
}

extension CollectorStore {
  /// Writes objectives, alerts and what is said of them.
  /// - Throws: ``StoreError``. Nothing was written.
  public func save(_ changes: ObjectiveChanges) throws {
    guard !changes.isEmpty else { return }
    try transaction { db, state in
      if let objectives = changes.objectives {
        try db.execute(sql: "DELETE FROM objective")
        for record in objectives { try ObjectiveTable.write(record, db) }
      }
      for record in changes.alerts { try ObjectiveTable.write(record, db) }
      for id in changes.removedAlerts {
        try db.execute(sql: "DELETE FROM alert WHERE id = ?", arguments: [id])
      }
      let runRow = try changes.run.flatMap { run in
        try Int64.fetchOne(db, sql: "SELECT id FROM run WHERE uuid = ?", arguments: [run.description])
      }
      let records = RecordWriter(db)
      var revision = state.revision
      let rowForTarget = { (target: TargetID?) throws -> Int64? in
        try target.flatMap { try state.runRow(of: $0, db) } ?? runRow
      }
      try records.insert(changes.events, revision: &revision, runRow: rowForTarget)
      try records.insert(changes.log, revision: &revision, runRow: rowForTarget)
      state.revision = revision
    }
  }
}

extension StoreReader {
  /// What the collector's objectives said last, in the configuration's order.
  public func objectives() throws -> [ObjectiveRecord] {
    try read { try $0.cachedRows(ObjectiveTable.selectObjectives).compactMap(ObjectiveTable.objective) }
  }

  /// Alerts that last or are not delivered, oldest first.
  public func alerts() throws -> [AlertRecord] {
    try read { try $0.cachedRows(ObjectiveTable.selectAlerts).compactMap(ObjectiveTable.alert) }
  }

  /// The planned time of the oldest stored notification.
  public func oldestPlannedTime() throws -> WallTime? {
    try read { db in
      try Int64.fetchOne(db, sql: "SELECT min(planned_at) FROM sample").map(WallTime.init(microseconds:))
    }
  }
}

private enum ObjectiveTable {
  static let selectObjectives = """
    SELECT name, position, target, metric, limit_us, share, window_us, silence_us, verdict, good, valid, share_low,
      share_high, burn, quiet_us, breached_at, ended_at, evaluated_at
    FROM objective ORDER BY position
    """

  static let selectAlerts = """
    SELECT id, fingerprint, kind, labels, annotations, started_at, ended_at, deliveries FROM alert
    ORDER BY started_at, id
    """

  static func objective(_ row: Row) -> ObjectiveRecord? {
    func time(_ index: Int) -> WallTime? { (row[index] as Int64?).map(WallTime.init(microseconds:)) }
    var record = ObjectiveRecord(
      name: row[0], position: row[1], target: row[2], evaluatedAt: WallTime(microseconds: row[17]))
    record.metric = (row[3] as String?).flatMap(Metric.init(rawValue:))
    record.limit = row[4]
    record.share = row[5]
    record.window = row[6]
    record.silence = row[7]
    record.verdict = GateDecision(rawValue: row[8]) ?? .undecided
    record.good = row[9]
    record.valid = row[10]
    record.shareLow = row[11]
    record.shareHigh = row[12]
    record.burns = decoded(row[13]) ?? []
    record.quiet = row[14]
    record.breachedAt = time(15)
    record.endedAt = time(16)
    return record
  }

  static func alert(_ row: Row) -> AlertRecord? {
    guard let labels: [String: String] = decoded(row[3]) else { return nil }
    var record = AlertRecord(
      id: row[0], fingerprint: row[1], kind: .finding, labels: labels, annotations: decoded(row[4]) ?? [:],
      startedAt: WallTime(microseconds: row[5]))
    record.kind = Stored(rawValue: row[2])
    record.endedAt = (row[6] as Int64?).map(WallTime.init(microseconds:))
    record.deliveries = decoded(row[7]) ?? [:]
    return record
  }

  static func write(_ record: ObjectiveRecord, _ db: Database) throws {
    let arguments: StatementArguments = [
      record.name, record.position, record.target, record.metric?.rawValue, record.limit, record.share,
      record.window, record.silence, record.verdict.rawValue, record.good, record.valid, record.shareLow,
      record.shareHigh, try encoded(record.burns), record.quiet, record.breachedAt?.microseconds,
      record.endedAt?.microseconds, record.evaluatedAt.microseconds,
    ]
    try db.cachedStatement(
      sql: "INSERT INTO objective VALUES (\(Array(repeating: "?", count: 18).joined(separator: ", ")))"
    ).execute(arguments: arguments)
  }

  static func write(_ record: AlertRecord, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO alert VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
      arguments: [
        record.id, record.fingerprint, record.kind.rawValue, try encoded(record.labels),
        try encoded(record.annotations), record.startedAt.microseconds, record.endedAt?.microseconds,
        try encoded(record.deliveries),
      ])
  }

  private static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// `nil` for text that another version or program wrote.
  private static func decoded<Value: Decodable>(_ text: String) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}
