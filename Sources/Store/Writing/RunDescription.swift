import FoundationEssentials
import GRDB
import Measurement

/// A run to register.
public struct RunDescription: Sendable, Equatable {
  public var id: RunID
  /// The name given by `--run-name`.
  public var name: String?
  public var startedAt: WallTime
  public var startedMonotonic: MonotonicTime
  /// The kernel's boot id: monotonic times are comparable within one boot only.
  public var bootID: String
  /// The configuration's labels when the run began.
  public var labels: [String: String]
  public var targets: [TargetDescription]

  public init(
    id: RunID, name: String? = nil, startedAt: WallTime, startedMonotonic: MonotonicTime, bootID: String,
    labels: [String: String] = [:], targets: [TargetDescription]
  ) {
    self.id = id
    self.name = name
    self.startedAt = startedAt
    self.startedMonotonic = startedMonotonic
    self.bootID = bootID
    self.labels = labels
    self.targets = targets
  }
}

/// A target of a run as configured when the run began.
public struct TargetDescription: Sendable, Equatable {
  /// Unique within the run.
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asks for.
  public var askedRate: Double
  /// The combinations of listed values (`priority=10,push_type=alert`); empty if the target lists none.
  public var variants: [String]
  /// Scheme, host and port that requests go to, without a path: `https://push.example.com`.
  public var endpoint: String?
  /// The device that the notifications are for, by the configuration's `device`.
  public var device: String?

  public init(
    name: String, provider: String, receiptDeadline: Int64?, askedRate: Double, variants: [String] = [],
    endpoint: String? = nil, device: String? = nil
  ) {
    self.name = name
    self.provider = provider
    self.receiptDeadline = receiptDeadline
    self.askedRate = askedRate
    self.variants = variants
    self.endpoint = endpoint
    self.device = device
  }
}

extension TargetDescription {
  /// The columns of the table `target` that a configuration gives.
  public static let columns: [RecordColumn<TargetDescription>] =
    [.init("target", \.name, as: .name, sql: "x.name")] + settings

  /// What a reload may change.
  static let settings: [RecordColumn<TargetDescription>] = [
    .init("provider", \.provider, as: .name),
    .init("endpoint", \.endpoint, as: .name),
    .init("device", \.device, as: .name),
    .init("receipt_deadline_us", \.receiptDeadline),
    .init("asked_rate", \.askedRate),
  ]

  static let settingNames = settings.map(\.name).joined(separator: ", ")

  /// A description for the columns to be read into.
  public static let blank = TargetDescription(name: "", provider: "", receiptDeadline: nil, askedRate: 0)
}

/// The ids that the store assigned to a run's targets and variants.
public struct RunRegistration: Sendable, Equatable {
  public var run: RunID
  /// The targets in the order of their names (as bytes), which is the order of their ids.
  public var targets: [RegisteredTarget]

  /// The target of a name; `nil` where the run has none.
  public subscript(name: String) -> RegisteredTarget? { targets.first { $0.name == name } }

  /// All of them by their names.
  public var byName: [String: RegisteredTarget] {
    Dictionary(targets.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// A target with its id in this run.
public struct RegisteredTarget: Sendable, Equatable, Codable {
  public var id: TargetID
  public var name: String
  /// One for each of ``TargetDescription/variants``, in their order.
  public var variants: [VariantID]

  public init(id: TargetID, name: String, variants: [VariantID]) {
    self.id = id
    self.name = name
    self.variants = variants
  }
}

/// Writes the rows of runs, targets and variants.
struct RunWriter {
  let db: Database
  /// The path of the store, for error messages.
  let path: String

  /// Inserts a run with its targets and variants, its first heartbeat, and the collector's presence.
  func begin(
    _ run: RunDescription, collectorID: UUID, state: inout WriterState
  ) throws -> RunRegistration {
    state.revision += 1
    try db.execute(
      sql: """
        INSERT INTO run (revision, uuid, collector, name, started_at, started_monotonic_us, boot_id,
          notification_prefix, labels)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        state.revision, run.id.description, collectorID.uuidString.lowercased(), run.name,
        run.startedAt.microseconds, run.startedMonotonic.microseconds, run.bootID,
        Self.notificationPrefix(of: run.id), JSONText.make(run.labels),
      ])
    let runRow = db.lastInsertedRowID
    state.record(run.id, row: runRow)
    try RecordWriter(db).beat(
      ClockAnchor(monotonic: run.startedMonotonic, wall: run.startedAt), runRow: runRow)
    // In one commit with the run itself: no reader sees one without the other.
    try db.execute(
      sql: """
        INSERT INTO presence (one, at, run, serves) VALUES (1, ?, ?, 0)
        ON CONFLICT (one) DO UPDATE SET at = excluded.at, run = excluded.run
        """,
      arguments: [run.startedAt.microseconds, run.id.description])
    return RunRegistration(run: run.id, targets: try add(run.targets, runRow: runRow, state: &state))
  }

  /// Registers what changed of a run that is being recorded. A target that ended in it and begins again goes on as what it
  /// was.
  func change(
    _ run: RunID, changed: [TargetDescription], added: [TargetDescription], at time: WallTime,
    state: inout WriterState
  ) throws -> RunRegistration {
    let row = try state.row(of: run, db, path: path)
    let names = Set(
      try String.fetchAll(db, sql: "SELECT name FROM target WHERE run_id = ?", arguments: [row]))
    var targets: [RegisteredTarget] = []
    for target in changed + added.filter({ names.contains($0.name) }) {
      targets.append(try change(target, at: time, runRow: row, state: &state))
    }
    return RunRegistration(
      run: run,
      targets: targets + (try add(added.filter { !names.contains($0.name) }, runRow: row, state: &state)))
  }

  /// Registers targets, in the order of their names.
  private func add(
    _ targets: [TargetDescription], runRow: Int64, state: inout WriterState
  ) throws -> [RegisteredTarget] {
    let ordered = targets.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return try ordered.map { target in
      state.revision += 1
      return try register(target, runRow: runRow, revision: state.revision)
    }
  }

  /// Keeps the present configuration of a target as a former one, and replaces it.
  private func change(
    _ target: TargetDescription, at time: WallTime, runRow: Int64, state: inout WriterState
  ) throws -> RegisteredTarget {
    let id = try Int64.fetchOne(
      db, sql: "SELECT id FROM target WHERE run_id = ? AND name = ?", arguments: [runRow, target.name])
    guard let id else { throw StoreError.unknownTarget(target.name, path: path) }
    state.revision += 1
    try db.execute(
      sql: """
        INSERT INTO former_target (revision, target_id, until, \(TargetDescription.settingNames))
        SELECT ?, id, ?, \(TargetDescription.settingNames) FROM target WHERE id = ?
        """,
      arguments: [state.revision, time.microseconds, id])
    try db.execute(
      sql: """
        UPDATE target SET \(TargetDescription.settings.map { "\($0.name) = ?" }.joined(separator: ", ")), revision = ?
        WHERE id = ?
        """,
      arguments: TargetDescription.settings.arguments(of: target) + [state.revision, id])
    return try registerVariants(of: target, id: TargetID(rawValue: id))
  }

  private func register(
    _ target: TargetDescription, runRow: Int64, revision: Int64
  ) throws -> RegisteredTarget {
    try db.execute(
      sql: "INSERT INTO target \(TargetDescription.settings.insertList(with: "run_id", "name", "revision"))",
      arguments: TargetDescription.settings.arguments(of: target) + [runRow, target.name, revision])
    let id = TargetID(rawValue: db.lastInsertedRowID)
    guard id <= TargetID.maximum else {
      throw StoreError(
        .identifiersExhausted, path: path, detail: "all target ids are used",
        remedy: "create a new store with --store")
    }
    return try registerVariants(of: target, id: id)
  }

  private func registerVariants(of target: TargetDescription, id: TargetID) throws -> RegisteredTarget {
    let variants = try target.variants.map { try variant(named: $0) }
    for variant in variants.isEmpty ? [.none] : Set(variants) {
      try db.execute(
        sql: "INSERT INTO tally (target_id, variant_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        arguments: [id.rawValue, variant.rawValue])
    }
    return RegisteredTarget(id: id, name: target.name, variants: variants)
  }

  /// Variants are numbered once per store by their names, so that one keeps its number from run to run.
  private func variant(named name: String) throws -> VariantID {
    try db.execute(sql: "INSERT INTO variant (name) VALUES (?) ON CONFLICT DO NOTHING", arguments: [name])
    let id = try Int64.fetchOne(db, sql: "SELECT id FROM variant WHERE name = ?", arguments: [name])
    return id.map(VariantID.init(rawValue:)) ?? .none
  }

  /// The first 19 characters of the UUIDs of a run's notifications, which `sample_view` completes with the sample's id.
  private static func notificationPrefix(of run: RunID) -> String {
    String(NotificationID(run: run, sample: SampleID(rawValue: 0)).description.prefix(19))
  }

  /// Settles the open rows of a run and closes it.
  /// - Parameter lastDue: nothing that was planned for later was sent; monotonic µs.
  /// - Returns: what was settled as interrupted.
  func end(
    _ run: RunID, at time: WallTime, reason: RunEndReason, lastDue: Int64, state: inout WriterState
  ) throws -> [InterruptedRows] {
    let row = try state.row(of: run, db, path: path)
    var settlement = OpenRowSettlement()
    try settlement.settle(run: row, db, state: &state) { $0 <= lastDue }
    let records = RecordWriter(db)
    if settlement.interrupted > 0 {
      let event = Event(
        at: time, kind: .interrupted, count: settlement.interrupted,
        detail: "the run was closed before their outcome was known")
      try records.insert([event], revision: &state.revision) { _ in row }
    }
    try records.end(run: row, at: time, reason: reason, revision: &state.revision)
    try db.execute(sql: "UPDATE presence SET run = NULL WHERE run = ?", arguments: [run.description])
    return try settlement.interruptedRows(db)
  }
}

/// The names of variants.
enum VariantQuery {
  /// Empty for the variant of a target that lists none.
  static func name(of variant: VariantID, _ db: Database) throws -> String {
    try String.fetchOne(db, sql: "SELECT name FROM variant WHERE id = ?", arguments: [variant.rawValue]) ?? ""
  }
}
