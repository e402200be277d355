import Glibc
import Measurement
import Synchronization

/// Syncs the write-ahead log to the disk once a second while commits come, where SQLite itself syncs it only at checkpoints
/// (`synchronous = NORMAL`): a power failure then costs about a second of them instead of minutes.
///
/// The log has a descriptor of its own here. One of the store's main file could not be closed without releasing SQLite's
/// locks; SQLite locks nothing in the log.
///
/// Commits are noted on any thread; one thread at a time syncs.
final class LogSync: Sendable {
  /// The least time between the end of a sync and the beginning of the next.
  static let interval = Duration.seconds(1)

  private struct State {
    var hasUnsynced = false
    var syncedAt: MonotonicTime?
    /// -1 until the log was opened.
    var descriptor: Int32 = -1
  }

  private let path: String
  private let clock: any HostClock
  private let sync: @Sendable (Int32) -> Int32
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: the log's; SQLite keeps the file for as long as it has the store open.
  ///   - sync: fdatasync(2).
  init(path: String, clock: any HostClock, sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }) {
    (self.path, self.clock, self.sync) = (path, clock, sync)
  }

  deinit {
    let descriptor = state.withLock(\.descriptor)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether there are commits that the disk may not have.
  var hasUnsynced: Bool { state.withLock(\.hasUnsynced) }

  /// Something was written to the log.
  func recordCommit() { state.withLock { $0.hasUnsynced = true } }

  /// Syncs what was committed, if that is due.
  /// - Returns: whether it did.
  /// - Throws: the system's error; the next call tries again. Linux may take what it could not write for written then: of such a disk
  ///   no more is promised than that the error is said.
  @discardableResult
  func run() throws(StoreError) -> Bool {
    let now = clock.monotonicNow()
    let begun = state.withLock { state in
      guard state.hasUnsynced, state.syncedAt.map({ now - $0 >= Self.interval }) ?? true else { return false }
      // What is committed while the disk works is for the next sync.
      state.hasUnsynced = false
      return true
    }
    guard begun else { return false }
    // Also after a failure the next try is a second later.
    defer { state.withLock { $0.syncedAt = clock.monotonicNow() } }
    do throws(StoreError) {
      guard sync(try descriptor()) == 0 else { throw StoreError(errno: errno, path: path) }
      return true
    } catch {
      state.withLock { $0.hasUnsynced = true }
      throw error
    }
  }

  private func descriptor() throws(StoreError) -> Int32 {
    let known = state.withLock(\.descriptor)
    guard known < 0 else { return known }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw StoreError(errno: errno, path: path) }
    state.withLock { $0.descriptor = opened }
    return opened
  }
}

extension CollectorStore {
  /// Syncs the write-ahead log if it has commits that the disk may not have, and the last sync was a second ago. Takes as long as
  /// the disk, and holds up no commit but by the disk's own work.
  ///
  /// With `durability: full`, which syncs each commit, it does nothing.
  ///
  /// - Returns: whether it did.
  /// - Throws: the system's error; the next call tries again.
  @discardableResult
  public func syncLog() throws(StoreError) -> Bool { try logSync?.run() ?? false }
}
