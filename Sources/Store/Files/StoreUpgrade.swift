import GRDB
import Measurement

/// Brings a store of an older version up to date for a reader, under the collector's lock; it takes a moment, since what
/// was recorded stays where it is.
enum StoreUpgrade {
  /// Does nothing when the store is of this version, or none of ours.
  /// - Throws: ``StoreError`` that says which version it has and why it stays so.
  static func run(_ file: StoreFile) throws {
    // What the header says is enough for a look; a newer version may be in the WAL, which is asked for then.
    guard let stored = file.storedVersion, stored < StoreSchema.version else { return }
    let version: Int64
    do {
      version = try file.checkThroughSQLite()
    } catch let error as StoreError where error.isLackOfRights {
      // Perhaps on a medium where nobody can write: opening tells.
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
        // The moment of its making is there already.
        try queue.writeWithoutTransaction {
          try StoreSchema.migrate($0, createdAt: WallTime(microseconds: 0))
        }
      }
    } catch let error as StoreError {
      throw StoreError.olderSchema(file.path, version: version, error)
    }
  }
}
