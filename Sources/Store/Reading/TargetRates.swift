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

extension StoreReader {
  /// The asked, achieved and missed rates of each target of a run, from the stored plan: up to now, or up to the end of
  /// the run.
  ///
  /// - Throws: ``StoreError``.
  public func rates(of run: RunID) throws -> [TargetRates] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT t.id, t.asked_rate, total(y.due), total(y.sent), total(y.missed)
          FROM target t JOIN run r ON r.id = t.run_id
          LEFT JOIN (
            SELECT target_id, \(Self.dueColumns) AS due, sent, missed FROM tally
          ) y ON y.target_id = t.id
          WHERE r.uuid = ? GROUP BY t.id ORDER BY t.id
          """,
        arguments: [run.description]
      ).map { row in
        let target = TargetID(rawValue: row[0])
        let asked: Double = row[1]
        let due = Int(row[2] as Double)
        return TargetRates(
          target: target, asked: asked, span: try Self.span(of: target, asked: asked, due: due, db),
          due: due, sent: Int(row[3] as Double), missed: Int(row[4] as Double))
      }
    }
  }

  /// All states but `planned`.
  private static let dueColumns = NotificationState.allCases.filter { $0 != .planned }.map(\.name)
    .joined(separator: " + ")

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
      statement.bind(target.sampleIDs.lowerBound, at: 1)
      statement.bind(target.sampleIDs.upperBound, at: 2)
      statement.bind(start?.microseconds ?? .min, at: 3)
      statement.bind(end?.microseconds ?? .max, at: 4)
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
    statement.bind(target.sampleIDs.lowerBound, at: 1)
    statement.bind(target.sampleIDs.upperBound, at: 2)
    statement.bind(first, at: 3)
    statement.bind(end?.microseconds ?? .max, at: 4)
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

  /// The duration of `due` notifications at the target's pace, or at the asked rate while there is only one instant.
  private static func span(
    of target: TargetID, asked: Double, due: Int, _ db: Database
  ) throws -> Duration? {
    guard asked > 0, due > 0, let pace = try pace(of: target, from: nil, to: nil, due: due, db) else {
      return nil
    }
    return .nanoseconds(Int64(min(1e18, Double(due) / (pace.perSecond ?? asked) * 1e9).rounded()))
  }
}
