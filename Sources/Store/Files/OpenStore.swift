import Glibc
import Synchronization

/// Says that this process has a store open, for as long as it is held.
///
/// SQLite's locks are the process's, and closing any descriptor of a file gives all of them back (POSIX): another process
/// would then take the log away under a reader that is still at work. A file that is open here is therefore looked into
/// through SQLite alone.
final class OpenStore: Sendable {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  /// As it was before SQLite opened the file.
  let file: FileIdentity?

  /// Made before SQLite opens the file.
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

  /// Runs `body`, which opens the file and closes it again, unless this process has it open; nobody here opens a store
  /// meanwhile.
  /// - Returns: what `body` returns; `nil` when it was not run.
  static func unlessOpen<T: Sendable, Failure: Error>(
    _ status: stat, _ body: () throws(Failure) -> T
  ) throws(Failure) -> T? {
    try counts.withLock { (counts) throws(Failure) -> T? in
      guard counts[FileIdentity(status)] == nil else { return nil }
      return try body()
    }
  }
}

/// Which file a name or a descriptor stands for, whatever it is called.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  /// - Returns: `nil` when there is no such file, or it may not be looked at.
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
