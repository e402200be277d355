import GRDB
import Measurement

extension CollectorStore {
  /// Rows that a transaction deletes at most, whatever the time.
  public static let mostPruned = 20_000

  /// Deletes a part of what retention does not keep, in at most two short transactions.
  ///
  /// Only notifications with a final state go, in whole hours that are rolled up. What a mark in the store says to be deleted
  /// is deleted whatever ages the policy has: a step that was interrupted by a crash goes on.
  ///
  /// A deletion is written to the log first, and makes nothing smaller before a checkpoint. While a reader pins the log, nothing
  /// is deleted.
  ///
  /// - Parameters:
  ///   - now: the time from which ages count; `nil` for that of the wall clock.
  ///   - waitsForLog: whether a pinned log is waited for.
  ///   - limit: about how many rows to delete.
  ///   - time: commit once so much time has passed; looked at after every few rows.
  /// - Throws: ``StoreError``. The step that failed deleted nothing.
  public func prune(
    _ policy: RetentionPolicy, at now: WallTime? = nil, atMost limit: Int = CollectorStore.mostPruned,
    within time: Duration, waitsForLog: Bool = true
  ) throws -> PruneStep {
    var step = PruneStep()
    let wall = clock.wallNow()
    let now = now ?? wall
    if waitsForLog, try isLogPinned() {
      step.isWaiting = try read {
        try RetentionDeletion.isAny(
          policy, after: RetentionMarks.next(policy, at: now, wall: wall, $0), at: wall, $0)
      }
      return step
    }
    if !policy.keepsAll { step.forced = try advanceMarks(policy, at: now) }
    let deletion = try read { try RetentionDeletion.next(policy, at: wall, $0) }
    var begun: MonotonicTime?
    if let deletion {
      try transaction { db, _ in
        let start = clock.monotonicNow()
        begun = start
        (step.rows, step.samples) = try deletion.step(db, limit: limit) {
          clock.monotonicNow() - start < time
        }
        step.isMore = true
      }
    } else if let surplus = try surplusPages() {
      try transaction { db, _ in
        let start = clock.monotonicNow()
        begun = start
        let most = min(surplus, Int64(max(1, limit / 4)))
        step.pages = try giveBack(most, db) { clock.monotonicNow() - start < time }
        step.isMore = true
      }
    }
    if let begun { step.held = clock.monotonicNow() - begun }
    return step
  }

  /// Marks the notifications planned before an instant, rounded down to a whole hour, as deleted. ``prune(_:atMost:)`` then
  /// deletes them, also those that no fleet has.
  ///
  /// - Returns: the instant that it came to: only what is rolled up can go. `nil` when there is nothing to delete.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func markPruned(samplesBefore time: WallTime) throws -> WallTime? {
    guard let cut = try read({ try RetentionMarks.cut(of: .samples, before: time, $0) }) else { return nil }
    try mark([.samples: cut], isForced: true)
    return cut
  }

  /// - Parameter isForced: whether rows go that are not forwarded, too.
  private func mark(_ cuts: [RetainedKind: WallTime], isForced: Bool) throws {
    try transaction { db, state in
      let forced = isForced ? state.revision : nil
      var spans = try PrunedSpans.fetch(db)
      for (kind, cut) in cuts { try spans.advance(kind, to: cut, forcedThrough: forced, db) }
      // Those that arrived before belong to notifications that were planned before; they are found by their order.
      if let samples = cuts[.samples] {
        try spans.advance(.receipts, to: samples, forcedThrough: forced, db)
      }
      // The marks are part of what the writer knows of rollups.
      state.set(try RollupWatermarks.fetch(db))
    }
  }

  /// - Returns: what goes because of the store's size only, in words.
  private func advanceMarks(_ policy: RetentionPolicy, at now: WallTime) throws -> String? {
    let next = try read { try RetentionMarks.next(policy, at: now, wall: clock.wallNow(), $0) }
    if !next.aged.isEmpty { try mark(next.aged, isForced: false) }
    guard let (kind, cut) = next.forced else { return nil }
    let isLost = try read { db in
      try policy.keepsWhatIsNotForwarded
        && (kind == .samples ? [kind, .receipts] : [kind]).contains {
          try ForwardBacklog.oldest($0, before: cut, db) != nil
        }
    }
    try mark([kind: cut], isForced: true)
    guard kind == .samples || isLost else { return nil }
    let words =
      "the store reached maximum_size: "
      + (kind == .samples ? "notifications planned" : "rows of \(kind.rawValue)")
      + " before \(cut.rfc3339) are deleted"
      + (isLost ? ", and some of them were not forwarded to the fleet" : "")
    try record([Event(at: clock.wallNow(), kind: .pruned, detail: words)], run: nil)
    return words
  }

  /// Unused pages beyond those that stay for what comes next; `nil` where there are none, or where the store was not made to
  /// give pages back.
  private func surplusPages() throws -> Int64? {
    let size = try read { try StoreSize.read($0) }
    guard size.givesBack, size.freePages > size.reserve else { return nil }
    return size.freePages - size.reserve
  }

  /// Gives unused pages back to the file system.
  /// - Parameter goesOn: asked after every few pages.
  /// - Returns: how many.
  private func giveBack(_ most: Int64, _ db: Database, while goesOn: () -> Bool) throws -> Int {
    var pages: Int64 = 0
    repeat {
      let next = min(most - pages, 16)
      try db.execute(sql: "PRAGMA incremental_vacuum(\(next))")
      pages += next
    } while pages < most && goesOn()
    return Int(pages)
  }
}
