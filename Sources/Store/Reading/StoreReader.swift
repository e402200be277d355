import FoundationEssentials
import GRDB
import Measurement
import Synchronization

/// A reader of a store, which may be written to by a collector at the same time.
///
/// Once open it takes no lock and writes nothing. Every call is one short read transaction, or several for a stream, so
/// that no reader keeps the WAL from being folded back into the database. Safe to use from any thread; calls on one
/// reader wait for each other, so threads that must not wait open a reader each.
public final class StoreReader: Sendable {
  public let path: String
  public let collectorID: UUID

  /// `nil` once closed. A call under way keeps the queue, and the database closes when the last one lets go.
  private let queue: Mutex<DatabaseQueue?>
  private let seenVersion: Mutex<Int64?>
  private let token: OpenStore
  /// Opened as a file that nobody changes.
  private let isImmutable: Bool

  private init(
    path: String, collectorID: UUID, queue: DatabaseQueue, token: OpenStore, isImmutable: Bool
  ) {
    self.token = token
    self.isImmutable = isImmutable
    self.path = path
    self.collectorID = collectorID
    self.queue = Mutex(queue)
    seenVersion = Mutex(nil)
  }

  /// Opens a store that exists. One of an older version is brought up to date first, when no collector has it.
  /// - Throws: ``StoreError``.
  public static func open(at path: String) throws -> StoreReader {
    let file = StoreFile(path: path)
    switch try file.look() {
    case .missing: throw StoreError.missing(file.path)
    case .empty:
      throw StoreError.notAStore(file.path, "the file is empty: no collector has written to it yet")
    case .database: break
    }
    try StoreUpgrade.run(file)
    do {
      return try open(file, at: file.path)
    } catch let error as StoreError where error.isLackOfRights && !file.hasLog {
      // A store on a medium, or in a directory, where SQLite cannot make its files: without a log it needs none.
      return try open(file, at: file.immutableURI, isImmutable: true)
    }
  }

  static func open(_ file: StoreFile, at name: String, isImmutable: Bool = false) throws -> StoreReader {
    let token = OpenStore(path: file.path)
    return try StoreError.wrapping(path: file.path) {
      let queue = try DatabaseQueue(path: name, configuration: configuration)
      do {
        let collectorID = try queue.read { db in
          try file.check(db)
          let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
          if version > 0, version < StoreSchema.version {
            throw StoreError.olderSchema(file.path, version: version, .readOnly(file.path))
          }
          guard version == StoreSchema.version else {
            throw StoreError.notAStore(file.path, "no collector has written to the file yet")
          }
          let text = try String.fetchOne(db, sql: "SELECT collector FROM meta")
          guard let id = text.flatMap(UUID.init(uuidString:)) else {
            throw StoreError.notAStore(file.path, "the store has lost its collector id")
          }
          return id
        }
        return StoreReader(
          path: file.path, collectorID: collectorID, queue: queue, token: token, isImmutable: isImmutable)
      } catch {
        try? queue.close()
        throw error
      }
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    // Only while a WAL is recovered or removed do readers wait at all.
    configuration.busyMode = .timeout(5)
    configuration.label = "pushscope.reader"
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16384") }
    return configuration
  }

  /// Which file was opened.
  public var file: FileIdentity? { token.file }

  /// Whether a path names the file that was opened, and this reader sees what is written to it. A file that was deleted or
  /// replaced can be read on, but nobody else sees it.
  public func isStillAt(_ path: String) -> Bool {
    FileIdentity(path: path) == token.file && !(isImmutable && StoreFile(path: path).hasLog)
  }

  /// Closes the database; any other call then fails.
  public func close() { queue.withLock { $0 = nil } }

  func read<T>(_ body: (Database) throws -> T) throws -> T {
    let queue = try openQueue()
    return try StoreError.wrapping(path: path) { try queue.read(body) }
  }

  private func openQueue() throws -> DatabaseQueue {
    guard let queue = queue.withLock({ $0 }) else { throw StoreError.closed(path) }
    return queue
  }

  /// The last revision given to a row.
  public func revision() throws -> Int64 { try read(Self.revision) }

  static func revision(_ db: Database) throws -> Int64 {
    let statement = try RawStatement(db, "SELECT revision FROM meta")
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Whether anything was committed since the last call; `true` the first time. A few µs, so that a screen can ask at
  /// every frame.
  public func hasChanged() throws -> Bool {
    let queue = try openQueue()
    let version = try StoreError.wrapping(path: path) {
      try queue.unsafeRead { try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) }
    }
    return seenVersion.withLock { seen in
      defer { seen = version }
      return seen != version
    }
  }

  /// Whether a collector holds the store, and when one last wrote.
  public func collector() throws -> CollectorPresence {
    let row = try read { db in
      try db.cachedRows(
        """
        SELECT max(ifnull(h.at, p.at), ifnull(p.at, h.at)), p.run, p.serves
        FROM (SELECT max(at) AS at FROM heartbeat) h LEFT JOIN presence p ON p.one = 1
        """
      ).first
    }
    let look = CollectorLock.look(atStore: path)
    return CollectorPresence(
      isRunning: look.isHeld, holder: look.holder,
      run: look.isHeld ? row.flatMap { $0[1] as String? }.flatMap { RunID($0) } : nil,
      servesControl: look.isHeld && row.flatMap { $0[2] as Bool? } == true,
      lastHeartbeat: row.flatMap { $0[0] as Int64? }.map(WallTime.init(microseconds:)))
  }
}

/// Whether a collector is at work on a store.
public struct CollectorPresence: Sendable, Equatable {
  public var isRunning: Bool
  /// Its process, when the lock file tells.
  public var holder: Int32?
  /// The run it records; `nil` while it is idle.
  public var run: RunID?
  /// Whether it stays after a run, so that another one can be started.
  public var servesControl = false
  /// When a collector last wrote.
  public var lastHeartbeat: WallTime?
}
