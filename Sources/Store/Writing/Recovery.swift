import GRDB
import Measurement

/// Closes the runs of crashed collectors: each of their planned notifications gets a final state, or is removed because
/// it was never due. Runs at each start, under the lock, in one transaction.
struct Recovery {
  let clock: any HostClock
  /// This boot's.
  let bootID: String

  /// - Parameter rows: takes what was settled as interrupted.
  func run(
    _ db: Database, state: inout WriterState, rows: inout [InterruptedRows]
  ) throws -> RecoverySummary {
    let runs = try OpenRun.fetchAll(db)
    guard !runs.isEmpty else { return RecoverySummary() }
    let now = ClockAnchor(reading: clock)
    var summary = RecoverySummary()
    try db.inTransaction(.immediate) {
      for run in runs { summary.runs.append(try settle(run, now: now, db, state: &state, rows: &rows)) }
      try RecordWriter(db).store(revision: state.revision)
      return .commit
    }
    return summary
  }

  private func settle(
    _ run: OpenRun, now: ClockAnchor, _ db: Database, state: inout WriterState,
    rows: inout [InterruptedRows]
  ) throws -> RecoveredRun {
    let test = DueTest(
      runBootID: run.bootID, bootID: bootID, anchor: run.anchor, heartbeat: run.heartbeat, now: now)
    var settlement = OpenRowSettlement()
    try settlement.settle(run: run.row, db, state: &state) { test.mayHaveBeenSent(planned: $0) }
    rows += try settlement.interruptedRows(db)
    let ended = max(run.heartbeat.wall, run.startedAt)
    let event = Event(
      at: ended, kind: .interrupted, count: settlement.interrupted,
      detail:
        "the collector ended without closing the run: \(CountText.text(settlement.interrupted, "notification")) "
        + "without a known outcome, \(CountText.text(settlement.removed, "plan")) that were not due removed")
    try RecordWriter(db).insert([event], revision: &state.revision) { _ in run.row }
    try RecordWriter(db).end(run: run.row, at: ended, reason: .interrupted, revision: &state.revision)
    return RecoveredRun(run: run.id, interrupted: settlement.interrupted, removed: settlement.removed)
  }
}

/// The runs that a start closed.
public struct RecoverySummary: Sendable, Equatable {
  public var runs: [RecoveredRun] = []

  public var isEmpty: Bool { runs.isEmpty }
  public var interrupted: Int { runs.reduce(0) { $0 + $1.interrupted } }
  public var removed: Int { runs.reduce(0) { $0 + $1.removed } }
}

/// A run that recovery closed.
public struct RecoveredRun: Sendable, Equatable {
  public var run: RunID
  /// Notifications whose outcome stays unknown unless a receipt comes.
  public var interrupted: Int
  /// Plans that were never due.
  public var removed: Int
}

/// A run without an end, as a start finds it.
struct OpenRun {
  var row: Int64
  var id: RunID
  var bootID: String
  var startedAt: WallTime
  /// The last anchor.
  var anchor: ClockAnchor
  /// Both clocks at the collector's last write for the run.
  var heartbeat: ClockAnchor

  static func fetchAll(_ db: Database) throws -> [OpenRun] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT r.id, r.uuid, r.boot_id, r.started_at, r.started_monotonic_us, h.at, h.monotonic_us
        FROM run r LEFT JOIN heartbeat h ON h.run_id = r.id WHERE r.ended_at IS NULL ORDER BY r.id
        """
    ).compactMap { row in
      guard let id = RunID(try row.value(1) as String) else { return nil }
      let start = ClockAnchor(
        monotonic: MonotonicTime(microseconds: try row.value(4)),
        wall: WallTime(microseconds: try row.value(3)))
      var heartbeat = start
      if let at = try row.optional(5) as Int64?, let monotonic = try row.optional(6) as Int64? {
        heartbeat = ClockAnchor(
          monotonic: MonotonicTime(microseconds: monotonic), wall: WallTime(microseconds: at))
      }
      return OpenRun(
        row: try row.value(0), id: id, bootID: try row.value(2), startedAt: start.wall,
        anchor: try lastAnchor(ofRun: row.value(0), db) ?? start, heartbeat: heartbeat)
    }
  }

  private static func lastAnchor(ofRun row: Int64, _ db: Database) throws -> ClockAnchor? {
    try Row.fetchOne(
      db, sql: "SELECT monotonic_us, at FROM anchor WHERE run_id = ? ORDER BY monotonic_us DESC LIMIT 1",
      arguments: [row]
    ).map {
      ClockAnchor(
        monotonic: MonotonicTime(microseconds: try $0.value(0)),
        wall: WallTime(microseconds: try $0.value(1)))
    }
  }
}

/// Decides which plans of a crashed collector may have been sent. Plans that it excludes were certainly not sent.
///
/// On the same boot, plans later than now on the monotonic clock were not due when the collector crashed. After a
/// reboot only wall times remain: plans later than both now and the last heartbeat, plus a margin, were not due. The
/// heartbeat covers a wall clock that was set back; the margin covers sends after the last heartbeat, while a slow disk
/// delayed the next one.
struct DueTest {
  /// The latest monotonic plan, in µs, that may have been sent.
  private let lastDue: Int64

  static let margin: Int64 = 60_000_000

  /// - Parameters:
  ///   - anchor: the run's last anchor.
  ///   - heartbeat: both clocks at the collector's last write.
  init(runBootID: String, bootID: String, anchor: ClockAnchor, heartbeat: ClockAnchor, now: ClockAnchor) {
    if runBootID == bootID, now.monotonic >= heartbeat.monotonic {
      lastDue = now.monotonic.microseconds
    } else {
      let lastWall = max(now.wall, heartbeat.wall).advanced(byMicroseconds: Self.margin)
      lastDue = (anchor.monotonic + (lastWall - anchor.wall)).microseconds
    }
  }

  func mayHaveBeenSent(planned: Int64) -> Bool { planned <= lastDue }
}

/// Gives every open row of a finished run a final state, or removes it if it was never due.
struct OpenRowSettlement {
  private(set) var interrupted = 0
  private(set) var removed = 0
  private var interruptedBySeries: [Series: Interrupted] = [:]

  private struct Series: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  private struct Interrupted {
    var count = 0
    var onlyPlanned = 0
  }

  /// Visits each target's open rows, newest first. Plans that cannot have been sent are removed from the end of the
  /// sequence, so that it has no gap; all other open rows become interrupted. The number of open rows is known from the
  /// counters, so the search ends at the oldest one.
  ///
  /// - Parameter mayHaveBeenSent: decides about rows in the state `planned`, by their planned monotonic µs.
  mutating func settle(
    run row: Int64, _ db: Database, state: inout WriterState, mayHaveBeenSent: (Int64) -> Bool
  ) throws {
    var deltas = CounterDeltas()
    var rollups = try RollupChanges(watermarks: state.rollupWatermarks(db))
    let interrupt = try RawStatement(db, "UPDATE sample SET state = ?2, revision = ?3 WHERE id = ?1")
    let remove = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    for target in try OpenRow.targets(ofRun: row, db) where target.openCount > 0 {
      var tail = try target.id.lastSample(db)
      for open in try OpenRow.fetch(target.id, count: target.openCount, db) {
        let before = rollups.concern(open.plannedAt) ? try RollupContribution.stored(open.id, db) : nil
        if open.id == tail, open.flags.isOnlyPlanned, !mayHaveBeenSent(open.plannedMonotonic) {
          remove.bind(open.id.rawValue, at: 1)
          try remove.run()
          deltas.remove(open.flags, target: target.id, variant: open.variant)
          if let before { rollups.add(before, -1) }
          removed += 1
          tail = SampleID(rawValue: open.id.rawValue &- 1)
        } else {
          let settled = open.flags.interrupted
          state.revision += 1
          interrupt.bind(open.id.rawValue, at: 1)
          interrupt.bind(settled.state.rawValue, at: 2)
          interrupt.bind(state.revision, at: 3)
          try interrupt.run()
          state.sampleStates.update(settled, for: open.id)
          deltas.move(from: open.flags, to: settled, target: target.id, variant: open.variant)
          if let before { rollups.move(from: before, to: before.with(settled)) }
          interrupted += 1
          record(open.flags, of: Series(target: target.id, variant: open.variant))
          tail = nil
        }
      }
    }
    try rollups.apply(db)
    try RecordWriter(db).apply(deltas)
  }

  private mutating func record(_ flags: SampleStateFlags, of series: Series) {
    interruptedBySeries[series, default: Interrupted()].count += 1
    if flags.isOnlyPlanned { interruptedBySeries[series]?.onlyPlanned += 1 }
  }

  /// The interrupted rows by the names of their target and variant.
  func interruptedRows(_ db: Database) throws -> [InterruptedRows] {
    try interruptedBySeries.map { series, interrupted in
      InterruptedRows(
        target: try String.fetchOne(
          db, sql: "SELECT name FROM target WHERE id = ?", arguments: [series.target.rawValue]) ?? "",
        variant: try VariantQuery.name(of: series.variant, db), count: interrupted.count,
        onlyPlanned: interrupted.onlyPlanned)
    }
  }
}

extension SampleStateFlags {
  fileprivate var isOnlyPlanned: Bool { state == .planned && !isSent }

  fileprivate var interrupted: SampleStateFlags {
    SampleStateFlags(state: .interrupted, isSent: isSent, isAccepted: isAccepted)
  }
}

extension TargetID {
  fileprivate func lastSample(_ db: Database) throws -> SampleID? {
    try Int64.fetchOne(
      db, sql: "SELECT max(id) FROM sample WHERE id BETWEEN ? AND ?",
      arguments: [sampleIDs.lowerBound, sampleIDs.upperBound]
    ).map(SampleID.init(rawValue:))
  }
}

/// A row in the state `planned` or `in_flight`.
struct OpenRow {
  var id: SampleID
  var variant: VariantID
  var plannedAt: WallTime
  var plannedMonotonic: Int64
  var flags: SampleStateFlags

  /// The open rows of a target, newest first.
  /// - Parameter count: their number, from the counters.
  static func fetch(_ target: TargetID, count: Int64, _ db: Database) throws -> [OpenRow] {
    let statement = try RawStatement(
      db,
      """
      SELECT id, variant_id, planned_monotonic_us, state, schedule_lag_us IS NOT NULL, accept_us IS NOT NULL,
        planned_at
      FROM sample
      WHERE id BETWEEN ?1 AND ?2
        AND state IN (\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue))
      ORDER BY id DESC LIMIT ?3
      """)
    statement.bind(target.sampleIDs.lowerBound, at: 1)
    statement.bind(target.sampleIDs.upperBound, at: 2)
    statement.bind(count, at: 3)
    var rows: [OpenRow] = []
    while try statement.step() {
      rows.append(
        OpenRow(
          id: SampleID(rawValue: statement.integer(0)), variant: VariantID(rawValue: statement.integer(1)),
          plannedAt: WallTime(microseconds: statement.integer(6)), plannedMonotonic: statement.integer(2),
          flags: SampleStateFlags(
            state: NotificationState(rawValue: Int(statement.integer(3))) ?? .planned,
            isSent: statement.integer(4) != 0, isAccepted: statement.integer(5) != 0)))
    }
    return rows
  }

  /// The targets of a run with the number of their open rows, from the counters.
  static func targets(ofRun row: Int64, _ db: Database) throws -> [(id: TargetID, openCount: Int64)] {
    let statement = try RawStatement(
      db,
      """
      SELECT t.id, total(y.planned + y.in_flight) FROM target t JOIN tally y ON y.target_id = t.id
      WHERE t.run_id = ?1 GROUP BY t.id ORDER BY t.id
      """)
    statement.bind(row, at: 1)
    var targets: [(id: TargetID, openCount: Int64)] = []
    // A total is a real number, and does not overflow where counters are wrong; what is too large for an integer is read as the
    // largest one.
    while try statement.step() {
      targets.append((id: TargetID(rawValue: statement.integer(0)), openCount: statement.integer(1)))
    }
    return targets
  }
}
