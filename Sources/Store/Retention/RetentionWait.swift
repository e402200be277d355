import GRDB
import Measurement

/// Why retention deletes less than it is asked to.
public struct RetentionWait: Sendable, Equatable {
  /// What is waited for.
  public enum Reason: Sendable, Equatable {
    /// A reader keeps the write-ahead log from being emptied; the process, where the kernel names it.
    case log(holder: Int32?)
    /// The wall clock came further than the time that passed, and ages count from another time until it has lasted.
    case clock(countsAs: WallTime)
  }

  /// The start of the wait on the wall clock.
  public var since: WallTime
  public var reason: Reason

  public init(since: WallTime, reason: Reason) {
    self.since = since
    self.reason = reason
  }
}

extension CollectorStore {
  /// Records for readers that deletion waits for the write-ahead log.
  /// - Parameters:
  ///   - since: on the wall clock; `nil` when it does not wait any more.
  ///   - holder: the process that it waits for, where it is known.
  /// - Throws: ``StoreError``.
  public func recordLogWait(since: WallTime?, holder: Int32?) throws {
    try transaction { db, _ in
      guard let since else { return try db.execute(sql: "DELETE FROM retention_wait") }
      try db.execute(
        sql: "INSERT OR REPLACE INTO retention_wait (one, since, holder) VALUES (1, ?, ?)",
        arguments: [since.microseconds, holder])
    }
  }
}

extension StoreReader {
  /// Why the collector deletes less than retention asks for; `nil` where it does not wait. Says what the collector said last,
  /// also when none is running.
  /// - Throws: ``StoreError``.
  public func retentionWait() throws -> RetentionWait? {
    try read { db in
      if let row = try db.cachedRows("SELECT since, holder FROM retention_wait").first {
        return RetentionWait(since: WallTime(microseconds: row[0]), reason: .log(holder: row[1]))
      }
      let row = try db.cachedRows(
        "SELECT held_since, counts_as FROM retention_look WHERE held_since IS NOT NULL AND has_ages"
      ).first
      return row.map {
        RetentionWait(
          since: WallTime(microseconds: $0[0]), reason: .clock(countsAs: WallTime(microseconds: $0[1])))
      }
    }
  }
}
