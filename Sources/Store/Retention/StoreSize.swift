import GRDB
import Measurement

/// The size of a store's file, and how much of it is in use.
public struct StoreSize: Sendable, Equatable {
  /// Bytes.
  public var pageSize: Int64
  public var pages: Int64
  /// Pages that are not in use.
  public var freePages: Int64
  /// Whether unused pages can be given back to the file system step by step.
  public var givesBack: Bool

  /// Bytes of the file.
  public var file: Int64 { pages * pageSize }
  /// Bytes of used pages.
  public var used: Int64 { (pages - freePages) * pageSize }

  /// Unused pages that stay in the file: what comes next uses them, so that it does not shrink and grow all the time.
  var reserve: Int64 { max(256, pages / 32) }

  static func read(_ db: Database) throws -> StoreSize {
    func pragma(_ name: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
    return StoreSize(
      pageSize: try pragma("page_size"), pages: try pragma("page_count"),
      freePages: try pragma("freelist_count"),
      givesBack: try pragma("auto_vacuum") == 2)
  }
}

extension StoreReader {
  /// The store's size without its write-ahead log.
  /// - Throws: ``StoreError``.
  public func size() throws -> StoreSize { try read { try StoreSize.read($0) } }

  /// The number of notifications that a prune of those planned before an instant would delete, the instant that it would
  /// come to, and the planned time of the first; `nil` when there is nothing to delete.
  ///
  /// Reads an index and the states of the rows it finds.
  /// - Parameter revision: only rows that have not changed since the store had this revision count.
  /// - Throws: ``StoreError``.
  public func pruneExtent(samplesBefore time: WallTime, changedUpTo revision: Int64 = .max) throws -> (
    count: Int, cut: WallTime, first: WallTime
  )? {
    try read { db in
      guard let cut = try RetentionMarks.cut(of: .samples, before: time, db) else { return nil }
      let statement = try RawStatement(
        db,
        """
        SELECT count(*), min(planned_at) FROM sample INDEXED BY sample_planned_at WHERE planned_at < ?1
          AND state NOT IN (\(NotificationState.planned.rawValue), \(NotificationState.inFlight.rawValue))
          AND revision <= ?2
        """)
      statement.bind(cut.microseconds, at: 1)
      statement.bind(revision, at: 2)
      defer { statement.reset() }
      guard try statement.step(), statement.integer(0) > 0 else { return nil }
      return (Int(statement.integer(0)), cut, WallTime(microseconds: statement.integer(1)))
    }
  }
}

extension CollectorStore {
  /// The store's size without its write-ahead log.
  /// - Throws: ``StoreError``.
  public func size() throws -> StoreSize { try read { try StoreSize.read($0) } }
}
