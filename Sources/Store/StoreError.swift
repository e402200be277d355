import GRDB
import Glibc

/// An error of opening, reading or writing a store.
///
/// Its description is one sentence: the problem, the file, the remedy.
public struct StoreError: Error, Sendable, Equatable, Codable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is no such file.
    case missing
    /// The path names a directory.
    case isDirectory
    /// No file can have the path: a part of it is no directory, its file system takes no files, or it is too long.
    case unusablePath
    /// The file is not an SQLite database.
    case notADatabase
    /// An SQLite database, but not a pushscope store, or an empty one.
    case notAStore
    /// Written by a newer pushscope; not changed.
    case newerSchema
    /// Written by a version before 0.1.0; not changed.
    case outdatedSchema
    /// SQLite reports that the file is damaged.
    case corrupt
    /// The file has more than one hard link: SQLite's log and the lock belong to one name only.
    case severalNames
    /// The open file was moved, deleted or replaced.
    case replaced
    /// Another collector holds the store; see ``StoreError/holder``.
    case inUse
    /// The file or its directory may not be read or written by this user.
    case permissionDenied
    /// The file or its file system is read-only.
    case readOnly
    /// A file is not overwritten.
    case destinationExists
    /// There is no space left. Nothing was written.
    case diskFull
    /// Another program held a lock on the database for too long.
    case busy
    /// The system refused a read or write for another reason.
    case ioFailure
    /// All target ids, over all runs, are used.
    case identifiersExhausted
    /// A row conflicts with a stored one, e.g. has the same key.
    case conflict
    /// The store has no such run.
    case unknownRun
    case unknownFinding
    /// The run has no such target.
    case unknownTarget
    /// A run that is being recorded cannot be deleted.
    case runInProgress
    /// No collector is running.
    case noCollector
    /// More than ``ControlCommand/longestName`` bytes.
    case nameTooLong
    /// A run cannot be called ``ControlCommand/reservedName``.
    case reservedName
    /// The store was closed before.
    case closed
  }

  public var code: Code
  /// The file it concerns.
  public var path: String
  /// The problem, in lower case and without a full stop.
  public var detail: String
  /// The remedy.
  public var remedy: String
  /// The process that holds the store, with ``Code/inUse``, when it could be read.
  public var holder: Int32?
  /// The user that the file belongs to and who may do what this one may not, with ``Code/permissionDenied`` and ``Code/readOnly``.
  public var owner: String?

  public init(_ code: Code, path: String, detail: String, remedy: String, holder: Int32? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.remedy = remedy
    self.holder = holder
  }

  /// Whether the same call may succeed later. A failed commit wrote nothing, so the same batch can be committed again.
  public var isTransient: Bool {
    switch code {
    case .diskFull, .busy, .ioFailure: true
    default: false
    }
  }

  /// Whether writes no longer reach the file with the store's name, or another collector writes to it too.
  public var isStoreLost: Bool { code == .replaced || code == .inUse }

  /// Whether the file, its directory or its file system is not writable. SQLite reports one or the other code,
  /// depending on the file that it cannot create.
  var isLackOfRights: Bool { code == .permissionDenied || code == .readOnly }

  public var description: String { "\(detail): \(path); \(remedy)" }
}

extension StoreError {
  /// Converts an error of SQLite.
  init(_ error: DatabaseError, path: String) {
    let words = error.message ?? "SQLite says \(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_IOERR where StoreFile(path: path).lackOfRoom != nil:
      // SQLite does not report a file size limit as a full disk.
      self.init(errno: StoreFile(path: path).lackOfRoom ?? ENOSPC, path: path)
    case .SQLITE_NOTADB:
      self = .notADatabase(path)
    case .SQLITE_CORRUPT:
      self.init(
        .corrupt, path: path, detail: "the store is damaged (\(words))",
        remedy: "copy it, then try: sqlite3 FILE .recover")
    case .SQLITE_FULL:
      self.init(
        .diskFull, path: path, detail: "no room left to write the store",
        remedy: "free some disk space; nothing was written")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(
        .busy, path: path, detail: "another program holds a lock on the store",
        remedy: "end its transaction and try again")
    case .SQLITE_READONLY:
      self = .readOnly(path)
    case .SQLITE_PERM, .SQLITE_AUTH:
      self = .permissionDenied(path)
    case .SQLITE_CONSTRAINT:
      self.init(
        .conflict, path: path, detail: "a row conflicts with the content of the store (\(words))",
        remedy: "please report it")
    case .SQLITE_CANTOPEN where access(path, W_OK) != 0 && StoreFile.otherOwner(of: path) != nil:
      self = .permissionDenied(path)
    case .SQLITE_CANTOPEN:
      self.init(
        .permissionDenied, path: path, detail: "SQLite cannot open the store or the files beside it",
        remedy: "give this user read and write access to the file and its directory")
    default:
      self.init(
        .ioFailure, path: path, detail: "the store could not be read or written (\(words))",
        remedy: "look at the disk and the system's log")
    }
  }

  /// Converts an error of a system call.
  init(errno code: Int32, path: String) {
    switch code {
    case ENOENT: self = .missing(path)
    case EISDIR: self = .isDirectory(path)
    case EACCES, EPERM: self = .permissionDenied(path)
    case EROFS: self = .readOnlyFileSystem(path)
    case ENOTDIR, ENAMETOOLONG, ELOOP, EINVAL: self = .unusablePath(path, errno: code)
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .diskFull, path: path,
        detail: "no room left to write the store (\(String(cString: strerror(code))))",
        remedy: code == EFBIG
          ? "raise the limit on the size of files (ulimit -f)" : "free some disk space or raise the quota")
    default:
      self.init(
        .ioFailure, path: path, detail: String(cString: strerror(code)),
        remedy: "look at the disk and the system's log")
    }
  }

  static func missing(_ path: String) -> StoreError {
    StoreFile.isOfKernel(path)
      ? unusablePath(path, errno: ENOENT)
      : StoreError(
        .missing, path: path, detail: "there is no store",
        remedy: "start `pushscope collect` first, or name another file with --store")
  }

  static func isDirectory(_ path: String) -> StoreError {
    StoreError(
      .isDirectory, path: path, detail: "the store must be a file, not a directory",
      remedy: "name a file in it, e.g. --store \(path)/pushscope.sqlite")
  }

  static func notADatabase(_ path: String) -> StoreError {
    StoreError(
      .notADatabase, path: path, detail: "the file is not an SQLite database",
      remedy: "name another file with --store; this one is left as it is")
  }

  static func notAStore(_ path: String, _ detail: String) -> StoreError {
    StoreError(
      .notAStore, path: path, detail: detail,
      remedy: "name another file with --store, or start `pushscope collect` first")
  }

  static func newerSchema(_ path: String, version: Int64) -> StoreError {
    StoreError(
      .newerSchema, path: path,
      detail:
        "the store has schema version \(version), and this pushscope knows \(StoreSchema.version) at most",
      remedy: "use the newer pushscope that wrote it; it is left as it is")
  }

  static func outdatedSchema(_ path: String, version: Int64) -> StoreError {
    StoreError(
      .outdatedSchema, path: path,
      detail:
        "the store has schema version \(version), and this pushscope reads version \(StoreSchema.oldest) and later ones",
      remedy:
        "open it once with pushscope 0.1.0: pushscope runs list --store \(path)")
  }

  static func directoryNotMade(_ directory: String, path: String, errno code: Int32) -> StoreError {
    // An existing directory that knows no such name, like one of proc.
    if code == ENOENT || code == ENOTDIR { return .unusablePath(path, errno: code) }
    return StoreError(
      code == EROFS ? .readOnly : .permissionDenied, path: path,
      detail: "the directory \(directory) cannot be created (\(String(cString: strerror(code))))",
      remedy: "give this user write access to the directory above it, or name another file with --store")
  }

  /// Converts the error of creating a file in a directory that exists, which a file system like proc answers with "no such file".
  static func notCreated(_ path: String, errno code: Int32) -> StoreError {
    if code == ENOENT { return unusablePath(path, errno: code) }
    guard code == EACCES, !StoreFile.isOfKernel(path) else { return StoreError(errno: code, path: path) }
    // The number, since a container need not know a name of its user.
    return StoreError(
      .permissionDenied, path: path,
      detail: "the user #\(geteuid()) may not create files in the directory of the store",
      remedy:
        "give the directory to that user (chown \(geteuid()) DIRECTORY), or name another file with --store")
  }

  static func unusablePath(_ path: String, errno code: Int32) -> StoreError {
    let names = path.split(separator: "/").map(\.utf8.count)
    let reason =
      code == ENAMETOOLONG
      ? "its \(names.contains { $0 > NAME_MAX } ? "name" : "path") is too long"
      : StoreFile.obstacle(to: path) ?? String(cString: strerror(code))
    return StoreError(
      .unusablePath, path: path, detail: "there can be no store here: \(reason)",
      remedy: "name a file in a directory of this host with --store")
  }

  static func permissionDenied(_ path: String) -> StoreError {
    if StoreFile.isOfKernel(path) { return unusablePath(path, errno: EPERM) }
    return ownersOnly(path)
      ?? StoreError(
        .permissionDenied, path: path, detail: "this user may not access the store",
        remedy: "run as its owner, or name another file with --store")
  }

  /// Access that the owner of the file has, and this process has not; `nil` where it is the owner's too.
  private static func ownersOnly(_ path: String) -> StoreError? {
    guard let owner = StoreFile.otherOwner(of: path) else { return nil }
    let isReadable = access(path, R_OK) == 0
    var error = StoreError(
      .permissionDenied, path: path,
      detail: isReadable
        ? "the store belongs to the user \(owner), who alone may write to it"
        : "the store belongs to the user \(owner), and this user may not read it",
      remedy: "run the command as that user (sudo -u \(owner) pushscope …), or name another file with --store"
    )
    error.owner = owner
    return error
  }

  static func notInGroup(_ group: UInt32, path: String) -> StoreError {
    StoreError(
      .permissionDenied, path: path,
      detail: "this user cannot give the store to group \(group) (collector.store_group)",
      remedy: "make the user a member of the group, or name another group")
  }

  static func readOnly(_ path: String) -> StoreError {
    ownersOnly(path)
      ?? StoreError(
        .readOnly, path: path, detail: "the store is read-only",
        remedy: "make it writable (chmod u+w), or name another file with --store")
  }

  /// The mode of the file does not matter there.
  static func readOnlyFileSystem(_ path: String) -> StoreError {
    StoreError(
      .readOnly, path: path, detail: "the store is on a read-only file system",
      remedy: "mount it writable (in a container: a volume), or name another file with --store")
  }

  static func inUse(_ path: String, holder: Int32?) -> StoreError {
    let who = holder.map { " (process \($0))" } ?? ""
    return StoreError(
      .inUse, path: path, detail: "another collector\(who) is using the store",
      remedy: "stop it, or name another file with --store", holder: holder)
  }

  static func severalNames(_ path: String, count: Int) -> StoreError {
    StoreError(
      .severalNames, path: path,
      detail: "the store has \(count) names (hard links), and SQLite keeps a log for each name",
      remedy: "keep one (find DIRECTORY -samefile FILE lists them); for a second name make a symbolic link")
  }

  /// - Parameter what: the file that was moved, deleted or replaced.
  static func replaced(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .replaced, path: path, detail: "\(what) was moved, deleted or replaced while the collector wrote it",
      remedy: "put it back or choose another file with --store, and start the collector again")
  }

  /// The lock file was removed, and another collector has locked a new one.
  static func takenOver(_ path: String, holder: Int32?) -> StoreError {
    let who = holder.map { " (process \($0))" } ?? ""
    return StoreError(
      .inUse, path: path,
      detail: "the store's lock file was removed, and another collector\(who) has taken the store",
      remedy: "never remove the lock file; stop the other collector, and start this one again", holder: holder
    )
  }

  static func unknownRun(_ run: String, path: String) -> StoreError {
    StoreError(
      .unknownRun, path: path, detail: "the store has no run \(run)",
      remedy: "`pushscope runs list` shows them")
  }

  static func unknownFinding(_ id: String, path: String) -> StoreError {
    StoreError(
      .unknownFinding, path: path, detail: "the store has no finding \(id)",
      remedy: "`pushscope findings` shows them")
  }

  static func unknownTarget(_ name: String, path: String) -> StoreError {
    StoreError(
      .unknownTarget, path: path, detail: "the run has no target \"\(name)\"",
      remedy: "see: pushscope runs show")
  }

  static func runInProgress(_ run: String, path: String) -> StoreError {
    StoreError(
      .runInProgress, path: path, detail: "run \(run) is being recorded", remedy: "stop it first")
  }

  static func noCollector(_ path: String) -> StoreError {
    StoreError(
      .noCollector, path: path, detail: "no collector is running on the store",
      remedy: "start one: pushscope collect")
  }

  static func nameTooLong(_ name: String, path: String) -> StoreError {
    StoreError(
      .nameTooLong, path: path, detail: "a run's name of \(name.utf8.count) bytes is too long",
      remedy: "give at most \(ControlCommand.longestName)")
  }

  static func reservedName(_ path: String) -> StoreError {
    StoreError(
      .reservedName, path: path,
      detail: "a run cannot be named \"\(ControlCommand.reservedName)\", which always means the newest run",
      remedy: "give another name")
  }

  static func olderSchema(_ path: String, version: Int64, _ cause: StoreError) -> StoreError {
    StoreError(
      cause.code, path: path,
      detail: "the store has schema version \(version) and could not be migrated to \(StoreSchema.version) "
        + "(\(cause.detail))",
      remedy: cause.remedy, holder: cause.holder)
  }

  static func closed(_ path: String) -> StoreError {
    StoreError(.closed, path: path, detail: "the store was closed", remedy: "open it again")
  }

  /// Runs `body` and converts SQLite's errors to ``StoreError``.
  static func wrapping<T>(path: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    }
  }
}
