import FoundationEssentials
import GRDB
import Glibc

/// The store as a file: its path, header and permissions. Checks everything that can be checked before SQLite opens it.
struct StoreFile {
  /// Absolute, so that SQLite does not parse it as a URI, and without symbolic links, so that the lock, like SQLite's
  /// own files, has one path.
  let path: String

  /// The group that may read the store; `nil` for its owner only.
  let group: gid_t?

  /// Texts from devices and providers are in it.
  private var mode: mode_t { group == nil ? 0o600 : 0o640 }
  private var directoryMode: mode_t { group == nil ? 0o700 : 0o750 }

  init(path: String, access: StoreAccess = .owner) {
    let path = Self.resolve(
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path)
    self.path = path
    group =
      switch access {
      case .owner: nil
      case .group(let group): group
      case .kept: Self.groupOfReaders(path)
      }
  }

  /// The group that a collector gave the file to.
  private static func groupOfReaders(_ path: String) -> gid_t? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o777 == 0o640 else { return nil }
    return status.st_gid
  }

  /// Resolves symbolic links; the last components of the path need not exist.
  /// - Parameter followed: the number of dangling links that were followed.
  private static func resolve(_ path: String, followed: Int = 0) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      // SQLite needs UTF-8.
      return String(validating: UnsafeBufferPointer(start: real, count: strlen(real)), as: UTF8.self) ?? path
    }
    guard followed < 40, let slash = path.lastIndex(of: "/") else { return path }
    let directory = path[..<slash]
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &target, target.count)
    if length > 0, let link = String(validating: target[..<length], as: UTF8.self) {
      return resolve(link.hasPrefix("/") ? link : "\(directory)/\(link)", followed: followed + 1)
    }
    if directory.isEmpty { return path }
    let parent = resolve(String(directory), followed: followed)
    return (parent == "/" ? "" : parent) + path[slash...]
  }

  var walPath: String { path + "-wal" }
  var sharedMemoryPath: String { path + "-shm" }

  /// The kind of the file, determined without SQLite.
  enum Content: Equatable {
    case missing
    case empty
    case database
  }

  /// Reads the file's type and header (SQLite file format 1.3).
  /// - Throws: `isDirectory`, `notADatabase`, `notAStore`, `newerSchema`, `severalNames`, or the system's error.
  func content() throws -> Content {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw StoreError(errno: errno, path: path) }
      return .missing
    }
    if status.st_mode & S_IFMT == S_IFDIR { throw StoreError.isDirectory(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError.notADatabase(path) }
    if status.st_nlink > 1 { throw StoreError.severalNames(path, count: Int(status.st_nlink)) }
    if status.st_size == 0 { return .empty }
    _ = try OpenStore.unlessOpen(status) { try checkHeader() }
    return .database
  }

  private func checkHeader() throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno: errno, path: path) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, header.count, 0)
    guard count >= 0 else { throw StoreError(errno: errno, path: path) }
    guard count == header.count, header.starts(with: Array("SQLite format 3\u{0}".utf8)) else {
      throw StoreError.notADatabase(path)
    }
    try check(version: Self.word(header, at: 60), application: Self.word(header, at: 68))
  }

  /// The schema's version in the file's header, which may be older than the WAL's; `nil` if it cannot be read, or if
  /// this process has the store open.
  var storedVersion: Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return OpenStore.unlessOpen(status) { () -> Int64? in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var word = [UInt8](repeating: 0, count: 4)
      return pread(descriptor, &word, 4, 60) == 4 ? Self.word(word, at: 0) : nil
    }.flatMap { $0 }
  }

  /// Refuses databases of other programs and of newer versions.
  func check(version: Int64, application: Int64) throws {
    // Both are 0 if the creator was killed while the schema was in the WAL only.
    if application == 0, version == 0 { return }
    guard application == StoreSchema.applicationID else {
      throw StoreError.notAStore(path, "the SQLite database belongs to another program")
    }
    guard version <= StoreSchema.version else { throw StoreError.newerSchema(path, version: version) }
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Creates the missing directories above the store, with access for the owner and the group only.
  func makeDirectory() throws {
    let directory = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    var made = ""
    for part in directory.split(separator: "/") {
      made += "/" + part
      if mkdir(made, directoryMode) == 0 {
        try admitGroup(made, mode: directoryMode)
        Self.syncDirectory(of: made)
        continue
      }
      // Some file systems do not report EEXIST for a directory that exists.
      let code = errno
      var status = stat()
      if stat(made, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
      guard code != ENOSPC, code != EDQUOT else { throw StoreError(errno: code, path: made) }
      throw StoreError.directoryNotMade(made, path: path, errno: code == EEXIST ? ENOTDIR : code)
    }
  }

  /// Creates an empty file with our mode, before SQLite would create it with its own; SQLite uses the same mode for its
  /// other files.
  func create() throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw StoreError.notCreated(path, errno: errno) }
    close(descriptor)
    try admitGroup(path, mode: mode)
    Self.syncDirectory(of: path)
  }

  /// A power failure may take a new name that was not synced, whatever of the file was. Some file systems sync no directories.
  private static func syncDirectory(of path: String) {
    let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let descriptor = open(parent.isEmpty ? "/" : String(parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Gives a file that this process made to the group, where there is one; the process's umask does not count.
  private func admitGroup(_ path: String, mode: mode_t) throws {
    guard let group else { return }
    guard chown(path, .max, group) == 0, chmod(path, mode) == 0 else {
      throw errno == EPERM ? StoreError.notInGroup(group, path: path) : StoreError(errno: errno, path: path)
    }
  }

  /// Refuses a file that its owner made read-only (which root could still write), and removes the access rights of
  /// others, and of any group but the one that may read it.
  ///
  /// Called before the store is opened, and with a group once more afterwards: SQLite gives its own files the store's mode,
  /// but the process's group.
  func restrict() throws {
    for path in [path, walPath, sharedMemoryPath] {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IWUSR == 0 { throw StoreError.readOnly(path) }
      if let group {
        if status.st_mode & 0o777 != mode || status.st_gid != group { try admitGroup(path, mode: mode) }
      } else if status.st_mode & 0o077 != 0, chmod(path, mode) != 0 {
        throw StoreError(errno: errno, path: path)
      }
    }
    guard access(path, W_OK) == 0 else { throw StoreError(errno: errno, path: path) }
  }

  /// Checks the database through SQLite, which also reads the WAL. Opens it for reading, so that not even a checkpoint
  /// changes a file that is refused.
  /// - Returns: the version of its schema; 0 for an empty database.
  @discardableResult
  func checkThroughSQLite() throws -> Int64 {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return try StoreError.wrapping(path: path) {
      do {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { db in
          try check(db)
          return try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        }
      } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
        // A hot journal: the creator was killed. Only a writer can roll it back, and checks again.
        return 0
      }
    }
  }

  func check(_ db: Database) throws {
    let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    try check(version: version, application: application)
    // The header of the file may be older than what the log has.
    if version > 0, version < StoreSchema.oldest { throw StoreError.outdatedSchema(path, version: version) }
    if version == 0, application == 0, try db.hasTables() {
      throw StoreError.notAStore(path, "the SQLite database belongs to another program")
    }
  }
}

extension Database {
  fileprivate func hasTables() throws -> Bool {
    try Bool.fetchOne(self, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema)") ?? false
  }
}

extension StoreFile {
  /// Whether there is a WAL that is not empty.
  var hasLog: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: walPath)
    return (attributes?[.size] as? Int ?? 0) > 0
  }

  /// Whether there is a rollback journal that is not empty: of a transaction under way, or of a process that was killed in one.
  var hasJournal: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-journal")
    return (attributes?[.size] as? Int ?? 0) > 0
  }

  /// Undoes the transaction in which a process was killed. Readers may not, and would see a part of it.
  func rollBackJournal() throws {
    guard hasJournal else { return }
    try StoreError.wrapping(path: path) {
      var configuration = GRDB.Configuration()
      configuration.busyMode = .timeout(2)
      configuration.label = "pushscope.rollback"
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      _ = try queue.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") }
    }
  }

  /// A URI that opens the file with `immutable=1`.
  var immutableURI: String {
    let escaped = path.utf8.map { byte -> String in
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        "%" + String(byte, radix: 16, uppercase: true)
      default: String(UnicodeScalar(byte))
      }
    }
    return "file:" + escaped.joined() + "?immutable=1"
  }

  /// The name of the user whom a file belongs to, or its number with `#`; `nil` where that is this process's user, or root, who
  /// may do everything.
  static func otherOwner(of path: String) -> String? {
    var status = stat()
    guard geteuid() != 0, stat(path, &status) == 0, status.st_uid != geteuid() else { return nil }
    var entry = passwd()
    var buffer = [CChar](repeating: 0, count: 4_096)
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(status.st_uid, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
      return "#\(status.st_uid)"
    }
    return String(cString: entry.pw_name)
  }

  /// What keeps any file from having a path, in words: the first part that is no directory, or the file system.
  static func obstacle(to path: String) -> String? {
    var reached = ""
    for part in path.split(separator: "/").dropLast() {
      let directory = "\(reached)/\(part)"
      var status = stat()
      guard stat(directory, &status) == 0 else { break }
      if status.st_mode & S_IFMT != S_IFDIR { return "\(directory) is \(kind(of: status)), not a directory" }
      reached = directory
    }
    return fileSystem(of: reached).map {
      "no file can be made in \(reached.isEmpty ? "/" : reached), which is of the file system \($0)"
    }
  }

  /// File systems in which the kernel alone makes files, whoever asks.
  private static let kernelFileSystems: Set = [
    "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "efivarfs", "proc", "pstore",
    "securityfs",
    "selinuxfs", "sysfs", "tracefs",
  ]

  /// Whether the last directory of the path that exists is of one of these file systems.
  static func isOfKernel(_ path: String) -> Bool {
    var directory = path[...]
    repeat {
      directory = directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)]
    } while !directory.isEmpty && access(String(directory), F_OK) != 0
    return fileSystem(of: String(directory)).map(kernelFileSystems.contains) ?? false
  }

  /// The type of the file system that a directory is in, like `proc`.
  private static func fileSystem(of directory: String) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
    var found: (length: Int, type: String)?
    for line in text.split(separator: "\n") {
      // proc(5): the fifth field is the place; after the dash comes the type.
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
      let place = fields[4]
      guard place == "/" || directory == place || directory.hasPrefix("\(place)/") else { continue }
      if place.utf8.count >= found?.length ?? 0 { found = (place.utf8.count, String(fields[dash + 1])) }
    }
    return found?.type
  }

  private static func kind(of status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFREG: "a file"
    case S_IFCHR, S_IFBLK: "a device"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    default: "something else"
    }
  }

  /// The `errno` of writing another page if there is no space; `nil` if there is.
  ///
  /// Called when SQLite reports only that a write failed: it does not keep the system's error of a commit.
  var lackOfRoom: Int32? {
    let page = 8192
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max {
      for path in [path, walPath, sharedMemoryPath] {
        var status = stat()
        if stat(path, &status) == 0, UInt64(max(0, status.st_size)) + UInt64(page) > UInt64(limit.rlim_cur) {
          return EFBIG
        }
      }
    }
    var system = statvfs()
    if statvfs(path, &system) == 0, UInt64(system.f_bavail) * UInt64(system.f_frsize) < UInt64(page) {
      return ENOSPC
    }
    return nil
  }
}
