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
  private let path: String
  /// Whether the file was not there before: then it says nothing about who is at work on the store.
  let isNew: Bool

  private init(descriptor: Int32, path: String, isNew: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isNew = isNew
  }

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
    while true {
      let (descriptor, isNew) = try openFile(lockPath)
      let lock = try take(descriptor, isNew: isNew, path: lockPath, store: path)
      // Somebody may have removed the file before it was locked.
      if lock.isInPlace { return lock }
    }
  }

  private static func openFile(_ path: String) throws -> (descriptor: Int32, isNew: Bool) {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    while true {
      let existing = open(path, flags)
      if existing >= 0 { return (existing, false) }
      guard errno == ENOENT else { throw StoreError(errno: errno, path: path) }
      let made = open(path, flags | O_CREAT | O_EXCL, 0o600)
      if made >= 0 { return (made, true) }
      guard errno == EEXIST else { throw StoreError(errno: errno, path: path) }
    }
  }

  private static func take(
    _ descriptor: Int32, isNew: Bool, path lockPath: String, store path: String
  ) throws -> CollectorLock {
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
    return CollectorLock(descriptor: descriptor, path: lockPath, isNew: isNew)
  }

  /// Whether the file with the lock's name is still the one that is locked here.
  var isInPlace: Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return FileIdentity(status) == FileIdentity(descriptor: descriptor)
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
