import GRDB
import Measurement

/// What holds of a collector or its store until something changes it, kept for `pushscope status`: a row of the table `condition`.
public struct Condition: Sendable, Hashable {
  /// What it is about: a word of the table.
  public enum Kind: String, Sendable, CaseIterable {
    /// A collector, since its start; the detail is its process.
    case collector
    /// A certificate that the collector shows to others, from the beginning to the end of its validity; the subject is who shows it, the
    /// detail the file.
    case certificate
    /// A device, since its last receipt came.
    case device
    /// Free bytes on the store's disk, in the detail, at an instant.
    case disk
    /// The disk has not taken the write-ahead log since; the detail is the system's error.
    case sync
    /// The last backup, since it was complete; the detail is the copy's path.
    case backup
  }

  public var kind: Kind
  /// Tells conditions of a kind apart; empty where there is one at most.
  public var subject: String
  public var since: WallTime
  public var until: WallTime?
  public var detail: String

  public init(
    _ kind: Kind, _ subject: String = "", since: WallTime, until: WallTime? = nil, detail: String = ""
  ) {
    (self.kind, self.subject, self.since, self.until, self.detail) = (kind, subject, since, until, detail)
  }

  /// The table of the schema's version 19.
  static let table = """
    CREATE TABLE condition (
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER,
      detail TEXT NOT NULL,
      PRIMARY KEY (kind, subject)
    ) STRICT, WITHOUT ROWID;
    """

  func save(_ db: Database) throws {
    try db.insert(self, Self.columns, into: "condition", replacing: true)
  }
}

extension CollectorStore {
  /// Replaces the conditions of some kinds by others.
  /// - Throws: ``StoreError``.
  public func replace(_ kinds: Condition.Kind..., by conditions: [Condition]) throws {
    try transaction { db, _ in
      for kind in kinds {
        try db.cachedStatement(sql: "DELETE FROM condition WHERE kind = ?").execute(arguments: [kind.rawValue]
        )
      }
      for condition in conditions { try condition.save(db) }
    }
  }

  /// - Throws: ``StoreError``.
  public func conditions(_ kind: Condition.Kind) throws -> [Condition] {
    try read { try Condition.fetch($0).filter { $0.kind == kind } }
  }
}

extension StoreReader {
  /// All conditions, by kind and subject. Those of kinds that this version does not know, and rows that cannot be read, are left out.
  /// - Throws: ``StoreError``.
  public func conditions() throws -> [Condition] { try read(Condition.fetch) }
}

extension Condition.Kind: ColumnRepresentable {}

extension Condition {
  fileprivate static let columns: [RecordColumn<Condition>] = [
    .init("kind", \.kind), .init("subject", \.subject), .init("since", \.since), .init("until", \.until),
    .init("detail", \.detail),
  ]

  fileprivate static func fetch(_ db: Database) throws -> [Condition] {
    try db.records(
      columns, into: Condition(.collector, since: WallTime(microseconds: 0)),
      from: "condition x ORDER BY kind, subject")
  }
}

/// Records when each device was heard last, in the transactions that write its receipts.
enum DeviceActivity {
  /// The time after which a device's row is written again, µs: it is asked for days of silence.
  private static let interval: Int64 = 60_000_000
  /// Devices name themselves; more than these are not noted.
  private static let maximumDevices = 1_000
  /// The time for which a device that is not heard any more is kept, µs.
  static let memory: Int64 = 30 * 86_400_000_000

  static func record(_ receipts: [Receipt], _ db: Database) throws {
    guard let last = receipts.last else { return }
    let now = last.arrivedAt.microseconds
    for device in Set(receipts.map(\.device)) {
      try db.cachedStatement(
        sql: """
          INSERT INTO condition (kind, subject, since, detail)
          SELECT ?1, ?2, ?3, '' WHERE EXISTS (SELECT 1 FROM condition WHERE kind = ?1 AND subject = ?2)
            OR (SELECT count(*) FROM condition WHERE kind = ?1) < \(maximumDevices)
          ON CONFLICT DO UPDATE SET since = excluded.since WHERE abs(excluded.since - since) >= \(interval)
          """
      ).execute(arguments: [Condition.Kind.device.rawValue, device, now])
    }
  }
}

extension CollectorStore {
  /// Forgets devices that were not heard for 30 days, or were heard by a clock that was more than a day ahead.
  /// - Throws: ``StoreError``.
  public func forgetDevices(at now: WallTime) throws {
    try transaction { db, _ in
      try db.cachedStatement(sql: "DELETE FROM condition WHERE kind = ? AND since NOT BETWEEN ? AND ?")
        .execute(
          arguments: [
            Condition.Kind.device.rawValue, now.microseconds.subtractingClamped(DeviceActivity.memory),
            now.microseconds.addingClamped(86_400_000_000),
          ])
    }
  }
}
