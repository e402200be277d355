import GRDB
import Measurement

/// A part of the running collector that is switched off because it failed again and again: a row of the table `failed_part`.
public struct FailedPart: Sendable, Equatable {
  public var part: CollectorPart
  /// What ended its process: a signal's name, or what the collector says of it.
  public var reason: String
  /// What it worked at.
  public var unit: String
  public var since: WallTime
  /// When it is tried again.
  public var retryAt: WallTime

  public init(part: CollectorPart, reason: String, unit: String, since: WallTime, retryAt: WallTime) {
    self.part = part
    self.reason = reason
    self.unit = unit
    self.since = since
    self.retryAt = retryAt
  }
}

extension CollectorStore {
  /// Notes which parts are switched off, all of them.
  /// - Throws: ``StoreError``.
  public func set(failedParts: [FailedPart]) throws {
    try transaction { db, _ in
      try FailedPart.forget(db)
      for part in failedParts {
        try db.execute(
          sql: "INSERT INTO failed_part (part, reason, unit, since, retry_at) VALUES (?, ?, ?, ?, ?)",
          arguments: [
            part.part.rawValue, part.reason, part.unit, part.since.microseconds, part.retryAt.microseconds,
          ])
      }
    }
  }
}

extension FailedPart {
  /// The table of the schema's version 15.
  static let table = """
    CREATE TABLE failed_part (
      part TEXT PRIMARY KEY,
      reason TEXT NOT NULL,
      unit TEXT NOT NULL,
      since INTEGER NOT NULL,
      retry_at INTEGER NOT NULL
    ) STRICT;
    """

  /// A collector that starts tries all parts.
  static func forget(_ db: Database) throws { try db.execute(sql: "DELETE FROM failed_part") }
}

extension StoreReader {
  /// The parts that the store's collector has switched off, or had when it ended.
  /// - Throws: ``StoreError``.
  public func failedParts() throws -> [FailedPart] {
    try read { db in
      try db.cachedRows("SELECT part, reason, unit, since, retry_at FROM failed_part ORDER BY part")
        .compactMap { row in
          CollectorPart(rawValue: row[0]).map {
            FailedPart(
              part: $0, reason: row[1], unit: row[2], since: WallTime(microseconds: row[3]),
              retryAt: WallTime(microseconds: row[4]))
          }
        }
    }
  }
}
