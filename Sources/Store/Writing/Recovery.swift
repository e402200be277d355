import GRDB
import Measurement

/// Closes the runs of crashed collectors: each of their planned notifications gets a final state, or is removed because
/// it was never due. Runs at each start, under the lock, in one transaction.
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
      lastDue = anchor.monotonic.microseconds + (lastWall.microseconds - anchor.wall.microseconds)
    }
  }

  func mayHaveBeenSent(planned: Int64) -> Bool { planned <= lastDue }
}
