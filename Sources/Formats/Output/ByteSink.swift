import Glibc
import Measurement
import Threads

/// A destination of bytes, written in large pieces.
public protocol ByteSink: AnyObject {
  /// Writes all the bytes, or throws.
  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError)
}

extension ByteSink {
  /// Writes a text as UTF-8.
  public func write(_ text: String) throws(OutputError) {
    // A typed throw through `withUTF8` crashes Swift 6.3, so the error is passed in a variable.
    var failure: OutputError?
    var text = text
    text.withUTF8 { bytes in
      do throws(OutputError) { try write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

/// Writes to an open file descriptor, and does not close it.
public final class FileDescriptorSink: ByteSink {
  private let descriptor: Int32
  private let name: String
  private let keepsPart: Bool

  /// - Parameters:
  ///   - name: used in error messages.
  ///   - keepsPart: what is written stays where an error ends it, as in standard output.
  public init(descriptor: Int32, name: String, keepsPart: Bool = true) {
    self.descriptor = descriptor
    self.name = name
    self.keepsPart = keepsPart
  }

  /// Writes to standard output, which it does not close.
  public static func standardOutput() -> FileDescriptorSink {
    FileDescriptorSink(descriptor: STDOUT_FILENO, name: "standard output")
  }

  /// Blocks until everything is written, also when the descriptor is non-blocking.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    if let number = DescriptorOutput.write(bytes, to: descriptor) {
      throw OutputError(errno: number, name: name, keepsPart: keepsPart)
    }
  }
}

/// Collects what is written in memory.
public final class MemorySink: ByteSink {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { self.bytes += bytes }

  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Why output could not be written.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// The reader closed the pipe (`| head`); not a failure.
    case closedPipe
    /// The disk, the quota or the file size limit is exhausted.
    case noSpace
    case permissionDenied
    /// The directory does not exist.
    case noDirectory
    /// The directory takes no files, as in `/proc`.
    case noFiles
    case isDirectory
    case readOnly
    /// The file is an SQLite database.
    case isDatabase
    /// The file belongs to the SQLite database at this path (`-wal`, `-shm`, `-journal`, `.lock`).
    case belongsToDatabase(String)
    case system(errno: Int32)
  }

  public let code: Code
  /// The file, or `standard output`.
  public let name: String
  /// Whether what was written before the error has stayed.
  public let keepsPart: Bool

  public init(code: Code, name: String, keepsPart: Bool = false) {
    self.code = code
    self.name = name
    self.keepsPart = keepsPart
  }

  init(errno number: Int32, name: String, keepsPart: Bool = false) {
    let code: Code =
      switch number {
      case EPIPE: .closedPipe
      case ENOSPC, EDQUOT, EFBIG: .noSpace
      case EACCES, EPERM: .permissionDenied
      case ENOENT, ENOTDIR: .noDirectory
      case EISDIR: .isDirectory
      case EROFS: .readOnly
      default: .system(errno: number)
      }
    self.init(code: code, name: name, keepsPart: keepsPart)
  }

  public var message: String {
    let name = EscapedText.make(name)
    switch code {
    case .closedPipe: return "the reader of \(name) closed it"
    case .noSpace: return "no space left for \(name)"
    case .permissionDenied: return "no permission to write \(name)"
    case .noDirectory: return "the directory of \(name) does not exist"
    case .noFiles: return "no file can be made in the directory of \(name)"
    case .isDirectory: return "\(name) is a directory"
    case .readOnly: return "\(name) is on a read-only file system"
    case .isDatabase: return "\(name) is an SQLite database"
    case .belongsToDatabase(let database):
      return "\(name) belongs to the SQLite database \(EscapedText.make(database))"
    case .system(let number): return "\(name) cannot be written: \(String(cString: strerror(number)))"
    }
  }

  public var remedy: String {
    switch code {
    case .closedPipe: "read all of the output"
    case .noSpace:
      "free some space or write elsewhere; "
        + (keepsPart ? "what was written before is incomplete" : "no partial file was left")
    case .noFiles: "name one in another directory"
    case .permissionDenied, .readOnly: "write to a directory that this user may write to"
    case .noDirectory: "create it first"
    case .isDirectory: "name a file in it"
    case .isDatabase, .belongsToDatabase:
      "name another file: databases are never overwritten"
    case .system: "check the file system"
    }
  }

  public var description: String { "\(message); \(remedy)" }
}

/// The signals that terminate a process for writing.
public enum OutputSignals {
  /// Ignores SIGPIPE (closed pipe) and SIGXFSZ (file size limit) for the whole process, so that both are reported as
  /// ``OutputError``. Call it once, before any output.
  public static func ignore() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }
}
