import FoundationEssentials
import GRDB
import Measurement

/// The store's schema and its migrations (docs/store.md).
enum StoreSchema {
  /// `user_version` of the stores this pushscope writes.
  static let version: Int64 = 14
  /// The version of 0.1.0, the oldest that is migrated.
  static let oldest: Int64 = 11

  /// `application_id`, the letters "pscp": tells a store from other programs' databases.
  static let applicationID: Int64 = 0x7073_6370

  /// What leads to a version from the one before. Steps are only ever added, never changed: users' stores have run them.
  private static let steps: [Int64: String] = [
    12: retention,
    // The smallest changes that a detector would find, as JSON; of what an earlier version watched it is not known.
    13: "ALTER TABLE detector ADD COLUMN power TEXT;",
    14: "DROP VIEW sample_view; DROP VIEW event_view;" + views,
  ]

  /// When retention looked at the clocks last, and what keeps it from deleting. The last sign of a collector of an older version is
  /// taken for its last look; of which boot it was is not known.
  private static let retention = """
    CREATE TABLE retention_look (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      counts_as INTEGER NOT NULL,
      wall INTEGER NOT NULL,
      boottime_us INTEGER NOT NULL,
      boot_id TEXT NOT NULL,
      held_since INTEGER,
      held_ran_us INTEGER NOT NULL,
      has_ages INTEGER NOT NULL
    ) STRICT;
    INSERT INTO retention_look (one, counts_as, wall, boottime_us, boot_id, held_ran_us, has_ages)
      SELECT 1, at, at, 0, '', 0, 0 FROM heartbeat ORDER BY at DESC LIMIT 1;
    CREATE TABLE retention_wait (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      since INTEGER NOT NULL,
      holder INTEGER
    ) STRICT;
    """

  private static let views = StoreViews.sampleView + StoreViews.eventView

  /// Makes a new store, or migrates one to ``version``, each step in a transaction of its own, so that a crash in between leaves a
  /// store of one of the versions. A current store is not written to.
  static func migrate(_ db: Database, createdAt now: WallTime) throws {
    let current = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard current < version else { return }
    guard current > 0 else {
      return try apply(StoreTables.sql + views, version, db) {
        try db.execute(
          sql: "INSERT INTO meta (one, collector, created_at, revision) VALUES (1, ?, ?, 0)",
          arguments: [UUID().uuidString.lowercased(), now.microseconds])
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      }
    }
    for next in (current + 1)...version { try apply(steps[next] ?? "", next, db) }
  }

  private static func apply(
    _ sql: String, _ version: Int64, _ db: Database, _ further: () throws -> Void = {}
  )
    throws
  {
    try db.inTransaction(.immediate) {
      try db.execute(sql: sql)
      try further()
      try db.execute(sql: "PRAGMA user_version = \(version)")
      return .commit
    }
  }
}

/// Migrates a store of an older version for a reader, under the collector's lock. Takes a moment, since samples are not
/// rewritten.
enum StoreUpgrade {
  /// Does nothing if the store is current, or not a store.
  /// - Throws: ``StoreError`` with the store's version and the reason.
  static func run(_ file: StoreFile) throws {
    // The header may be older than the WAL, which is read next.
    guard let stored = file.storedVersion, stored < StoreSchema.version else { return }
    let version: Int64
    do {
      version = try file.checkThroughSQLite()
    } catch let error as StoreError where error.isLackOfRights {
      // The medium may be read-only: opening reports it.
      return
    }
    guard version > 0, version < StoreSchema.version else { return }
    do {
      let file = StoreFile(path: file.path, access: .kept)
      let lock = try CollectorLock.take(forStore: file.path, group: file.group)
      defer { withExtendedLifetime(lock) {} }
      let other = lock.isNew ? StoreLocation.otherUser(of: file) : nil
      try file.restrict()
      try StoreError.wrapping(path: file.path) {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(2)
        configuration.label = "pushscope.upgrade"
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        try StoreLocation.refuseIfWritten(by: other, file, queue)
        // The time of creation is already stored.
        try queue.writeWithoutTransaction {
          try StoreSchema.migrate($0, createdAt: WallTime(microseconds: 0))
        }
      }
    } catch let error as StoreError {
      throw StoreError.olderSchema(file.path, version: version, error)
    }
  }
}
