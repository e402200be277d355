import Glibc

/// A file that appears under its name only when it is whole: written without a name first, where the file system can
/// do that, otherwise beside it under another, then renamed.
///
/// What exists and is no regular file (a terminal, `/dev/null`, a FIFO) is written to directly; a symbolic link keeps
/// pointing where it does, also one to a file that is not there yet. Databases are refused (``OutputGuard``). Left
/// uncommitted, nothing remains and an older file stays as it was.
public final class AtomicFile: ByteSink {
  /// How the bytes come to stand under the name.
  private enum Way: Equatable {
    case direct
    /// Has no name yet and vanishes with the process (O_TMPFILE).
    case unnamed
    case besides
  }

  private let name: String
  private let way: Way
  private let destination: String
  private let temporary: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private let databases: OutputGuard
  private var isCommitted = false

  /// - Parameter databases: refuses what must not be replaced.
  public init(path: String, databases: OutputGuard = OutputGuard()) throws(OutputError) {
    name = path
    self.databases = databases
    try databases.check(path)
    var status = stat()
    let exists = stat(path, &status) == 0
    guard exists || errno == ENOENT else { throw OutputError(errno: errno, name: path) }
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw OutputError(code: .isDirectory, name: path) }
    destination = OutputPath.resolved(path)
    // The process id keeps two exports to one name apart; a leftover of a killed one with the same id is replaced.
    temporary = "\(destination).\(getpid()).tmp"
    if exists, kind != S_IFREG {
      way = .direct
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      let mode = exists ? status.st_mode & 0o777 : 0o666
      let unnamed = open(OutputPath.directory(of: destination), O_WRONLY | Self.unnamedFile | O_CLOEXEC, mode)
      unlink(temporary)
      way = unnamed >= 0 ? .unnamed : .besides
      descriptor = unnamed >= 0 ? unnamed : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }
    guard descriptor >= 0 else { throw OutputError(errno: errno, name: path) }
    sink = FileDescriptorSink(descriptor: descriptor, name: path)
  }

  deinit {
    close(descriptor)
    if !isCommitted, way == .besides { unlink(temporary) }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Makes it whole: on the disk, and under its name.
  public func commit() throws(OutputError) {
    if way != .direct {
      guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: name) }
      // A long export leaves time for a database to be made there.
      try databases.check(destination)
      if way == .unnamed {
        // A link cannot replace a file, so it takes the other name first.
        let source = "/proc/self/fd/\(descriptor)"
        guard linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else {
          throw OutputError(errno: errno, name: name)
        }
      }
      guard rename(temporary, destination) == 0 else {
        let number = errno
        unlink(temporary)
        throw OutputError(errno: number, name: name)
      }
    }
    isCommitted = true
  }

  /// O_TMPFILE (open(2)); a macro of two flags that Swift does not import.
  private static let unnamedFile: Int32 = 0o20000000 | O_DIRECTORY
}

/// A file that did not exist before: whatever is there already is left alone.
public final class NewFile: ByteSink {
  /// Its name without the directory.
  public let name: String
  public let path: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private var isFinished = false

  /// Creates `STEM.EXTENSION` in a directory, or `STEM-2.EXTENSION` and so on where that is taken.
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
        sink = FileDescriptorSink(descriptor: descriptor, name: path)
        return
      }
      guard errno == EEXIST, number < Self.mostNumbers else { throw OutputError(errno: errno, name: path) }
      number += 1
    }
  }

  private static let mostNumbers = 1_000

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Keeps it; one that was not finished goes away with this object.
  public func finish() throws(OutputError) {
    guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: path) }
    isFinished = true
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
  }
}
