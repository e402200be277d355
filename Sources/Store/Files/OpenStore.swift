import Glibc
import Synchronization

/// Says that this process has a store open, for as long as it is held.
///
/// SQLite's locks are the process's, and closing any descriptor of a file gives all of them back (POSIX): another process
/// would then take the log away under a reader that is still at work. A file that is open here is therefore looked into
/// through SQLite alone.
final class OpenStore: Sendable {
  private struct Key: Hashable {
    var device: UInt
    var inode: UInt
  }

  private static let counts = Mutex<[Key: Int]>([:])

  private let key: Key?

  /// Made before SQLite opens the file.
  init(path: String) {
    var status = stat()
    key = stat(path, &status) == 0 ? Self.key(status) : nil
    if let key { Self.counts.withLock { $0[key, default: 0] += 1 } }
  }

  deinit {
    guard let key else { return }
    Self.counts.withLock { counts in
      counts[key, default: 1] -= 1
      if counts[key] == 0 { counts[key] = nil }
    }
  }

  private static func key(_ status: stat) -> Key {
    Key(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }

  /// Runs `body`, which opens the file and closes it again, unless this process has it open; nobody here opens a store
  /// meanwhile.
  /// - Returns: what `body` returns; `nil` when it was not run.
  static func unlessOpen<T: Sendable, Failure: Error>(
    _ status: stat, _ body: () throws(Failure) -> T
  ) throws(Failure) -> T? {
    try counts.withLock { (counts) throws(Failure) -> T? in
      guard counts[key(status)] == nil else { return nil }
      return try body()
    }
  }
}
