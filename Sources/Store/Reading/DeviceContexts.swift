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

  public init(_ known: [DeviceContextID: DeviceContext] = [:]) {
    ids = Dictionary(known.map { ($0.value, $0.key) }) { first, _ in first }
    next = (known.keys.lazy.map(\.rawValue).max() ?? 0) + 1
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
    next += 1
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
    DeviceContextTable(try read { try DeviceContextQuery.all($0) })
  }

  /// The names of the targets whose devices have reported that they showed a notification.
  /// - Throws: ``StoreError``.
  public func targetsReportingDisplay() throws -> Set<String> {
    try read { db in
      try String.fetchSet(
        db, sql: "SELECT t.name FROM tally y JOIN target t ON t.id = y.target_id WHERE y.displayed > 0")
    }
  }
}

extension StoreReader {
  /// The circumstances that devices reported, by the numbers in rows.
  public func deviceContexts() throws -> [DeviceContextID: DeviceContext] {
    try read { try DeviceContextQuery.all($0) }
  }
}
