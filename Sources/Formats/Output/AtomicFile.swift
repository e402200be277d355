import Glibc

/// A file that appears under its name only when it is whole: written beside it first, then renamed.
///
/// What exists and is no regular file (a terminal, `/dev/null`, a FIFO) is written to directly; a symbolic link keeps
/// pointing where it does. Left uncommitted, nothing remains and an older file stays as it was.
public final class AtomicFile: ByteSink {
  private let name: String
  /// Where it ends up; `nil` when written to directly.
  private let destination: String?
  private let temporary: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private var isCommitted = false

  public init(path: String) throws(OutputError) {
    name = path
    var status = stat()
    let exists = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw OutputError(code: .isDirectory, name: path) }
    if exists, kind != S_IFREG {
      destination = nil
      temporary = ""
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      let final = exists ? Self.resolved(path) : path
      destination = final
      // The process id keeps two exports to one name apart; a leftover of a killed one with the same id is replaced.
      temporary = final + ".\(getpid()).tmp"
      unlink(temporary)
      descriptor = open(
        temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0o777 : 0o666)
    }
    guard descriptor >= 0 else { throw OutputError(errno: errno, name: path) }
    sink = FileDescriptorSink(descriptor: descriptor, name: path)
  }

  deinit {
    close(descriptor)
    if !isCommitted, destination != nil { unlink(temporary) }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Makes it whole: on the disk, and under its name.
  public func commit() throws(OutputError) {
    guard let destination else {
      isCommitted = true
      return
    }
    guard fsync(descriptor) == 0, rename(temporary, destination) == 0 else {
      throw OutputError(errno: errno, name: name)
    }
    isCommitted = true
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
