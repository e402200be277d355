import FoundationEssentials
import GRDB
import GRDBSQLite
import Measurement
import Synchronization

/// A reader of a store that a collector may write to at the same time.
///
/// Takes no lock and writes nothing once it is open. Each call is one short read transaction, or several for a stream,
/// so that readers do not keep SQLite from checkpointing the WAL. Safe to use from any thread; calls on one reader wait
/// for each other, so threads that must not wait open a reader each.
public final class StoreReader: Sendable {
  /// The version of SQLite that this process uses: `3.40.1`.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  public let path: String
  public let collectorID: UUID

  /// `nil` once closed. Calls in progress retain the queue; the database closes when the last one returns.
  private let queue: Mutex<DatabaseQueue?>
  private let seenVersion: Mutex<Int64?>
  private let token: OpenStore
  /// Opened with SQLite's `immutable=1`.
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

  /// Opens an existing store. A store of an older version is migrated first, unless a collector has it open.
  /// - Throws: ``StoreError``.
  public static func open(at path: String) throws -> StoreReader {
    let file = StoreFile(path: path)
    switch try file.content() {
    case .missing: throw StoreError.missing(file.path)
    case .empty:
      throw StoreError.notAStore(file.path, "the file is empty: no collector has written to it yet")
    case .database: break
    }
    try file.rollBackJournal()
    try StoreUpgrade.run(file)
    do {
      return try open(file, at: file.path)
    } catch let error as StoreError where error.isLackOfRights && !file.hasLog && !file.hasJournal {
      // SQLite cannot create its files here, and does not need them if there is no log.
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
            throw StoreError.notAStore(file.path, "the store has no collector id")
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
    // Readers only wait while a WAL is recovered or removed.
    configuration.busyMode = .timeout(5)
    configuration.label = "pushscope.reader"
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16384") }
    return configuration
  }

  /// What was opened.
  public var identity: StoreIdentity? { StoreIdentity(file: token.file, collector: collectorID) }

  /// Whether a path still refers to the open file and this reader sees its changes. A file that was deleted or replaced
  /// stays readable here only.
  public func isStillAt(_ path: String) -> Bool {
    FileIdentity(path: path) == token.file && !(isImmutable && StoreFile(path: path).hasLog)
  }

  /// Closes the database; all other calls fail afterwards.
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

  /// Whether anything was committed since the last call; `true` the first time. Takes a few µs, so it can be called
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

  /// Whether a collector has the store open, and its last heartbeat.
  public func collector() throws -> CollectorPresence {
    let row = try read { db in
      try db.cachedRows(
        """
        SELECT max(ifnull(h.at, p.at), ifnull(p.at, h.at)), p.run, p.serves
        FROM (SELECT max(at) AS at FROM heartbeat) h LEFT JOIN presence p ON p.one = 1
        """
      ).first
    }
    let lock = CollectorLock.state(atStore: path)
    return CollectorPresence(
      isRunning: lock.isHeld, holder: lock.holder,
      run: lock.isHeld ? row.flatMap { $0[1] as String? }.flatMap { RunID($0) } : nil,
      servesControl: lock.isHeld && row.flatMap { $0[2] as Bool? } == true,
      lastHeartbeat: row.flatMap { $0[0] as Int64? }.map(WallTime.init(microseconds:)))
  }
}

/// The state of a store's collector.
public struct CollectorPresence: Sendable, Equatable {
  public var isRunning: Bool
  /// Its process id, if the lock file has it.
  public var holder: Int32?
  /// The run it records; `nil` while it is idle.
  public var run: RunID?
  /// Whether it stays after a run, so that `start` begins another one.
  public var servesControl = false
  /// The last write of a collector.
  public var lastHeartbeat: WallTime?
}
