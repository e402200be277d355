import FoundationEssentials
import GRDB
import Measurement

/// The store's schema and its migrations (docs/store.md).
enum StoreSchema {
  /// `user_version` of the stores this pushscope writes.
  static let version = base + Int64(stepsAfterBase.count)
  /// Version of 0.1.0: the oldest that is migrated.
  static let oldest: Int64 = 11
  /// The version of ``StoreTables``.
  private static let base: Int64 = 14
  /// Number of steps after ``base`` that changed forwarded columns. Part of the fleet's schema version.
  static let forwardedChanges = stepsAfterBase.count(where: \.isForwarded)

  /// The statements that migrate one version to the next.
  private struct Step {
    let sql: String
    /// Whether the step changes the columns of a forwarded table.
    var isForwarded = false
  }

  /// The steps to version 15 and on. They are only ever added, never changed: users' stores have run them.
  private static let stepsAfterBase = [
    Step(sql: FailedPart.table), Step(sql: DeviceRecord.table), Step(sql: stages, isForwarded: true),
    // The provider's own ids of notifications.
    Step(sql: "ALTER TABLE sample ADD COLUMN answer_id TEXT;"), Step(sql: Condition.table),
    Step(sql: forcedDeletion),
  ]

  /// What is deleted although it may not be forwarded: rows before an instant, up to a revision.
  private static let forcedDeletion = """
    ALTER TABLE retention ADD COLUMN forced_to INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE retention ADD COLUMN forced_through INTEGER NOT NULL DEFAULT 0;
    """

  /// What devices report beside the arrival of a notification.
  private static let stages =
    DeviceContextTable.table + """

      ALTER TABLE sample ADD COLUMN shown_us INTEGER;
      ALTER TABLE sample ADD COLUMN display INTEGER;
      ALTER TABLE sample ADD COLUMN context_id INTEGER;
      ALTER TABLE receipt ADD COLUMN shown_at INTEGER;
      ALTER TABLE receipt ADD COLUMN opened_at INTEGER;
      ALTER TABLE receipt ADD COLUMN provider_at INTEGER;
      ALTER TABLE receipt ADD COLUMN context_id INTEGER;
      ALTER TABLE receipt ADD COLUMN addition INTEGER NOT NULL DEFAULT 0;

      """
    + ["tally", "rollup"].flatMap { table in
      ["display_expected", "displayed", "display_awaited"].map {
        "ALTER TABLE \(table) ADD COLUMN \($0) INTEGER NOT NULL DEFAULT 0;\n"
      }
    }.joined()
    + ["shown", "shown_low", "shown_high", "fresh_shown", "fresh_shown_low", "fresh_shown_high", "display"]
    .map { "ALTER TABLE rollup ADD COLUMN \($0) BLOB;\n" }.joined()

  /// `application_id`, the letters "pscp": tells a store from other programs' databases.
  static let applicationID: Int64 = 0x7073_6370

  /// The steps from ``oldest`` to ``base``.
  private static let stepsToBase = [
    Step(sql: retention),
    // The smallest changes that a detector would find, as JSON. Empty in detectors that an earlier version saved.
    Step(sql: "ALTER TABLE detector ADD COLUMN power TEXT;"),
    // Version 14 only reorders the columns of new stores.
    Step(sql: ""),
  ]

  /// Tables of retention's clock check. The last heartbeat initializes it; its boot id is unknown.
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

  /// Makes a new store, or migrates one to ``version``, each step in a transaction of its own, so that a crash in between leaves a
  /// store of one of the versions. A current store is not written to.
  static func migrate(_ db: Database, createdAt now: WallTime) throws {
    var current = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    if current == 0 {
      try apply(base, db) {
        try db.execute(sql: StoreTables.sql)
        try db.execute(
          sql: "INSERT INTO meta (one, collector, created_at, revision) VALUES (1, ?, ?, 0)",
          arguments: [UUID().uuidString.lowercased(), now.microseconds])
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      }
      current = base
    }
    for step in (stepsToBase + stepsAfterBase).dropFirst(Int(current - oldest)) {
      current += 1
      try apply(current, db) { try db.execute(sql: step.sql) }
    }
  }

  /// Applies a step. The views are created at the last version, from its columns.
  private static func apply(_ version: Int64, _ db: Database, _ change: () throws -> Void) throws {
    try db.inTransaction(.immediate) {
      try change()
      if version == Self.version {
        try db.execute(sql: "DROP VIEW IF EXISTS sample_view; DROP VIEW IF EXISTS event_view;")
        try db.execute(sql: StoreViews.sampleView + StoreViews.eventView)
      }
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
      let lock = try CollectorLock.acquire(forStore: file.path, group: file.group)
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
