import GRDB
import Measurement

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
      let lock = try CollectorLock.take(forStore: file.path)
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
