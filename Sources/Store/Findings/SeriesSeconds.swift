import GRDB
import Measurement

/// What the series of one target and variant recorded in one second of planned time.
public struct SeriesSecond: Sendable, Equatable {
  public var target: TargetID
  public var variant: VariantID
  public var start: WallTime
  public var counts: StateCounts
  /// Missed for `retry_after`, `backoff`, `provider_limit` or `credential`.
  public var heldByProvider: Int
  public var accept: PackedLatencies
  public var delivery: PackedLatencies
  /// Received to shown.
  public var display: PackedLatencies
}

/// Seconds of planned time, from rollups and, where there are none yet, from the notifications.
public struct SeriesSecondsPage: Sendable {
  /// Ascending by start; a second in which a target planned nothing has none.
  public var seconds: [SeriesSecond]
  /// Complete up to here.
  public var coveredTo: WallTime
  /// The store's revision at the read.
  public var revision: Int64
}

/// A target and variant of a run, as one piece of a series.
public struct SeriesSpan: Sendable, Hashable {
  public var run: RunID
  public var target: TargetID
  public var name: String
  public var provider: String
  /// Empty in runs from before stores kept it.
  public var endpoint: String
  /// The configuration's `device`.
  public var device: String?
  public var variant: VariantID
  /// Empty if the target lists no values.
  public var variantName: String
  /// µs; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the target's schedule asked for, of all variants.
  public var askedRate: Double
  public var startedAt: WallTime
  /// `nil` while it is recorded.
  public var endedAt: WallTime?
  /// The earliest time that the run's clock was set to: earlier than ``startedAt`` where it was ahead at the start.
  public var earliest: WallTime
}

extension StoreReader {
  /// What was recorded in each second of a range of planned time.
  ///
  /// - Parameters:
  ///   - start: a whole second.
  ///   - end: a whole second, excluded.
  ///   - limit: about the largest number of rollups and notifications to read.
  public func seriesSeconds(
    of targets: Set<TargetID>, from start: WallTime, to end: WallTime, limit: Int = 20_000
  ) throws -> SeriesSecondsPage {
    try read { db in
      let watermarks = try RollupWatermarks.fetch(db)
      let first = RollupSpan.firstWholeSecond(start)
      let last = max(first, end.seconds)
      var seconds: [SeriesSecond] = []
      var missed = false
      let rolledUp = min(last, watermarks.second)
      var reached = first
      if first < rolledUp {
        var reading = RollupReading(targets: targets, figures: [.accept, .delivery, .display], limit: limit)
        reached = try reading.read(.second, from: first, to: rolledUp, watermarks: watermarks, db) {
          key, content in
          missed = missed || content.counts[.missed] > 0
          seconds.append(
            SeriesSecond(
              target: key.target, variant: key.variant, start: WallTime(seconds: key.start),
              counts: content.counts, heldByProvider: 0, accept: content.figures[.accept],
              delivery: content.figures[.delivery], display: content.figures[.display]))
        }
        if missed { try Self.addHeldByProvider(to: &seconds, from: first, to: reached, db) }
      }
      if reached >= rolledUp, reached < last {
        reached = try Self.readNotifications(
          of: targets, from: reached, to: last, limit: max(1, limit - seconds.count), into: &seconds, db)
      }
      return SeriesSecondsPage(
        seconds: seconds, coveredTo: WallTime(seconds: reached),
        revision: try Self.revision(db))
    }
  }

  private static let heldReasons =
    MissedReason.allCases.filter(\.isRefusal).map { "'\($0.rawValue)'" }.joined(separator: ", ")

  /// Rollups do not count reasons.
  private static func addHeldByProvider(
    to seconds: inout [SeriesSecond], from start: Int64, to end: Int64, _ db: Database
  ) throws {
    struct Key: Hashable {
      var second: Int64
      var target: Int64
      var variant: Int64
    }
    let statement = try RawStatement(
      db,
      """
      SELECT planned_at, id, variant_id FROM sample INDEXED BY sample_planned_at
      WHERE planned_at >= ?1 AND planned_at < ?2 AND state = \(NotificationState.missed.rawValue)
        AND reason IN (\(heldReasons))
      """)
    statement.bind(start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    var counts: [Key: Int] = [:]
    while try statement.step() {
      let second = WallTime(microseconds: statement.integer(0)).seconds
      let target = SampleID(rawValue: statement.integer(1)).target.rawValue
      counts[Key(second: second, target: target, variant: statement.integer(2)), default: 0] += 1
    }
    guard !counts.isEmpty else { return }
    for index in seconds.indices {
      let row = seconds[index]
      seconds[index].heldByProvider =
        counts[
          Key(
            second: row.start.seconds, target: row.target.rawValue,
            variant: row.variant.rawValue)]
        ?? 0
    }
  }

  private struct Accumulator {
    var counts = StateCounts()
    var held = 0
    var accept = LatencyAccumulator()
    var delivery = LatencyAccumulator()
    var display = LatencyAccumulator()

    /// Adds a row of the statement in ``readNotifications(of:from:to:limit:into:_:)``.
    mutating func add(_ row: RawStatement) {
      let answer = row.optionalInteger(5)
      let shown = row.optionalInteger(9).flatMap { DisplayState(rawValue: Int($0)) }
      counts.add(
        NotificationState(rawValue: Int(row.integer(3))) ?? .planned, isSent: !row.isNull(4),
        isAccepted: answer != nil, display: shown)
      if let answer { accept.add(answer) }
      let arrival = row.optionalInteger(6)
      if let arrival { delivery.add(arrival) }
      if shown != nil, let time = Sample.displayTime(shown: row.optionalInteger(8), delivery: arrival) {
        display.add(time)
      }
      if row.integer(7) != 0 { held += 1 }
    }
  }

  /// - Returns: the second up to which everything was read.
  private static func readNotifications(
    of targets: Set<TargetID>, from start: Int64, to end: Int64, limit: Int,
    into seconds: inout [SeriesSecond], _ db: Database
  ) throws -> Int64 {
    struct Key: Hashable {
      var target: TargetID
      var variant: VariantID
    }
    let statement = try RawStatement(
      db,
      """
      SELECT planned_at, id, variant_id, state, schedule_lag_us, accept_us, delivery_us,
        state = \(NotificationState.missed.rawValue) AND reason IN (\(heldReasons)), shown_us, display
      FROM sample INDEXED BY sample_planned_at WHERE planned_at >= ?1 AND planned_at < ?2 ORDER BY planned_at
      """)
    statement.bind(start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    var current = Int64.min
    var batch: [Key: Accumulator] = [:]
    var rows = 0
    func flush() {
      let sorted = batch.sorted {
        ($0.key.target, $0.key.variant.rawValue) < ($1.key.target, $1.key.variant.rawValue)
      }
      for (key, sum) in sorted {
        seconds.append(
          SeriesSecond(
            target: key.target, variant: key.variant, start: WallTime(seconds: current),
            counts: sum.counts, heldByProvider: sum.held, accept: sum.accept.packed,
            delivery: sum.delivery.packed, display: sum.display.packed))
      }
      batch.removeAll(keepingCapacity: true)
    }
    while try statement.step() {
      let second = WallTime(microseconds: statement.integer(0)).seconds
      if second != current {
        flush()
        if rows >= limit { return second }
        current = second
      }
      rows += 1
      let target = SampleID(rawValue: statement.integer(1)).target
      guard targets.contains(target) else { continue }
      let key = Key(target: target, variant: VariantID(rawValue: statement.integer(2)))
      batch[key, default: Accumulator()].add(statement)
    }
    flush()
    return end
  }

  /// The targets and variants of the runs that had not ended at an instant, in the order of runs and targets.
  public func seriesSpans(endingAfter time: WallTime) throws -> [SeriesSpan] {
    try read { db in
      try db.cachedRows(
        """
        SELECT r.uuid, t.id, t.name, t.provider, t.endpoint, t.device, y.variant_id, v.name, t.receipt_deadline_us,
          t.asked_rate, r.started_at, r.ended_at,
          min(r.started_at, ifnull((SELECT min(at) FROM anchor WHERE run_id = r.id), r.started_at))
        FROM run r JOIN target t ON t.run_id = r.id JOIN tally y ON y.target_id = t.id
          LEFT JOIN variant v ON v.id = y.variant_id
        WHERE (r.ended_at IS NULL OR r.ended_at > ?) AND r.id NOT IN (SELECT run_id FROM deletion)
        ORDER BY r.id, t.id, y.variant_id
        """, [time.microseconds]
      ).compactMap { row in
        guard let run = RunID(row[0]) else { return nil }
        return SeriesSpan(
          run: run, target: TargetID(rawValue: row[1]), name: row[2], provider: row[3],
          endpoint: row[4] ?? "", device: row[5], variant: VariantID(rawValue: row[6]),
          variantName: row[7] ?? "", receiptDeadline: row[8], askedRate: row[9],
          startedAt: WallTime(microseconds: row[10]),
          endedAt: (row[11] as Int64?).map(WallTime.init(microseconds:)),
          earliest: WallTime(microseconds: row[12]))
      }
    }
  }

  /// The name that the first receipt of a target bears.
  public func receiptDevice(of target: TargetID) throws -> String? {
    try read { db in
      try String.fetchOne(
        db, sql: "SELECT device FROM receipt WHERE sample_id BETWEEN ? AND ? ORDER BY sample_id LIMIT 1",
        arguments: [target.sampleIDs.lowerBound, target.sampleIDs.upperBound])
    }
  }

  /// Differs when a run has begun, ended, was renamed or deleted since, or when its clock was set.
  public func runsFingerprint() throws -> String {
    try read { db in
      try String.fetchOne(
        db,
        sql: """
          SELECT ifnull(max(revision), 0) || ' ' || count(*) || ' ' || (SELECT count(*) FROM anchor) FROM run
          WHERE id NOT IN (SELECT run_id FROM deletion)
          """) ?? ""
    }
  }
}
