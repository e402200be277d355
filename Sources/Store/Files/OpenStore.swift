import FoundationEssentials
import Glibc
import Synchronization

/// Registers a store as open in this process, for its lifetime.
///
/// SQLite's locks belong to the process, and closing any descriptor of a file releases all of them (POSIX): another
/// process could then remove the log while it is in use. A file that is open in this process is therefore read through
/// SQLite only.
final class OpenStore: Sendable {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  /// The file before SQLite opened it.
  let file: FileIdentity?

  /// Call before SQLite opens the file.
  init(path: String) {
    file = FileIdentity(path: path)
    if let file { Self.counts.withLock { $0[file, default: 0] += 1 } }
  }

  deinit {
    guard let file else { return }
    Self.counts.withLock { counts in
      counts[file, default: 1] -= 1
      if counts[file] == 0 { counts[file] = nil }
    }
  }

  /// Runs `body`, which opens and closes the file, unless this process has it open. No store is opened in this process
  /// meanwhile.
  /// - Returns: the result of `body`; `nil` if it did not run.
  static func unlessOpen<T: Sendable, Failure: Error>(
    _ status: stat, _ body: () throws(Failure) -> T
  ) throws(Failure) -> T? {
    try counts.withLock { (counts) throws(Failure) -> T? in
      guard counts[FileIdentity(status)] == nil else { return nil }
      return try body()
    }
  }
}

/// What tells a store from others, whatever its path: a new file may have the number of one that was deleted.
public struct StoreIdentity: Sendable, Hashable {
  let file: FileIdentity?
  let collector: UUID
}

/// The identity of a file (device and inode), independent of its path.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  /// - Returns: `nil` if there is no such file or stat fails.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }
}
