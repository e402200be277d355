import GRDB
import Measurement

/// A target of a run, and when that run was recorded.
public struct TargetStretch: Sendable, Hashable {
  public var target: TargetID
  public var startedAt: WallTime
  /// `nil` while it is being recorded.
  public var endedAt: WallTime?

  public init(target: TargetID, startedAt: WallTime, endedAt: WallTime?) {
    (self.target, self.startedAt, self.endedAt) = (target, startedAt, endedAt)
  }
}

extension StoreReader {
  /// The targets of all runs that measured the same as the given ones, these included: the same name, provider and endpoint.
  /// Runs of before stores kept the endpoint count as the same.
  ///
  /// - Parameters:
  ///   - from: runs that ended before are left out.
  ///   - to: runs that began at this time or later are left out.
  /// - Returns: by the beginning of their runs.
  /// - Throws: ``StoreError``.
  public func targets(sameAs targets: [TargetID], recordedFrom from: WallTime, to: WallTime) throws
    -> [TargetStretch]
  {
    let list = "[" + targets.map { "\($0.rawValue)" }.joined(separator: ",") + "]"
    return try read { db in
      try db.cachedRows(
        """
        SELECT DISTINCT same.id, r.started_at, r.ended_at
        FROM target t JOIN target same ON same.name = t.name AND same.provider = t.provider
          AND (same.endpoint = t.endpoint OR same.endpoint IS NULL OR t.endpoint IS NULL)
        JOIN run r ON r.id = same.run_id
        WHERE t.id IN (SELECT value FROM json_each(?1)) AND r.started_at < ?3
          AND (r.ended_at IS NULL OR r.ended_at > ?2) AND r.id NOT IN (SELECT run_id FROM deletion)
        ORDER BY r.started_at, same.id
        """, [list, from.microseconds, to.microseconds]
      ).map { row in
        TargetStretch(
          target: TargetID(rawValue: row[0]), startedAt: WallTime(microseconds: row[1]),
          endedAt: (row[2] as Int64?).map(WallTime.init(microseconds:)))
      }
    }
  }

  /// The planned times of the first and of the last notification of some targets that is due.
  ///
  /// - Parameters:
  ///   - start: `nil`, like the end, for no limit.
  ///   - end: excluded.
  /// - Returns: `nil` when none is due.
  /// - Throws: ``StoreError``.
  public func plannedTimes(of targets: [TargetID], from start: WallTime?, to end: WallTime?) throws
    -> ClosedRange<WallTime>?
  {
    try read { db in
      var extent: ClosedRange<WallTime>?
      for target in targets {
        func planned(_ order: String) throws -> WallTime? {
          // By id where all of a target is asked for: as sequence numbers are planned in their order.
          let isWhole = start == nil && end == nil
          let statement = try RawStatement(
            db,
            """
            SELECT planned_at FROM sample \(isWhole ? "" : "INDEXED BY sample_planned_at")
            WHERE id BETWEEN ?1 AND ?2 AND planned_at >= ?3 AND planned_at < ?4
              AND state <> \(NotificationState.planned.rawValue)
            ORDER BY \(isWhole ? "id" : "planned_at") \(order) LIMIT 1
            """)
          statement.bind(target.sampleIDs, plannedFrom: start, to: end)
          defer { statement.reset() }
          return try statement.step() ? WallTime(microseconds: statement.integer(0)) : nil
        }
        let first = try planned("ASC")
        let last = try planned("DESC")
        let pruned = try Self.prunedTimes(of: target, from: start, to: end, db)
        let known = [first, last, pruned?.lowerBound, pruned?.upperBound].compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { continue }
        extent = min(extent?.lowerBound ?? low, low)...max(extent?.upperBound ?? high, high)
      }
      return extent
    }
  }

  /// What rollups say of a target's notifications that retention has deleted: the beginning of the first span that has any,
  /// and the last instant of the last one.
  private static func prunedTimes(
    of target: TargetID, from start: WallTime?, to end: WallTime?, _ db: Database
  ) throws -> ClosedRange<WallTime>? {
    let spans = try PrunedSpans.fetch(db)
    guard let pruned = spans.samples else { return nil }
    let from = start.map { RollupSpan.hour.start(of: $0.seconds) } ?? .min
    let to = min(end ?? pruned, pruned).seconds
    guard from < to else { return nil }
    func hour(_ order: String) throws -> Int64? {
      let statement = try RawStatement(
        db,
        """
        SELECT start FROM rollup WHERE span = 3600 AND start >= ?1 AND start < ?2 AND target_id = ?3
        ORDER BY start \(order) LIMIT 1
        """)
      statement.bind(from, at: 1)
      statement.bind(to, at: 2)
      statement.bind(target.rawValue, at: 3)
      defer { statement.reset() }
      return try statement.step() ? statement.integer(0) : nil
    }
    guard let first = try hour("ASC"), let last = try hour("DESC") else { return nil }
    // No earlier than the range, and exactly where finer rollups say so.
    func edge(_ hour: Int64, _ order: String) throws -> (start: Int64, length: Int64) {
      let span = spans.finestSpan(from: WallTime(seconds: hour))
      let statement = try RawStatement(
        db,
        """
        SELECT start FROM rollup WHERE span = ?1 AND start >= ?2 AND start < ?2 + 3600 AND target_id = ?3
        ORDER BY start \(order) LIMIT 1
        """)
      statement.bind(span.rawValue, at: 1)
      statement.bind(hour, at: 2)
      statement.bind(target.rawValue, at: 3)
      defer { statement.reset() }
      return try statement.step() ? (statement.integer(0), Int64(span.rawValue)) : (hour, 3600)
    }
    let low = try edge(first, "ASC").start
    let high = try edge(last, "DESC")
    let earliest = WallTime(seconds: low)
    let latest = WallTime(microseconds: (high.start + high.length) * 1_000_000 - 1)
    let lower = max(earliest, start ?? earliest)
    let upper = min(latest, end?.advanced(byMicroseconds: -1) ?? latest)
    return lower <= upper ? lower...upper : nil
  }
}
