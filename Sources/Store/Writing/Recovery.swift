import GRDB
import Measurement

/// Settles what runs left behind whose collector died: each of their planned numbers gets a state, or was never due
/// and goes. Run at each start, under the lock, in one transaction.
struct Recovery {
  let clock: any HostClock
  /// This boot's.
  let bootID: String

  func run(_ db: Database, state: inout WriterState) throws -> RecoverySummary {
    let runs = try OpenRun.fetchAll(db)
    guard !runs.isEmpty else { return RecoverySummary() }
    let now = ClockAnchor(reading: clock)
    var summary = RecoverySummary()
    try db.inTransaction(.immediate) {
      for run in runs { summary.runs.append(try settle(run, now: now, db, state: &state)) }
      try RecordWriter(db).store(revision: state.revision)
      return .commit
    }
    return summary
  }

  private func settle(
    _ run: OpenRun, now: ClockAnchor, _ db: Database, state: inout WriterState
  ) throws -> RecoveredRun {
    let test = DueTest(
      runBootID: run.bootID, bootID: bootID, anchor: run.anchor, heartbeat: run.heartbeat, now: now)
    var settlement = OpenRowSettlement()
    try settlement.settle(run: run.row, db, state: &state) { test.mayHaveBeenSent(planned: $0) }
    let ended = max(run.heartbeat.wall, run.startedAt)
    let event = Event(
      at: ended, kind: .interrupted, count: settlement.interrupted,
      detail:
        "the collector ended without closing the run: \(CountText.text(settlement.interrupted, "notification")) without a "
        + "known end, \(CountText.text(settlement.removed, "plan")) not due yet removed")
    try RecordWriter(db).insert([event], revision: &state.revision) { _ in run.row }
    try RecordWriter(db).end(run: run.row, at: ended, reason: .interrupted, revision: &state.revision)
    return RecoveredRun(run: run.id, interrupted: settlement.interrupted, removed: settlement.removed)
  }
}

/// What a start found of runs whose collector died, and did about it.
public struct RecoverySummary: Sendable, Equatable {
  public var runs: [RecoveredRun] = []

  public var isEmpty: Bool { runs.isEmpty }
  public var interrupted: Int { runs.reduce(0) { $0 + $1.interrupted } }
  public var removed: Int { runs.reduce(0) { $0 + $1.removed } }
}

/// A run that nobody had closed.
public struct RecoveredRun: Sendable, Equatable {
  public var run: RunID
  /// Notifications whose end will not be known, unless a receipt comes.
  public var interrupted: Int
  /// Plans whose time had not come, so that they were never due.
  public var removed: Int
}

/// A run that nobody closed, as a start finds it.
struct OpenRun {
  var row: Int64
  var id: RunID
  var bootID: String
  var startedAt: WallTime
  /// The last tie between the clocks.
  var anchor: ClockAnchor
  /// Both clocks when the collector last wrote for the run.
  var heartbeat: ClockAnchor

  static func fetchAll(_ db: Database) throws -> [OpenRun] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT r.id, r.uuid, r.boot_id, r.started_at, r.started_monotonic_us, h.at, h.monotonic_us
        FROM run r LEFT JOIN heartbeat h ON h.run_id = r.id WHERE r.ended_at IS NULL ORDER BY r.id
        """
    ).compactMap { row in
      guard let id = RunID(row[1]) else { return nil }
      let start = ClockAnchor(
        monotonic: MonotonicTime(microseconds: row[4] as Int64), wall: WallTime(microseconds: row[3]))
      var heartbeat = start
      if let at = row[5] as Int64?, let monotonic = row[6] as Int64? {
        heartbeat = ClockAnchor(
          monotonic: MonotonicTime(microseconds: monotonic), wall: WallTime(microseconds: at))
      }
      return OpenRun(
        row: row[0], id: id, bootID: row[2], startedAt: start.wall,
        anchor: try lastAnchor(ofRun: row[0], db) ?? start, heartbeat: heartbeat)
    }
  }

  private static func lastAnchor(ofRun row: Int64, _ db: Database) throws -> ClockAnchor? {
    try Row.fetchOne(
      db, sql: "SELECT monotonic_us, at FROM anchor WHERE run_id = ? ORDER BY monotonic_us DESC LIMIT 1",
      arguments: [row]
    ).map {
      ClockAnchor(monotonic: MonotonicTime(microseconds: $0[0] as Int64), wall: WallTime(microseconds: $0[1]))
    }
  }
}

/// Tells which plans of a dead collector may have gone out. It errs on one side only: what it calls not due was not
/// sent for certain.
///
/// On the same boot the monotonic clock still runs: a plan later than now was not due when the collector died, which
/// was before now. After another boot only wall times are left. The collector died before now and lived at its last
/// heartbeat; a wall clock set back in between is caught by the heartbeat, and a margin covers what it may have sent
/// after that while a slow disk kept it from writing.
struct DueTest {
  /// The latest monotonic plan, in µs, that may have been sent.
  private let lastDue: Int64

  static let margin: Int64 = 60_000_000

  /// - Parameters:
  ///   - anchor: the run's last tie between the clocks.
  ///   - heartbeat: both clocks when the collector last wrote.
  init(runBootID: String, bootID: String, anchor: ClockAnchor, heartbeat: ClockAnchor, now: ClockAnchor) {
    if runBootID == bootID, now.monotonic >= heartbeat.monotonic {
      lastDue = now.monotonic.microseconds
    } else {
      let lastWall = max(now.wall, heartbeat.wall).advanced(byMicroseconds: Self.margin)
      lastDue = anchor.monotonic.microseconds + (lastWall.microseconds - anchor.wall.microseconds)
    }
  }

  func mayHaveBeenSent(planned: Int64) -> Bool { planned <= lastDue }
}
