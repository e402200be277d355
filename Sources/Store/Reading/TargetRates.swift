import GRDB
import Measurement

/// The asked and achieved rates of a target.
public struct TargetRates: Sendable, Equatable {
  public var target: TargetID
  /// The configured rate, per second.
  public var asked: Double
  /// The duration of the schedule so far, from the first planned instant to one mean interval after the last one that
  /// is due; `nil` while none is due.
  public var span: Duration?
  /// Notifications that are due, and those of them that were sent or missed.
  public var due: Int
  public var sent: Int
  public var missed: Int

  /// Sent per second; `nil` while nothing was due.
  public var achieved: Double? { perSecond(sent) }

  /// Missed per second.
  public var missedRate: Double? { perSecond(missed) }

  private func perSecond(_ count: Int) -> Double? {
    guard let span, span > .zero else { return nil }
    return Double(count) / (Double(span.nanoseconds) * 1e-9)
  }
}

extension SampleSource {
  /// The asked, achieved and missed rates of each target of a run: up to now, or up to the end of the run.
  ///
  /// - Throws: the error of the source.
  public func rates(of run: RunID) throws -> [TargetRates] {
    try targets(of: run).map { target in
      let counts = target.counts
      let due = NotificationState.allCases.filter { $0 != .planned }.reduce(0) { $0 + counts[$1] }
      return TargetRates(
        target: target.id, asked: target.askedRate, span: try span(of: target, due: due), due: due,
        sent: counts.sent, missed: counts[.missed])
    }
  }

  /// The duration of `due` notifications at the target's pace, or at the asked rate while there is only one instant.
  private func span(of target: TargetRecord, due: Int) throws -> Duration? {
    guard target.askedRate > 0, due > 0,
      let pace = try pace(of: target.id, from: nil, to: nil, due: due)
    else { return nil }
    let seconds = Double(due) / (pace.perSecond ?? target.askedRate)
    return .nanoseconds(Int64(min(1e18, seconds * 1e9).rounded()))
  }
}

extension StoreReader {
  /// How long nothing of a run that goes on has been recorded; `nil` where it is recorded, or has ended.
  /// - Throws: ``StoreError``.
  public func unrecorded(of run: RunID, at now: WallTime) throws -> Duration? {
    let last = try read { db in
      try db.cachedRows(
        """
        SELECT h.at FROM run r JOIN heartbeat h ON h.run_id = r.id WHERE r.uuid = ? AND r.ended_at IS NULL
        """, [run.description]
      ).first.map { $0[0] as Int64 }
    }
    guard let last else { return nil }
    let silence = now - WallTime(microseconds: last)
    return silence > RunPhase.silence ? silence : nil
  }

  /// The pace of a target's schedule in a range of planned time; `nil` when nothing was due in it.
  ///
  /// Both ends are found by an index; only some seconds of planned rows at the end are not due.
  ///
  /// - Parameters:
  ///   - start: `nil`, like the end, for no limit.
  ///   - end: excluded.
  ///   - due: the number of notifications that were due in it.
  /// - Throws: ``StoreError``.
  public func pace(
    of target: TargetID, from start: WallTime?, to end: WallTime?, due: Int
  ) throws -> PlannedPace? {
    try read { try Self.pace(of: target, from: start, to: end, due: due, $0) }
  }

  private static func pace(
    of target: TargetID, from start: WallTime?, to end: WallTime?, due: Int, _ db: Database
  ) throws -> PlannedPace? {
    let isWhole = start == nil && end == nil
    func statement(_ order: String) throws -> RawStatement {
      let statement = try RawStatement(
        db,
        """
        SELECT planned_monotonic_us FROM sample \(isWhole ? "" : "INDEXED BY sample_planned_at")
        WHERE id BETWEEN ?1 AND ?2 AND planned_at >= ?3 AND planned_at < ?4 AND state <> \(plannedState)
        ORDER BY \(isWhole ? "id" : "planned_at") \(order)
        """)
      statement.bind(target.sampleIDs, plannedFrom: start, to: end)
      return statement
    }
    if let pruned = try prunedPace(of: target, from: start, to: end, due: due, db) { return pruned }
    let forwards = try statement("ASC")
    defer { forwards.reset() }
    guard try forwards.step() else { return nil }
    let first = forwards.integer(0)
    var dueAtFirst = 1
    while try forwards.step(), forwards.integer(0) == first { dueAtFirst += 1 }
    let backwards = try statement("DESC")
    defer { backwards.reset() }
    guard try backwards.step() else { return nil }
    return PlannedPace(first: first, last: backwards.integer(0), due: due, dueAtFirst: dueAtFirst)
  }

  /// The pace where retention has deleted the first notifications: from the beginning of the range or of the run, to the last
  /// one that is there, or to the end of the range or of the run.
  private static func prunedPace(
    of target: TargetID, from start: WallTime?, to end: WallTime?, due: Int, _ db: Database
  ) throws -> PlannedPace? {
    guard let pruned = try PrunedSpans.fetch(db).samples,
      let run = try db.cachedRows(
        """
        SELECT r.started_at, r.ended_at FROM target t JOIN run r ON r.id = t.run_id WHERE t.id = ?
        """, [target.rawValue]
      ).first
    else { return nil }
    let first = max(start?.microseconds ?? .min, run[0])
    guard first < pruned.microseconds else { return nil }
    let statement = try RawStatement(
      db,
      """
      SELECT planned_at FROM sample INDEXED BY sample_planned_at
      WHERE id BETWEEN ?1 AND ?2 AND planned_at >= ?3 AND planned_at < ?4 AND state <> \(plannedState)
      ORDER BY planned_at DESC LIMIT 1
      """)
    statement.bind(target.sampleIDs, plannedFrom: WallTime(microseconds: first), to: end)
    defer { statement.reset() }
    let last: Int64
    if try statement.step() {
      last = statement.integer(0)
    } else {
      last = min(end?.microseconds ?? .max, (run[1] as Int64?) ?? .max, pruned.microseconds)
    }
    guard last > first else { return nil }
    return PlannedPace(first: first, last: last, due: due, dueAtFirst: 1)
  }

  private static let plannedState = NotificationState.planned.rawValue
}
