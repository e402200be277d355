import GRDB
import GRDBSQLite
import Measurement

/// Writes rows of the `sample` table and collects the changes of counters and rollups.
///
/// Plans are inserted through a short statement. A change is an UPDATE by primary key without the indexed planned time,
/// so that only the index on the revision changes.
struct SampleWriter {
  private let insertPlanned: RawStatement
  private let insertWhole: RawStatement
  private let update: RawStatement
  private let selectFlags: RawStatement
  private let db: Database
  private let connection: OpaquePointer?
  private let whole = BoundColumns(SampleColumn.allCases)
  /// The id, and the columns that change.
  private let changing = BoundColumns([.id] + Self.changing)

  init(_ db: Database) throws {
    self.db = db
    insertPlanned = try RawStatement(db, Self.insertPlannedSQL)
    insertWhole = try RawStatement(db, Self.insertWholeSQL)
    update = try RawStatement(db, Self.updateSQL)
    selectFlags = try RawStatement(db, Self.selectFlagsSQL)
    connection = sqlite3_db_handle(update.handle)
  }

  private static let insertPlannedSQL = """
    INSERT INTO sample (id, variant_id, planned_at, planned_monotonic_us, state, revision)
    VALUES (?1, ?2, ?3, ?4, \(NotificationState.planned.rawValue), ?5)
    """

  private static let revisionParameter = Int32(SampleColumn.count) + 1
  /// Columns of the plan, which never change.
  private static let planned: Set<SampleColumn> = [.id, .variant, .plannedAt, .plannedMonotonic]
  private static let changing = SampleColumn.allCases.filter { !planned.contains($0) }

  /// Column n is parameter n + 1, in both statements.
  private static let insertWholeSQL = """
    INSERT INTO sample (\(SampleColumn.list), revision)
    VALUES (\((1...revisionParameter).map { "?\($0)" }.joined(separator: ", ")))
    """

  private static let updateSQL = """
    UPDATE sample SET
    \(changing.map { "\($0.name) = ?\($0.rawValue + 1)" }.joined(separator: ", ")),
    revision = ?\(revisionParameter)
    WHERE id = ?1
    """

  private static let selectFlagsSQL = """
    SELECT state, schedule_lag_us IS NOT NULL, accept_us IS NOT NULL, display FROM sample WHERE id = ?1
    """

  func insert(
    _ samples: [Sample], into state: inout WriterState, deltas: inout CounterDeltas,
    rollups: inout RollupChanges
  ) throws {
    for sample in samples {
      state.revision += 1
      let flags = SampleStateFlags(sample)
      if sample.isOnlyPlanned {
        insertPlanned.bind(sample.id.rawValue, at: 1)
        insertPlanned.bind(sample.variant.rawValue, at: 2)
        insertPlanned.bind(sample.plannedAt.microseconds, at: 3)
        insertPlanned.bind(sample.plannedMonotonic, at: 4)
        insertPlanned.bind(state.revision, at: 5)
        try insertPlanned.run()
      } else {
        whole.bind(sample, in: insertWhole)
        insertWhole.bind(state.revision, at: Self.revisionParameter)
        try insertWhole.run()
      }
      state.sampleStates.append(flags, for: sample.id)
      deltas.add(flags, target: sample.id.target, variant: sample.variant)
      if rollups.concern(sample.plannedAt) { rollups.add(RollupContribution(sample)) }
    }
  }

  /// Deletes plans. Rows that are more than a plan by now stay.
  func withdraw(_ ids: [SampleID], deltas: inout CounterDeltas, rollups: inout RollupChanges) throws {
    guard !ids.isEmpty else { return }
    let delete = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    for id in ids {
      guard let stored = try RollupContribution.stored(id, db), stored.flags.state == .planned,
        !stored.flags.isSent
      else { continue }
      delete.bind(id.rawValue, at: 1)
      try delete.run()
      deltas.remove(stored.flags, target: id.target, variant: stored.variant)
      if stored.second < rollups.watermarks.second { rollups.add(stored, -1) }
    }
  }

  func update(
    _ samples: [Sample], in state: inout WriterState, deltas: inout CounterDeltas,
    rollups: inout RollupChanges
  ) throws {
    for sample in samples {
      let before = rollups.concern(sample.plannedAt) ? try RollupContribution.stored(sample.id, db) : nil
      guard let old = try state.sampleStates[sample.id] ?? storedFlags(of: sample.id) else { continue }
      let new = SampleStateFlags(sample)
      state.revision += 1
      changing.bind(sample, in: update)
      update.bind(state.revision, at: Self.revisionParameter)
      try update.run()
      guard sqlite3_changes(connection) == 1 else { continue }
      state.sampleStates.update(new, for: sample.id)
      deltas.move(from: old, to: new, target: sample.id.target, variant: sample.variant)
      if let before { rollups.move(from: before, to: RollupContribution(sample)) }
    }
  }

  private func storedFlags(of id: SampleID) throws -> SampleStateFlags? {
    selectFlags.bind(id.rawValue, at: 1)
    guard try selectFlags.step() else { return nil }
    defer { selectFlags.reset() }
    return SampleStateFlags(
      state: NotificationState(rawValue: Int(selectFlags.integer(0))) ?? .planned,
      isSent: selectFlags.integer(1) != 0, isAccepted: selectFlags.integer(2) != 0,
      display: selectFlags.optionalInteger(3).flatMap { DisplayState(rawValue: Int($0)) })
  }

}

/// Columns with their parameters in the statements.
private struct BoundColumns {
  private var numbers: [(parameter: Int32, value: @Sendable (Sample) -> Int64?)] = []
  private var texts: [(parameter: Int32, value: @Sendable (Sample) -> String?)] = []

  init(_ columns: [SampleColumn]) {
    for column in columns {
      let parameter = Int32(column.rawValue) + 1
      switch column.access {
      case .number(let get, _): numbers.append((parameter, get))
      case .text(let get, _): texts.append((parameter, get))
      }
    }
  }

  @inline(__always)
  func bind(_ sample: Sample, in statement: RawStatement) {
    for column in numbers { statement.bind(column.value(sample), at: column.parameter) }
    for column in texts { statement.bind(column.value(sample), at: column.parameter) }
  }
}

extension Sample {
  /// Whether there is nothing to write but the plan.
  fileprivate var isOnlyPlanned: Bool {
    state == .planned && reason == nil && scheduleLag == nil && attempt == 0 && payloadBytes == nil
      && connection == nil && status == nil && deliveryLatency == nil && duplicates == 0
  }
}
