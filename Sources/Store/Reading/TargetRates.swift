import GRDB
import Measurement

/// How often a target's notifications were to be sent, and how often they were.
public struct TargetRates: Sendable, Equatable {
  public var target: TargetID
  /// What the configuration asked for, per second.
  public var asked: Double
  /// How long the schedule has run so far: from the first planned instant to one interval after the last one that has
  /// come, by the pace between them; `nil` while none has come.
  public var span: Duration?
  /// Notifications whose planned instant has come, those of them that were sent, and those that were missed.
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
  /// The asked, achieved and missed rate of each of a run's targets, by the plan that is stored: the figures stay
  /// what they were when the run is over, and are those of the moment while it goes on.
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

  /// All but what is still only planned.
  private static let dueColumns = NotificationState.allCases.filter { $0 != .planned }.map(\.name)
    .joined(separator: " + ")

  /// How fast a target's schedule went in a stretch of planned time; `nil` when nothing came due in it.
  ///
  /// Both ends are found by an index: planned rows that are not due lie at the end, some seconds' worth.
  ///
  /// - Parameters:
  ///   - start: `nil`, like the end, for all there is.
  ///   - end: excluded.
  ///   - due: how many notifications came due in it.
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

  private static let plannedState = NotificationState.planned.rawValue

  /// How long it takes to plan so many notifications at the pace of this target's; what it asked for stands in while
  /// there is but one instant.
  private static func span(
    of target: TargetID, asked: Double, due: Int, _ db: Database
  ) throws -> Duration? {
    guard asked > 0, due > 0, let pace = try pace(of: target, from: nil, to: nil, due: due, db) else {
      return nil
    }
    return .nanoseconds(Int64(min(1e18, Double(due) / (pace.perSecond ?? asked) * 1e9).rounded()))
  }
}
