import GRDB
import Measurement

/// The circumstances that devices reported, each numbered once, so that a row has a small number in place of text.
public struct DeviceContextTable: Sendable {
  /// The statement that creates the table in the store.
  static let table = """
    CREATE TABLE context (
      id INTEGER PRIMARY KEY,
      context TEXT NOT NULL UNIQUE
    ) STRICT;
    """

  /// The largest number of different ones. From there on the operating system is left out, and then what is still unknown:
  /// devices choose that text.
  public static let maximumCount = 10_000

  private var ids: [DeviceContext: DeviceContextID]
  private var next: Int64

  /// - Parameter last: the largest number that is taken, also by what cannot be read.
  public init(_ known: [DeviceContextID: DeviceContext] = [:], last: Int64 = 0) {
    ids = Dictionary(known.map { ($0.value, $0.key) }) { first, _ in first }
    next = max(last, known.keys.lazy.map(\.rawValue).max() ?? 0).addingClamped(1)
  }

  /// The number of circumstances.
  /// - Parameter new: takes those that have to be stored.
  /// - Returns: `nil` where there are too many.
  public mutating func id(of context: DeviceContext, new: (StoredDeviceContext) -> Void) -> DeviceContextID? {
    if let id = ids[context] { return id }
    guard ids.count < Self.maximumCount else {
      var plain = context
      plain[.os] = nil
      return ids[plain]
    }
    let id = DeviceContextID(rawValue: next)
    next = next.addingClamped(1)
    ids[context] = id
    new(StoredDeviceContext(id: id, context: context))
    return id
  }
}

/// A row of the table `context`.
public struct StoredDeviceContext: Sendable, Equatable {
  public var id: DeviceContextID
  public var context: DeviceContext
}

/// Reads the table `context`.
enum DeviceContextQuery {
  static func all(_ db: Database) throws -> [DeviceContextID: DeviceContext] {
    let statement = try RawStatement(db, "SELECT id, context FROM context")
    defer { statement.reset() }
    var contexts: [DeviceContextID: DeviceContext] = [:]
    while try statement.step() {
      guard let context = statement.text(1).flatMap({ DeviceContext(text: $0) }) else { continue }
      contexts[DeviceContextID(rawValue: statement.integer(0))] = context
    }
    return contexts
  }
}

extension CollectorStore {
  /// The circumstances that are stored.
  /// - Throws: ``StoreError``.
  public func deviceContexts() throws -> DeviceContextTable {
    try read { db in
      DeviceContextTable(
        try DeviceContextQuery.all(db), last: try Int64.fetchOne(db, sql: "SELECT max(id) FROM context") ?? 0)
    }
  }

  /// How long a device that showed a notification is expected to show others, in later runs.
  private static let displayMemory = Duration.days(7)

  /// The targets of a run's description whose devices have reported within a week that they showed a notification: of a device that
  /// was replaced by another one nothing is known.
  /// - Throws: ``StoreError``.
  public func reportsDisplay(_ target: TargetDescription) throws -> Bool {
    let since = clock.wallNow().microseconds.subtractingClamped(Self.displayMemory.microseconds)
    return try read { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM target t JOIN tally y ON y.target_id = t.id JOIN run r ON r.id = t.run_id
            WHERE t.name = ? AND t.provider = ? AND t.endpoint IS ? AND t.device IS ? AND y.displayed > 0
              AND ifnull(r.ended_at, r.started_at) >= ?)
          """,
        arguments: [target.name, target.provider, target.endpoint, target.device, since]) ?? false
    }
  }
}

extension StoreReader {
  /// The circumstances that devices reported, by the numbers in rows.
  public func deviceContexts() throws -> [DeviceContextID: DeviceContext] {
    try read { try DeviceContextQuery.all($0) }
  }
}
