import FoundationEssentials
import GRDB
import Measurement

/// What an objective of the collector's configuration said when it was looked at last: a row of the table `objective`.
public struct ObjectiveRecord: Sendable, Equatable, Codable {
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

extension ObjectiveRecord {
  fileprivate static let columns: [RecordColumn<ObjectiveRecord>] = [
    .init("name", \.name), .init("position", \.position), .init("target", \.target),
    .init("metric", \.metric, otherwise: .some(nil)),
    .init("limit_us", \.limit), .init("share", \.share), .init("window_us", \.window),
    .init("silence_us", \.silence), .init("verdict", \.verdict, otherwise: .undecided), .init("good", \.good),
    .init("valid", \.valid),
    .init("share_low", \.shareLow), .init("share_high", \.shareHigh),
    .init("burn", json: \.burns, otherwise: []), .init("quiet_us", \.quiet),
    .init("breached_at", \.breachedAt), .init("ended_at", \.endedAt), .init("evaluated_at", \.evaluatedAt),
  ]

  fileprivate static let blank = ObjectiveRecord(
    name: "", position: 0, target: "", evaluatedAt: WallTime(microseconds: 0))
}

/// An alert that lasts, or whose delivery is not complete: a row of the table `alert`.
public struct AlertRecord: Sendable, Equatable, Codable {
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

extension AlertRecord {
  fileprivate static let columns: [RecordColumn<AlertRecord>] = [
    .init("id", \.id), .init("fingerprint", \.fingerprint), .init("kind", \.kind),
    .init("labels", json: \.labels, otherwise: nil),
    .init("annotations", json: \.annotations, otherwise: [:]),
    .init("started_at", \.startedAt), .init("ended_at", \.endedAt),
    .init("deliveries", json: \.deliveries, otherwise: [:]),
  ]

  fileprivate static let blank = AlertRecord(
    id: "", fingerprint: "", kind: .finding, labels: [:], annotations: [:],
    startedAt: WallTime(microseconds: 0))
}

/// What objectives and alerts write in one transaction.
public struct ObjectiveChanges: Sendable, Codable {
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
        for record in objectives { try db.insert(record, ObjectiveRecord.columns, into: "objective") }
      }
      for record in changes.alerts {
        try db.insert(record, AlertRecord.columns, into: "alert", replacing: true)
      }
      for id in changes.removedAlerts {
        try db.execute(sql: "DELETE FROM alert WHERE id = ?", arguments: [id])
      }
      let records = RecordWriter(db)
      try records.insert(changes.events, changes.log, runRow: records.row(of: changes.run), &state)
    }
  }
}

extension StoreReader {
  /// What the collector's objectives said last, in the configuration's order.
  public func objectives() throws -> [ObjectiveRecord] {
    try read {
      try $0.records(ObjectiveRecord.columns, into: .blank, from: "objective x ORDER BY x.position")
    }
  }

  /// Alerts that last or are not delivered, oldest first.
  public func alerts() throws -> [AlertRecord] {
    try read { try $0.records(AlertRecord.columns, into: .blank, from: "alert x ORDER BY started_at, id") }
  }

  /// The planned time of the oldest stored notification.
  public func oldestPlannedTime() throws -> WallTime? {
    try read { db in
      try Int64.fetchOne(db, sql: "SELECT min(planned_at) FROM sample").map(WallTime.init(microseconds:))
    }
  }
}
