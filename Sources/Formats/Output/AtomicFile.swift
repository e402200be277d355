import Glibc

/// A file that appears under its name only when it is complete. It is written without a name (`O_TMPFILE`) where the file
/// system supports that, else under a temporary name beside it, then renamed.
///
/// An existing file that is not a regular one (a terminal, `/dev/null`, a FIFO) is written directly. Symbolic links are
/// followed, also dangling ones. Databases are refused (``OutputGuard``). Without ``commit()`` nothing remains and an older
/// file is unchanged.
public final class AtomicFile: ByteSink {
  /// How the file gets its name.
  private enum Way: Equatable {
    case direct
    /// `O_TMPFILE`: it has no name until the commit and vanishes with the process.
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

  /// - Parameter databases: refuses paths of databases.
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
    // The process id separates two exports to one name; a leftover of a killed process with the same id is replaced.
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

  /// Syncs the file to disk and gives it its name.
  public func commit() throws(OutputError) {
    if way != .direct {
      guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: name) }
      // A database may have been created there during a long export.
      try databases.check(destination)
      if way == .unnamed {
        // A link cannot replace a file, so it gets the temporary name first.
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
        sink = FileDescriptorSink(descriptor: descriptor, name: path)
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
