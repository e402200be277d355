import GRDB
import GRDBSQLite
import Glibc
import Measurement

/// Ensures that a collector is the only writer of its store: it holds the lock, and the paths of the store's files
/// still refer to the open files.
///
/// Commits to a file that was moved, deleted or replaced would succeed and be lost to readers, and a process that finds
/// no lock file locks a new one. So both are checked with every commit, by `stat` only: the database is never opened a
/// second time, since closing a descriptor of it would release SQLite's locks.
struct StoreLocation: Sendable {
  private let file: StoreFile
  private let database: FileIdentity?
  private let log: FileIdentity?
  private var lock: CollectorLock
  /// When another process was first found to hold the lock.
  private var lockLostAt: MonotonicTime?
  /// Whether the database or its log was moved, deleted or replaced.
  private(set) var isLost = false

  /// The time another process that found no lock file has to detect this collector and release the lock: see
  /// ``refuseIfWritten(by:_:_:)``.
  static let takeover = Duration.seconds(5)

  /// - Parameter lock: already taken; the database is open, in WAL mode.
  init(_ file: StoreFile, lock: CollectorLock) {
    self.file = file
    self.lock = lock
    database = FileIdentity(path: file.path)
    log = FileIdentity(path: file.walPath)
  }

  /// Checks the paths. A lock file that was removed is created and locked again.
  /// - Throws: `replaced` if the store or its log is gone; `inUse` if another collector took the store over.
  mutating func check(at now: MonotonicTime) throws(StoreError) {
    guard database == nil || FileIdentity(path: file.path) == database else {
      isLost = true
      throw .replaced(file.path, "the store")
    }
    guard log == nil || FileIdentity(path: file.walPath) == log else {
      isLost = true
      throw .replaced(file.path, "the store's log (-wal)")
    }
    if lock.isInPlace {
      lockLostAt = nil
      return
    }
    do {
      lock = try CollectorLock.acquire(forStore: file.path, group: file.group)
      lockLostAt = nil
    } catch let error as StoreError where error.code == .inUse {
      let since = lockLostAt ?? now
      lockLostAt = since
      if now - since > Self.takeover { throw .takenOver(file.path, holder: error.holder) }
    } catch {
      // The lock file cannot be created (a full disk), by other processes neither: the next check tries again.
    }
  }

  // MARK: A store without a lock file

  /// The longest time between writes of a running collector, which writes a heartbeat each second.
  private static let longestSilence = Duration.milliseconds(2_500)
  private static let pollMilliseconds: Int32 = 50

  /// Refuses a store whose lock file was removed while a collector writes to it: another process has it open, and it
  /// changes while it is watched. Called only if the lock file had to be created.
  /// - Parameter other: the process that has it open, by ``otherUser(of:)``.
  static func refuseIfWritten(by other: Int32?, _ file: StoreFile, _ queue: DatabaseQueue) throws {
    guard let other else { return }
    func version() throws -> Int64? {
      try queue.unsafeRead { try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) }
    }
    let before = try version()
    let clock = SystemClock()
    let deadline = clock.monotonicNow() + longestSilence
    while clock.monotonicNow() < deadline {
      _ = poll(nil, 0, pollMilliseconds)
      if try version() != before { throw StoreError.inUse(file.path, holder: other) }
    }
  }

  /// The process that has the store open, found by SQLite's lock on the WAL's index (byte 128, UNIX_SHM_DMS); `nil` if
  /// there is none, or if this process has it open.
  static func otherUser(of file: StoreFile) -> Int32? {
    var status = stat()
    guard stat(file.path, &status) == 0 else { return nil }
    return OpenStore.unlessOpen(status) { () -> Int32? in holderOfIndex(file) }.flatMap { $0 }
  }

  private static func holderOfIndex(_ file: StoreFile) -> Int32? {
    let descriptor = open(file.sharedMemoryPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = 128
    request.l_len = 1
    guard fcntl(descriptor, F_GETLK, &request) == 0, Int32(request.l_type) != F_UNLCK else { return nil }
    return request.l_pid
  }

  // MARK: Closing

  /// Checkpoints the log into the open database, wherever it is now: SQLite does not do so when it closes a database
  /// that was moved. Does not delete the log, whose path may belong to another store.
  static func keepWhatWasWritten(_ db: Database) {
    var keepsLog: Int32 = 1
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
    _ = try? db.checkpoint(.truncate)
  }
}
