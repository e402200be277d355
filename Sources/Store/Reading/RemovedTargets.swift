import GRDB
public import Measurement

extension StoreReader {
  /// When a reload removed the targets of a run that the configuration has no longer, by name. Those that a later reload began
  /// again are not among them.
  ///
  /// - Throws: ``StoreError``.
  public func removedTargets(of run: RunID) throws -> [String: WallTime] {
    try read { db in
      var removed: [String: WallTime] = [:]
      for row in try db.cachedRows(
        """
        SELECT x.at, x.detail FROM event x JOIN run r ON r.id = x.run_id
        WHERE r.uuid = ? AND x.kind = '\(EventKind.configReloaded.rawValue)' ORDER BY x.revision
        """, [run.description])
      {
        let at = WallTime(microseconds: row[0])
        let targets = ReloadedTargets(detail: row[1])
        for name in targets.ended { removed[name] = at }
        for name in targets.begun { removed[name] = nil }
      }
      return removed
    }
  }
}
