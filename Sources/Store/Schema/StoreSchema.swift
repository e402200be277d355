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
