import Glibc

/// The lock that admits one collector: a kernel lock on a file beside the store that also contains the holder's pid.
///
/// It belongs to the open file description (`F_OFD_SETLK`), so a second holder in the same process is refused too, the
/// kernel releases it when the process ends, and readers can query it without taking it. The file is never removed:
/// otherwise two processes could lock different files of one name.
final class CollectorLock: Sendable {
  /// fcntl commands that the C library's module does not have; part of Linux's ABI since 3.15.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37

  private let descriptor: Int32
  private let path: String
  /// Whether the lock file did not exist; then a collector whose lock file was removed may be running.
  let isNew: Bool

  private init(descriptor: Int32, path: String, isNew: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isNew = isNew
  }

  /// Unlocks explicitly: closing alone leaves the lock to a forked child until it calls exec.
  deinit {
    var request = Self.wholeFile(F_UNLCK)
    _ = fcntl(descriptor, Self.setLock, &request)
    close(descriptor)
  }

  static func path(forStore path: String) -> String { path + ".lock" }

  /// Acquires the lock of the store at `path`.
  /// - Throws: `inUse` with the holder's pid, or the system's error for the lock file.
  static func acquire(forStore path: String, group: gid_t? = nil) throws -> CollectorLock {
    let lockPath = self.path(forStore: path)
    while true {
      let (descriptor, isNew) = try openFile(lockPath, store: path)
      // Readers look at it to see whether a collector runs. Best effort: they can do without.
      if let group, fchown(descriptor, .max, group) == 0 { fchmod(descriptor, 0o640) }
      let lock = try acquire(descriptor, isNew: isNew, path: lockPath, store: path)
      // The file may have been removed before it was locked.
      if lock.isInPlace { return lock }
    }
  }

  private static func openFile(_ path: String, store: String) throws -> (descriptor: Int32, isNew: Bool) {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    while true {
      let existing = open(path, flags)
      if existing >= 0 { return (existing, false) }
      guard errno == ENOENT else {
        // Of a store that another user records into there is more to say than of its lock.
        throw StoreError(errno: errno, path: StoreFile.otherOwner(of: store) == nil ? path : store)
      }
      let made = open(path, flags | O_CREAT | O_EXCL, 0o600)
      if made >= 0 { return (made, true) }
      guard errno == EEXIST else { throw StoreError.notCreated(path, errno: errno) }
    }
  }

  private static func acquire(
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

  /// Whether the lock's path still refers to the locked file.
  var isInPlace: Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return FileIdentity(status) == FileIdentity(descriptor: descriptor)
  }

  /// Whether the lock of the store at `path` is held, and the holder's pid if the file has it.
  static func state(atStore path: String) -> (isHeld: Bool, holder: Int32?) {
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
