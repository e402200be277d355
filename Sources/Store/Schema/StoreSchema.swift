import FoundationEssentials
import GRDB
import Measurement

/// The store's schema and its migrations (docs/store.md).
enum StoreSchema {
  /// `user_version` of the stores this pushscope writes.
  static var version: Int64 { Int64(migrations.count) }

  /// `application_id`, the letters "pscp": tells a store from other programs' databases.
  static let applicationID: Int64 = 0x7073_6370

  /// The step at index n migrates version n to n + 1. Steps are only ever added, never changed: users' stores have run
  /// them.
  private static let migrations: [@Sendable (Database) throws -> Void] = [
    { try $0.execute(sql: SchemaVersion1.sql) },
    { try $0.execute(sql: SchemaVersion2.sql) },
    { try $0.execute(sql: SchemaVersion3.sql) },
    { try SchemaVersion4.apply($0) },
    { try $0.execute(sql: SchemaVersion5.sql) },
    { try $0.execute(sql: SchemaVersion6.sql) },
    { try $0.execute(sql: SchemaVersion7.sql) },
    { try $0.execute(sql: SchemaVersion8.sql) },
    { try $0.execute(sql: SchemaVersion9.sql) },
    { try $0.execute(sql: SchemaVersion10.sql) },
    { try $0.execute(sql: SchemaVersion11.sql) },
    { try $0.execute(sql: SchemaVersion12.sql) },
    { try $0.execute(sql: SchemaVersion13.sql) },
  ]

  /// Migrates the store to ``version``, each step in a transaction of its own, so that a crash in between leaves a
  /// store of one of the versions. A current store is not written to.
  static func migrate(_ db: Database, createdAt now: WallTime) throws {
    let current = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard current < version else { return }
    for step in Int(current)..<migrations.count {
      try db.inTransaction(.immediate) {
        try migrations[step](db)
        if step == 0 {
          try db.execute(
            sql: "INSERT INTO meta (one, collector, created_at, revision) VALUES (1, ?, ?, 0)",
            arguments: [UUID().uuidString.lowercased(), now.microseconds])
          try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        try db.execute(sql: "PRAGMA user_version = \(step + 1)")
        return .commit
      }
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
