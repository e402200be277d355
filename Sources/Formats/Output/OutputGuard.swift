import Glibc

/// Refuses an output path that would replace or damage a database: a known one, a file that belongs to it, or any other
/// file with the header of an SQLite database.
///
/// Known databases are compared by `stat` before any file is opened: closing a second descriptor of a database that this
/// process has open would drop SQLite's locks on it.
public struct OutputGuard: Sendable {
  /// Suffixes of the files that SQLite and the collector keep beside a database.
  private static let suffixes = ["-wal", "-shm", "-journal", ".lock"]
  /// Headers of a database and of a write-ahead log in both byte orders (SQLite file format, sections 1.2.1 and 4.1).
  private static let beginnings: [[UInt8]] = [
    Array("SQLite format 3\u{0}".utf8), [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83],
  ]

  private let databases: [String]

  /// - Parameter databases: paths of databases that this process reads or writes; they need not exist.
  public init(databases: [String] = []) {
    self.databases = databases
  }

  /// - Parameter path: the file to be written; it need not exist.
  /// - Throws: ``OutputError`` with `isDatabase` or `belongsToDatabase`, or with the system's error.
  public func check(_ path: String) throws(OutputError) {
    try check(path, as: path)
  }

  /// Checks the file that a shell redirected this process's output to (`>> FILE`).
  /// - Parameter descriptor: 1 or 2.
  public static func check(descriptor: Int32, as name: String) throws(OutputError) {
    try OutputGuard().check("/proc/self/fd/\(descriptor)", as: name)
  }

  private func check(_ path: String, as name: String) throws(OutputError) {
    let destination = OutputPath.resolved(path)
    let identity = FileIdentity(destination)
    let place = FileLocation(destination)
    for database in databases {
      let real = OutputPath.resolved(database)
      for file in [database, real] where Self.isSame(identity, place, file) {
        throw OutputError(code: .isDatabase, name: name)
      }
      for suffix in Self.suffixes {
        for file in [database + suffix, real + suffix] where Self.isSame(identity, place, file) {
          throw OutputError(code: .belongsToDatabase(database), name: name)
        }
      }
    }
    for suffix in Self.suffixes where destination.hasSuffix(suffix) {
      let database = String(destination.dropLast(suffix.count))
      if let named = FileIdentity(database), databases.contains(where: { FileIdentity($0) == named }) {
        throw OutputError(code: .belongsToDatabase(database), name: name)
      }
      if try Self.beginsLikeDatabase(database, as: name) {
        throw OutputError(code: .belongsToDatabase(database), name: name)
      }
    }
    if identity != nil, try Self.beginsLikeDatabase(destination, as: name) {
      throw OutputError(code: .isDatabase, name: name)
    }
  }

  /// Compares existing files by identity, and others by directory and name.
  private static func isSame(_ identity: FileIdentity?, _ place: FileLocation?, _ file: String) -> Bool {
    if let identity { return identity == FileIdentity(file) }
    return place != nil && place == FileLocation(file)
  }

  /// Throws when the file cannot be read: it might be another user's database.
  private static func beginsLikeDatabase(_ path: String, as name: String) throws(OutputError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return false
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw OutputError(errno: errno, name: name) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &header, header.count, 0)
    guard count >= 0 else { throw OutputError(errno: errno, name: name) }
    return beginnings.contains { header[..<count].starts(with: $0) }
  }
}

/// Resolution of paths.
enum OutputPath {
  /// The real path of an existing file; otherwise the path that its symbolic links name, so that a dangling link keeps its
  /// target. Circular links are returned unchanged.
  static func resolved(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    var path = path
    for _ in 0..<mostLinks {
      guard let target = target(of: path) else { return path }
      path = target.hasPrefix("/") ? target : directory(of: path) + "/" + target
    }
    return path
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The limit of Linux (path_resolution(7)).
  private static let mostLinks = 40

  private static func target(of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

/// Identity of a file, independent of its names.
private struct FileIdentity: Equatable {
  let device: dev_t
  let inode: ino_t

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}

/// A name in a directory, independent of the directory's names.
private struct FileLocation: Equatable {
  let directory: FileIdentity
  let name: Substring

  init?(_ path: String) {
    guard let directory = FileIdentity(OutputPath.directory(of: path)) else { return nil }
    self.directory = directory
    name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }
}
