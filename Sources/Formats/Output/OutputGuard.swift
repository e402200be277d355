import Glibc

/// Refuses an output that would replace or damage a database: one of those it is told of or a file that belongs to it, and
/// any other file that begins like an SQLite database.
///
/// The databases it is told of are compared by `stat` alone and before anything is opened: closing a second descriptor
/// of a database that this process has open would drop SQLite's locks on it.
public struct OutputGuard: Sendable {
  /// What SQLite and the collector put behind a database's name for the files beside it.
  private static let suffixes = ["-wal", "-shm", "-journal", ".lock"]
  /// SQLite's file format, section 1.2.1, and the two byte orders of a write-ahead log, section 4.1.
  private static let beginnings: [[UInt8]] = [
    Array("SQLite format 3\u{0}".utf8), [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83],
  ]

  private let databases: [String]

  /// - Parameter databases: paths of databases that this process reads or writes; they need not exist.
  public init(databases: [String] = []) {
    self.databases = databases
  }

  /// - Parameter path: where a file is going to be written, whether or not there is one already.
  /// - Throws: ``OutputError`` with `isDatabase` or `belongsToDatabase`, or with what the system says.
  public func check(_ path: String) throws(OutputError) {
    try check(path, as: path)
  }

  /// The same of what a shell has connected this process's output to (`>> FILE`).
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

  /// One file by what it is, or, where there is none yet, by where it is going to be.
  private static func isSame(_ identity: FileIdentity?, _ place: FileLocation?, _ file: String) -> Bool {
    if let identity { return identity == FileIdentity(file) }
    return place != nil && place == FileLocation(file)
  }

  /// What cannot be read might be one, and then somebody else's: it is not replaced.
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

/// Where a path leads.
enum OutputPath {
  /// The real path of what exists; of what does not, the path that its symbolic links name, so that a dangling link keeps
  /// pointing where it does. Links that lead nowhere else come back as they are.
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

  /// As many as Linux follows (path_resolution(7)).
  private static let mostLinks = 40

  private static func target(of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

/// A file, whatever its names are.
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

/// A name in a directory, whatever the directory's names are.
private struct FileLocation: Equatable {
  let directory: FileIdentity
  let name: Substring

  init?(_ path: String) {
    guard let directory = FileIdentity(OutputPath.directory(of: path)) else { return nil }
    self.directory = directory
    name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }
}
