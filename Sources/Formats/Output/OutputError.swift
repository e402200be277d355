import Glibc

/// Why output could not be written.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The reader went away (`| head`): nothing to complain about.
    case closedPipe
    /// The disk, the quota or the file size limit is exhausted.
    case noSpace
    case permissionDenied
    /// The directory is not there.
    case noDirectory
    case isDirectory
    case readOnly
    /// An SQLite database stands there already.
    case isDatabase
    /// A file that SQLite or the collector keeps beside the database of this path.
    case belongsToDatabase(String)
    case system(errno: Int32)
  }

  public let code: Code
  /// The file, or `standard output`.
  public let name: String

  public init(code: Code, name: String) {
    self.code = code
    self.name = name
  }

  init(errno number: Int32, name: String) {
    code =
      switch number {
      case EPIPE: .closedPipe
      case ENOSPC, EDQUOT, EFBIG: .noSpace
      case EACCES, EPERM: .permissionDenied
      case ENOENT, ENOTDIR: .noDirectory
      case EISDIR: .isDirectory
      case EROFS: .readOnly
      default: .system(errno: number)
      }
    self.name = name
  }

  public var message: String {
    let name = VisibleText.make(name)
    switch code {
    case .closedPipe: return "the reader of \(name) went away"
    case .noSpace: return "no space left for \(name)"
    case .permissionDenied: return "no permission to write \(name)"
    case .noDirectory: return "the directory of \(name) does not exist"
    case .isDirectory: return "\(name) is a directory"
    case .readOnly: return "\(name) lies on a read-only file system"
    case .isDatabase: return "\(name) is an SQLite database"
    case .belongsToDatabase(let database):
      return "\(name) belongs to the SQLite database \(VisibleText.make(database))"
    case .system(let number): return "\(name) cannot be written: \(String(cString: strerror(number)))"
    }
  }

  public var remedy: String {
    switch code {
    case .closedPipe: "read to the end"
    case .noSpace: "make room or write elsewhere; nothing half-written was left behind"
    case .permissionDenied, .readOnly: "write where this user may"
    case .noDirectory: "create it first"
    case .isDirectory: "name a file in it"
    case .isDatabase, .belongsToDatabase:
      "name another file: a database is never replaced by what is written here"
    case .system: "check the file system"
    }
  }

  public var description: String { "\(message); \(remedy)" }
}
