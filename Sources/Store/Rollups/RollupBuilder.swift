import GRDB
import Measurement

/// Writes new rollups: seconds from notifications, minutes from seconds, hours from minutes.
struct RollupBuilder {
  private let db: Database
  private let table: RollupTable

  init(_ db: Database) throws {
    self.db = db
    table = try RollupTable(db)
  }

  /// Writes one span's rollups from its watermark on, at most to `end`.
  /// - Parameters:
  ///   - end: seconds since 1970, a whole number of spans.
  ///   - limit: stop at the next whole span after so many rows were read.
  /// - Returns: how many rows were read.
  func advance(_ span: RollupSpan, to end: Int64, limit: Int, watermarks: inout RollupWatermarks) throws
    -> Int
  {
    let start = watermarks[span]
    guard start < end else { return 0 }
    let done =
      span == .second
      ? try readNotifications(from: start, to: end, limit: limit)
      : try readParts(of: span, from: start, to: end, limit: limit)
    try watermarks.advance(span, to: done.reached, db)
    return done.rows
  }

  private func readNotifications(
    from start: Int64, to end: Int64, limit: Int
  ) throws -> (reached: Int64, rows: Int) {
    let statement = try RawStatement(
      db,
      """
      SELECT \(RollupContribution.columns) FROM sample INDEXED BY sample_planned_at
      WHERE planned_at >= ?1 AND planned_at < ?2 ORDER BY planned_at
      """)
    statement.bind(start == .min ? .min : start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    var batch = RollupBatch(span: .second)
    var rows = 0
    while try statement.step() {
      let contribution = RollupContribution(from: statement)
      if batch.start != contribution.second {
        try batch.write(to: table)
        if rows >= limit { return (contribution.second, rows) }
        batch.begin(contribution.second)
      }
      batch.add(contribution)
      rows += 1
    }
    try batch.write(to: table)
    return (end, rows)
  }

  private func readParts(
    of span: RollupSpan, from start: Int64, to end: Int64, limit: Int
  ) throws -> (reached: Int64, rows: Int) {
    guard let part = span.part else { return (end, 0) }
    let statement = try RawStatement(db, RollupTable.stretchSQL)
    statement.bind(part.rawValue, at: 1)
    statement.bind(start, at: 2)
    statement.bind(end, at: 3)
    defer { statement.reset() }
    var batch = RollupBatch(span: span)
    var rows = 0
    while try statement.step() {
      let row = RollupTable.row(statement, span: part)
      let whole = span.start(of: row.key.start)
      if batch.start != whole {
        // The statement reads rows of another span than those that are written.
        try batch.write(to: table)
        if rows >= limit { return (whole, rows) }
        batch.begin(whole)
      }
      batch.add(row.content, target: row.key.target, variant: row.key.variant)
      rows += 1
    }
    try batch.write(to: table)
    return (end, rows)
  }
}

/// The rollups of one span of time, one for each target and variant, before they are written.
struct RollupBatch {
  let span: RollupSpan
  /// `nil` before the first one.
  private(set) var start: Int64?
  private var accumulators: [RollupKey: RollupAccumulator] = [:]

  init(span: RollupSpan) { self.span = span }

  mutating func begin(_ start: Int64) {
    self.start = start
    accumulators.removeAll(keepingCapacity: true)
  }

  mutating func add(_ contribution: RollupContribution) {
    accumulators[key(contribution.target, contribution.variant), default: RollupAccumulator()].add(
      contribution)
  }

  mutating func add(_ content: RollupContent, target: TargetID, variant: VariantID) {
    accumulators[key(target, variant), default: RollupAccumulator()].add(content)
  }

  private func key(_ target: TargetID, _ variant: VariantID) -> RollupKey {
    RollupKey(span: span, start: start ?? 0, target: target, variant: variant)
  }

  func write(to table: RollupTable) throws {
    guard start != nil else { return }
    for (key, accumulator) in accumulators.sorted(by: { $0.key < $1.key }) {
      try table.write(accumulator.content(over: RollupContent()), for: key)
    }
  }
}

/// The changes of a transaction to existing rollups: late answers, receipts and losses, plans of a clock that was set
/// back. They are written in the same transaction, so that rollups always agree with the notifications.
struct RollupChanges {
  /// The end of the rolled-up time.
  let watermarks: RollupWatermarks
  private var accumulators: [RollupKey: RollupAccumulator] = [:]

  init(watermarks: RollupWatermarks) { self.watermarks = watermarks }

  /// Whether a change of a notification that was planned at this time changes a rollup.
  @inline(__always)
  func concern(_ plannedAt: WallTime) -> Bool { plannedAt.seconds < watermarks.second }

  mutating func add(_ contribution: RollupContribution, _ count: Int = 1) {
    accumulators[Self.key(contribution), default: RollupAccumulator()].add(contribution, count)
  }

  mutating func move(from old: RollupContribution, to new: RollupContribution) {
    accumulators[Self.key(old), default: RollupAccumulator()].move(from: old, to: new)
  }

  private static func key(_ contribution: RollupContribution) -> RollupKey {
    RollupKey(
      span: .second, start: contribution.second, target: contribution.target, variant: contribution.variant)
  }

  /// Writes the changes to the seconds, minutes and hours that exist.
  func apply(_ db: Database) throws {
    guard !accumulators.isEmpty else { return }
    let table = try RollupTable(db)
    for span in RollupSpan.allCases {
      var sums: [RollupKey: RollupAccumulator] = [:]
      for (key, accumulator) in accumulators {
        var whole = key
        whole.span = span
        whole.start = span.start(of: key.start)
        // A rollup that was deleted is not begun again with the changes alone.
        guard whole.start < watermarks[span], whole.start >= watermarks.first(span) else { continue }
        sums[whole, default: RollupAccumulator()].add(accumulator)
      }
      for (key, sum) in sums.sorted(by: { $0.key < $1.key }) {
        try table.write(sum.content(over: table.content(of: key)), for: key)
      }
    }
  }
}

extension CollectorStore {
  /// Planned time is rolled up at this age, when nearly all of its notifications have a final state.
  public static let rollupDelay = Duration.seconds(60)

  /// Writes the next rollups of notifications planned more than ``rollupDelay`` ago, in one transaction of bounded
  /// size.
  ///
  /// Called periodically between commits. A store that lacks rollups (recorded by an older version, or killed) catches
  /// up in steps. Does not write when there is nothing to roll up.
  ///
  /// - Parameter limit: about how many rows to read; a whole second, minute or hour is never split.
  /// - Returns: whether there is more to roll up now.
  /// - Throws: ``StoreError``. Nothing was written.
  public func rollUp(atMost limit: Int = 2_000) throws -> Bool {
    let oldest = clock.wallNow().advanced(byMicroseconds: -Self.rollupDelay.microseconds)
    let end = oldest.seconds
    let isNeeded = try read { db in
      let watermarks = try RollupWatermarks.fetch(db)
      return try watermarks.areCoarseSpansBehind
        || Self.isAnythingPlanned(from: watermarks.second, to: end, db)
    }
    guard isNeeded else { return false }
    var isBehind = false
    try transaction { db, state in
      var watermarks = try state.rollupWatermarks(db)
      let builder = try RollupBuilder(db)
      var rest = limit
      for span in RollupSpan.allCases {
        let reached = span.part.map { watermarks[$0] } ?? end
        guard reached > .min else { continue }
        rest -= try builder.advance(
          span, to: span.start(of: reached), limit: max(0, rest), watermarks: &watermarks)
      }
      state.set(watermarks)
      isBehind = watermarks.second < end || watermarks.areCoarseSpansBehind
    }
    return isBehind
  }

  private static func isAnythingPlanned(from start: Int64, to end: Int64, _ db: Database) throws -> Bool {
    guard start < end else { return false }
    let statement = try RawStatement(
      db,
      """
      SELECT 1 FROM sample INDEXED BY sample_planned_at WHERE planned_at >= ?1 AND planned_at < ?2 LIMIT 1
      """)
    statement.bind(start == .min ? .min : start * 1_000_000, at: 1)
    statement.bind(end * 1_000_000, at: 2)
    defer { statement.reset() }
    return try statement.step()
  }
}
