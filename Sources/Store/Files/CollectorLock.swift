import Glibc

/// The lock that makes a collector the only one: a lock of the kernel's on a file beside the store, which also holds the
/// holder's pid for people and error messages.
///
/// It belongs to the open file description (`F_OFD_SETLK`), so a second holder within one process is refused too, a
/// death of any kind gives it back, and readers can ask about it without taking it. The file stays where it is:
/// removing a lock file opens a gap in which two processes hold different files of one name.
final class CollectorLock: Sendable {
  /// fcntl commands of Linux that the C library module leaves out; part of the kernel's ABI since 3.15.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37

  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Unlocks by name: closing alone leaves the lock to a child that was forked meanwhile until it runs its program.
  deinit {
    var request = Self.wholeFile(F_UNLCK)
    _ = fcntl(descriptor, Self.setLock, &request)
    close(descriptor)
  }

  static func path(forStore path: String) -> String { path + ".lock" }

  /// Takes the lock of the store at `path`.
  /// - Throws: `inUse` with the holder's pid, or what the system says about the lock file.
  static func take(forStore path: String) throws -> CollectorLock {
    let lockPath = self.path(forStore: path)
    let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreError(errno: errno, path: lockPath) }
    var request = wholeFile()
    guard fcntl(descriptor, setLock, &request) == 0 else {
      let code = errno
      defer { close(descriptor) }
      guard code == EAGAIN || code == EACCES else { throw StoreError(errno: code, path: lockPath) }
      throw StoreError.inUse(path, holder: holder(readFrom: descriptor))
    }
    let text = "\(getpid())\n"
    ftruncate(descriptor, 0)
    _ = text.utf8CString.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count - 1, 0) }
    return CollectorLock(descriptor: descriptor)
  }

  /// Whether somebody holds the lock of the store at `path`, and who, as far as the file tells.
  static func look(atStore path: String) -> (isHeld: Bool, holder: Int32?) {
    let descriptor = open(self.path(forStore: path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return (false, nil) }
    defer { close(descriptor) }
    var request = wholeFile(F_RDLCK)
    guard fcntl(descriptor, getLock, &request) == 0, Int32(request.l_type) != F_UNLCK else {
      return (false, nil)
    }
    return (true, holder(readFrom: descriptor))
  }

  private static func wholeFile(_ type: Int32 = F_WRLCK) -> flock {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    return request
  }

  private static func holder(readFrom descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { (48...57).contains($0) }, as: UTF8.self))
  }
}
