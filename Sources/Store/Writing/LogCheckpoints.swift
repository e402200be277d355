import GRDB
import GRDBSQLite
import Measurement
import Synchronization

/// The write-ahead log cannot be emptied: a reader's transaction still needs a state of the store that is in it.
public struct LogPin: Sendable, Equatable {
  /// When a checkpoint first stopped short.
  public var since: MonotonicTime
}

/// Checkpoints the write-ahead log after a commit, when SQLite would by itself, and keeps whether the checkpoint reached the
/// log's end.
///
/// A checkpoint moves into the store's file what no reader needs in the log, and a log that was moved whole is begun anew. While
/// a read transaction lasts, the log grows with every write, and with every deletion too.
final class LogCheckpoints: Sendable {
  /// Pages in the log from which on it is checkpointed: SQLite's default.
  private static let pages: Int32 = 1_000

  private let clock: any HostClock
  private let onCommit: @Sendable () -> Void
  private let state = Mutex<LogPin?>(nil)

  /// - Parameter onCommit: called after each commit, on its thread.
  init(clock: any HostClock, onCommit: @escaping @Sendable () -> Void) {
    (self.clock, self.onCommit) = (clock, onCommit)
  }

  var pin: LogPin? { state.withLock { $0 } }

  /// Replaces SQLite's automatic checkpoints of a connection, which this must outlive.
  func install(on db: Database) {
    sqlite3_wal_hook(
      db.sqliteConnection,
      { context, connection, _, pages in
        // An error would become that of the commit, which has succeeded.
        guard let context, let connection else { return SQLITE_OK }
        Unmanaged<LogCheckpoints>.fromOpaque(context).takeUnretainedValue().committed(connection, pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Tries again, beside the commits.
  func run(_ db: Database) {
    guard let connection = db.sqliteConnection else { return }
    checkpoint(connection)
  }

  private func committed(_ connection: OpaquePointer, _ pages: Int32) {
    onCommit()
    if pages >= Self.pages { checkpoint(connection) } else { state.withLock { $0 = nil } }
  }

  private func checkpoint(_ connection: OpaquePointer) {
    var (pages, done): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &done)
    let isWhole = code == SQLITE_OK && done >= pages
    state.withLock { $0 = isWhole ? nil : $0 ?? LogPin(since: clock.monotonicNow()) }
  }
}

extension CollectorStore {
  /// Whether the write-ahead log could be emptied after the last commit that made it long; `nil` where it could.
  public var logPin: LogPin? { checkpoints.pin }

  /// The process whose read transaction pins the log; `nil` where the kernel names none: a reader of this process, or of another
  /// process namespace.
  public var logHolder: Int32? { LogReaders.oldest(of: StoreFile(path: path)) }

  /// Checkpoints once more where the last checkpoint stopped short.
  /// - Returns: whether the log is still pinned.
  func isLogPinned() throws -> Bool {
    guard checkpoints.pin != nil else { return false }
    try withDatabase { checkpoints.run($0) }
    return checkpoints.pin != nil
  }
}
