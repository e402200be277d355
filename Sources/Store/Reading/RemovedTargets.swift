import GRDB
public import Measurement

/// When reloads removed the targets of a run that the configuration has no longer, as far as events have been read.
public struct RemovedTargets: Sendable, Equatable {
  /// The times by name. Those that a later reload began again are not among them.
  public fileprivate(set) var times: [String: WallTime] = [:]
  /// Events up to this one have been read.
  fileprivate var revision: Int64 = 0

  public init() {}
}

extension StoreReader {
  /// When reloads removed targets of the newest run, by name.
  ///
  /// - Throws: ``StoreError``.
  public func removedTargets() throws -> [String: WallTime] {
    try latestRun().map { try removedTargets(of: $0.id).times } ?? [:]
  }

  /// When reloads removed the targets of a run.
  ///
  /// - Parameter known: what an earlier call returned for the run: only later events are read.
  /// - Throws: ``StoreError``.
  public func removedTargets(of run: RunID, known: RemovedTargets = RemovedTargets()) throws -> RemovedTargets
  {
    try read { db in
      var removed = known
      removed.revision = try Int64.fetchOne(db, sql: "SELECT max(revision) FROM event") ?? 0
      for row in try db.cachedRows(
        """
        SELECT x.at, x.detail FROM event x JOIN run r ON r.id = x.run_id
        WHERE r.uuid = ? AND x.revision > ? AND x.kind = '\(EventKind.configReloaded.rawValue)' ORDER BY x.revision
        """, [run.description, known.revision])
      {
        let at = WallTime(microseconds: row[0])
        let targets = ReloadedTargets(detail: row[1])
        for name in targets.ended { removed.times[name] = at }
        for name in targets.begun { removed.times[name] = nil }
      }
      return removed
    }
  }
}
