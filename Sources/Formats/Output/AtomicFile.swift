import Glibc

/// A file that appears under its name only when it is complete. It is written without a name (`O_TMPFILE`) where the file
/// system supports that, else under a temporary name beside it, then renamed.
///
/// An existing file that is not a regular one (a terminal, `/dev/null`, a FIFO) is written directly. One that no other can
/// replace (it is a mount of its own, or its directory takes no file) gets the complete content in its place at the end.
/// Symbolic links are followed, also dangling ones. Databases are refused (``OutputGuard``). Without ``commit()`` nothing
/// remains and an older file is unchanged.
public final class AtomicFile: ByteSink {
  /// How the file gets its name.
  private enum Way: Equatable {
    case direct
    /// `O_TMPFILE`: it has no name until the commit and vanishes with the process.
    case unnamed
    case besides
    /// Kept without a name in a directory for temporary files, and copied.
    case elsewhere
  }

  private let name: String
  private let way: Way
  private let destination: String
  private let temporary: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private let databases: OutputGuard
  /// rename(2).
  private let rename: (_ from: String, _ to: String) -> Int32
  private var isCommitted = false

  /// - Parameter databases: refuses paths of databases.
  public convenience init(path: String, databases: OutputGuard = OutputGuard()) throws(OutputError) {
    try self.init(path: path, databases: databases, rename: { Glibc.rename($0, $1) })
  }

  init(
    path: String, databases: OutputGuard = OutputGuard(),
    rename: @escaping (_ from: String, _ to: String) -> Int32
  ) throws(OutputError) {
    name = path
    self.rename = rename
    self.databases = databases
    try databases.check(path)
    var status = stat()
    let exists = stat(path, &status) == 0
    guard exists || errno == ENOENT else { throw OutputError(errno: errno, name: path) }
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw OutputError(code: .isDirectory, name: path) }
    destination = OutputPath.resolved(path)
    // The process id separates two exports to one name; a leftover of a killed process with the same id is replaced.
    temporary = "\(destination).\(getpid()).tmp"
    if exists, kind != S_IFREG {
      way = .direct
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw OutputError(errno: errno, name: path) }
    } else {
      let mode = exists ? status.st_mode & 0o777 : 0o666
      (way, descriptor) = try Self.create(destination, temporary, mode, exists: exists, name: path)
    }
    sink = FileDescriptorSink(descriptor: descriptor, name: path, keepsPart: way == .direct)
  }

  /// Opens the file that gets the content first.
  private static func create(
    _ destination: String, _ temporary: String, _ mode: mode_t, exists: Bool, name: String
  ) throws(OutputError) -> (Way, Int32) {
    // Readable, too: it may have to be copied.
    let unnamed = open(OutputPath.directory(of: destination), O_RDWR | unnamedFile | O_CLOEXEC, mode)
    if unnamed >= 0 { return (.unnamed, unnamed) }
    unlink(temporary)
    let named = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    if named >= 0 { return (.besides, named) }
    var failure = OutputError(errno: errno, name: name)
    if failure.code == .noDirectory, access(OutputPath.directory(of: destination) + "/.", F_OK) == 0 {
      failure = OutputError(code: .noFiles, name: name)
    }
    guard exists, [.permissionDenied, .readOnly].contains(failure.code), access(destination, W_OK) == 0 else {
      throw failure
    }
    for directory in [getenv("TMPDIR").map { String(cString: $0) }, "/tmp", "/var/tmp"].compactMap({ $0 }) {
      let kept = open(directory, O_RDWR | unnamedFile | O_CLOEXEC, 0o600)
      if kept >= 0 { return (.elsewhere, kept) }
    }
    throw failure
  }

  /// Checks that a file can be written, as far as that can be known before it is; leaves nothing.
  /// - Throws: what ``init(path:databases:)`` would.
  public static func check(_ path: String, databases: OutputGuard = OutputGuard()) throws(OutputError) {
    var status = stat()
    guard stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      _ = try AtomicFile(path: path, databases: databases)
      return
    }
    // It is not opened: a FIFO may have no reader yet.
    try databases.check(path)
    guard access(path, W_OK) == 0 else { throw OutputError(errno: errno, name: path) }
  }

  deinit {
    close(descriptor)
    if !isCommitted, way == .besides { unlink(temporary) }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Syncs the file to disk and gives it its name.
  public func commit() throws(OutputError) {
    if way != .direct {
      // A database may have been created there during a long export.
      try databases.check(destination)
    }
    switch way {
    case .direct: break
    case .elsewhere: try copy()
    case .unnamed, .besides:
      guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: name) }
      if way == .unnamed {
        // A link cannot replace a file, so it gets the temporary name first.
        unlink(temporary)
        let source = "/proc/self/fd/\(descriptor)"
        guard linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else {
          throw OutputError(errno: errno, name: name)
        }
      }
      if rename(temporary, destination) != 0 {
        let number = errno
        unlink(temporary)
        // A file that is a mount of its own cannot be replaced.
        guard number == EBUSY else { throw OutputError(errno: number, name: name) }
        try copy()
      }
    }
    isCommitted = true
  }

  /// Puts the content into the existing file. On a full disk the older content stays.
  private func copy() throws(OutputError) {
    let target = open(destination, O_WRONLY | O_CLOEXEC)
    guard target >= 0 else { throw OutputError(errno: errno, name: name) }
    defer { close(target) }
    var (status, older) = (stat(), stat())
    guard fstat(descriptor, &status) == 0, fstat(target, &older) == 0 else {
      throw OutputError(errno: errno, name: name)
    }
    let code = status.st_size > 0 ? posix_fallocate(target, 0, status.st_size) : 0
    if [ENOSPC, EDQUOT, EFBIG].contains(code) {
      ftruncate(target, older.st_size)
      throw OutputError(errno: code, name: name)
    }
    let output = FileDescriptorSink(descriptor: target, name: name, keepsPart: false)
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    var offset: off_t = 0
    while offset < status.st_size {
      let count = pread(descriptor, &buffer, buffer.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw OutputError(errno: count < 0 ? errno : EIO, name: name) }
      offset += off_t(count)
      var failure: OutputError?
      buffer.withUnsafeBytes { bytes in
        do throws(OutputError) { try output.write(UnsafeRawBufferPointer(rebasing: bytes[..<count])) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
    }
    guard ftruncate(target, status.st_size) == 0, fsync(target) == 0 else {
      throw OutputError(errno: errno, name: name)
    }
  }

  /// O_TMPFILE (open(2)), a macro that Swift does not import.
  private static let unnamedFile: Int32 = 0o20000000 | O_DIRECTORY
}

/// A new file. Existing files are never replaced.
public final class NewFile: ByteSink {
  /// File name without the directory.
  public let name: String
  public let path: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private var isFinished = false

  /// Creates `STEM.EXTENSION` in a directory, or `STEM-2.EXTENSION` and so on when it exists.
  public init(in directory: String, stem: String, extension suffix: String) throws(OutputError) {
    var number = 1
    while true {
      let name = number == 1 ? "\(stem).\(suffix)" : "\(stem)-\(number).\(suffix)"
      let path = directory.isEmpty ? name : "\(directory)/\(name)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 {
        self.name = name
        self.path = path
        self.descriptor = descriptor
        sink = FileDescriptorSink(descriptor: descriptor, name: path, keepsPart: false)
        return
      }
      guard errno == EEXIST, number < Self.mostNumbers else { throw OutputError(errno: errno, name: path) }
      number += 1
    }
  }

  private static let mostNumbers = 1_000

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Syncs and keeps the file; an unfinished file is deleted with this object.
  public func finish() throws(OutputError) {
    guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: path) }
    isFinished = true
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
  }
}
