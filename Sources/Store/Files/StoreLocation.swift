import GRDB
import GRDBSQLite
import Glibc
import Measurement

/// What makes a collector the only writer of a store for as long as it has it: the lock, and that the names of the store's
/// files still stand for the files that are open here.
///
/// A file that is moved, deleted or replaced goes on taking commits, which nobody who knows its name will ever read; and
/// whoever finds no lock file locks a new one. So both are looked at with every commit, by `stat` alone: the database is
/// never opened a second time, since closing a descriptor of it would drop SQLite's locks.
struct StoreLocation: Sendable {
  private let file: StoreFile
  private let database: FileIdentity?
  private let log: FileIdentity?
  private var lock: CollectorLock
  /// Since when another process holds the lock that goes by the name.
  private var lockLostAt: MonotonicTime?
  /// Whether the database or its log are no longer where they were.
  private(set) var isLost = false

  /// Another process that found no lock file has so long to notice that the store is written and to let go of it: see
  /// ``refuseIfWritten(by:_:_:)``.
  static let takeover = Duration.seconds(5)

  /// - Parameter lock: taken before; the database is open, in WAL mode.
  init(_ file: StoreFile, lock: CollectorLock) {
    self.file = file
    self.lock = lock
    database = FileIdentity(path: file.path)
    log = FileIdentity(path: file.walPath)
  }

  /// Looks whether all is where it was. A lock file that was removed is made and locked again.
  /// - Throws: `replaced` when the store or its log went; `inUse` when another collector took it over.
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
      lock = try CollectorLock.take(forStore: file.path)
      lockLostAt = nil
    } catch let error as StoreError where error.code == .inUse {
      let since = lockLostAt ?? now
      lockLostAt = since
      if now - since > Self.takeover { throw .takenOver(file.path, holder: error.holder) }
    } catch {
      // No lock file can be made just now (a full disk): the next look tries again, and nobody else can make one either.
    }
  }

  // MARK: A store without a lock file

  /// How long a collector at work may be silent: it writes a heartbeat each second.
  private static let longestSilence = Duration.milliseconds(2_500)
  private static let pollMilliseconds: Int32 = 50

  /// Refuses a store that a collector writes though its lock file was removed: somebody else has it open, and it changes
  /// while it is watched. Asked only where the lock file had to be made.
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

  /// Another process that has the store open, by the lock that SQLite keeps on the WAL's index meanwhile (its byte 128,
  /// UNIX_SHM_DMS); `nil` when there is none, or this process has it open itself: to be asked before.
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

  /// Moves what is in the log into the database that is open here, wherever it is now: SQLite itself leaves the log of a
  /// database that was moved alone. The log's name may be another store's by now, so no file is deleted by it.
  static func keepWhatWasWritten(_ db: Database) {
    var keepsLog: Int32 = 1
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
    _ = try? db.checkpoint(.truncate)
  }
}
