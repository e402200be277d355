import GRDB
import Measurement

/// A part of the running collector that is switched off because it failed again and again, or the process of all of them that does
/// not stay up: a row of the table `failed_part`.
public struct FailedPart: Sendable, Equatable {
  /// `nil`: the process of all parts.
  public var part: CollectorPart?
  /// The ``reason`` of a process that somebody else killed.
  public static let killed = "SIGKILL"

  /// What ended its process: a signal's name, or what the collector says of it.
  public var reason: String
  /// What it worked at; of the process what it worked at last, empty where that is not known.
  public var unit: String
  public var since: WallTime
  /// When it is tried again; the process is tried at once, and counts as mended at this time if it has not failed again.
  public var retryAt: WallTime

  public init(part: CollectorPart?, reason: String, unit: String, since: WallTime, retryAt: WallTime) {
    self.part = part
    self.reason = reason
    self.unit = unit
    self.since = since
    self.retryAt = retryAt
  }
}

extension CollectorStore {
  /// Records which parts are switched off, all of them.
  /// - Throws: ``StoreError``.
  public func set(failedParts: [FailedPart]) throws {
    try transaction { db, _ in
      try FailedPart.forget(db)
      for part in failedParts { try db.insert(part, FailedPart.columns, into: "failed_part") }
    }
  }
}

extension FailedPart {
  /// What the table has for the process, instead of a part's name.
  private static let process = "analyst"

  /// The part's name, or that of the process: as in the table.
  public var name: String { part?.rawValue ?? Self.process }

  fileprivate static let columns: [RecordColumn<FailedPart>] = [
    .init(
      "part", ColumnType.name, value: { .text($0.name) },
      assign: { record, value in
        record.part = String(value).flatMap { CollectorPart(rawValue: $0) }
        return value == .text(record.name)
      }),
    .init("reason", \.reason), .init("unit", \.unit), .init("since", \.since), .init("retry_at", \.retryAt),
  ]

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
  /// The parts that the store's collector has switched off, or had when it ended. Rows that cannot be read are left out.
  /// - Throws: ``StoreError``.
  public func failedParts() throws -> [FailedPart] {
    let time = WallTime(microseconds: 0)
    let blank = FailedPart(part: nil, reason: "", unit: "", since: time, retryAt: time)
    return try read { try $0.records(FailedPart.columns, into: blank, from: "failed_part x ORDER BY part") }
  }
}
