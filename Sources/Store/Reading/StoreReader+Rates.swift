import GRDB
import Measurement

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
        return TargetRates(
          target: target, asked: asked, span: try Self.span(of: target, asked: asked, db),
          due: Int(row[2] as Double), sent: Int(row[3] as Double), missed: Int(row[4] as Double))
      }
    }
  }

  /// All but what is still only planned.
  private static let dueColumns = NotificationState.allCases.filter { $0 != .planned }.map(\.name)
    .joined(separator: " + ")

  /// Both ends are found by the primary key: planned rows that are not due lie at the end, some seconds' worth.
  private static func span(of target: TargetID, asked: Double, _ db: Database) throws -> Duration? {
    let range = target.sampleIDs
    func instant(_ order: String) throws -> Int64? {
      try Int64.fetchOne(
        db,
        sql: """
          SELECT planned_monotonic_us FROM sample WHERE id BETWEEN ? AND ? AND state <> ?
          ORDER BY id \(order) LIMIT 1
          """,
        arguments: [range.lowerBound, range.upperBound, NotificationState.planned.rawValue])
    }
    guard asked > 0, let first = try instant("ASC"), let last = try instant("DESC") else { return nil }
    return .microseconds(last - first) + .nanoseconds(Int64(min(1e18, 1e9 / asked)))
  }
}
