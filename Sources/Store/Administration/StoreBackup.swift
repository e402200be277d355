import FoundationEssentials
import GRDB
import Glibc
import Measurement

/// Copies a store while a collector writes to it, by SQLite's online backup.
///
/// The copy is the store of one instant: one read transaction lasts for the whole copy, during which the write-ahead log grows.
/// It is written beside its final name and renamed when it is complete and on disk.
public struct StoreBackup: Sendable {
  private let source: String
  private let destination: StoreFile
  private let clock: any HostClock

  public init(of source: String, to destination: String, clock: any HostClock) {
    self.source = source
    self.destination = StoreFile(path: destination)
    self.clock = clock
  }

  /// 4 MiB at a time with the usual page size.
  private static let pagesPerStep: CInt = 1024

  /// - Parameters:
  ///   - replaces: an existing file is replaced, if it is a store that nobody has open.
  ///   - onProgress: told the part that is copied, 0 to 1.
  /// - Returns: bytes of the copy.
  /// - Throws: ``StoreError``. The existing file is then as it was.
  public func run(replaces: Bool, onProgress: (Double) -> Void) throws -> Int64 {
    let reader = try StoreReader.open(at: source)
    defer { reader.close() }
    do {
      return try copy(reader, replaces: replaces, onProgress)
    } catch let error as StoreError {
      throw error.ofCopy(destination.path)
    }
  }

  private func copy(_ reader: StoreReader, replaces: Bool, _ onProgress: (Double) -> Void) throws -> Int64 {
    let lock = try claimDestination(replaces: replaces, source: reader)
    defer { withExtendedLifetime(lock) {} }
    let partial = StoreFile(path: destination.path + ".partial-\(getpid())")
    defer {
      for path in [partial.path, partial.walPath, partial.sharedMemoryPath, partial.path + "-journal"] {
        unlink(path)
      }
    }
    try partial.create()
    try copy(reader, to: partial, onProgress)
    let size = try sync(partial.path)
    if replaces { try retireDestination() }
    guard rename(partial.path, destination.path) == 0 else {
      throw StoreError(errno: errno, path: destination.path)
    }
    // The rename itself, as far as the file system takes it.
    _ = try? sync(
      String(destination.path[..<(destination.path.lastIndex(of: "/") ?? destination.path.startIndex)]) + "/")
    // Who may only read the store cannot; the copy is as good.
    try? recordBackup(source)
    return size
  }

  /// Tells `pushscope status` that there is a backup, whether or not a collector has the store.
  private func recordBackup(_ store: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.label = "pushscope.backup"
    let queue = try DatabaseQueue(path: StoreFile(path: store).path, configuration: configuration)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction {
      try Condition(.backup, since: clock.wallNow(), detail: destination.path).save($0)
    }
  }

  private func copy(_ reader: StoreReader, to partial: StoreFile, _ onProgress: (Double) -> Void) throws {
    try withoutActuallyEscaping(onProgress) { onProgress in
      let queue = try StoreError.wrapping(path: partial.path) { try DatabaseQueue(path: partial.path) }
      defer { try? queue.close() }
      try reader.read { source in
        // The transaction begins with the first row that is read; from then on nothing changes for this connection.
        _ = try StoreReader.revision(source)
        try StoreError.wrapping(path: partial.path) {
          try queue.writeWithoutTransaction { copy in
            try source.backup(to: copy, pagesPerStep: Self.pagesPerStep) { progress in
              onProgress(Double(progress.completedPageCount) / Double(max(1, progress.totalPageCount)))
            }
          }
        }
      }
    }
  }

  /// Refuses what must not be overwritten.
  /// - Returns: the collector's lock of the destination, where there is one already.
  private func claimDestination(replaces: Bool, source: StoreReader) throws -> CollectorLock? {
    guard try destination.content() != .missing else { return nil }
    guard replaces else {
      throw StoreError(
        .destinationExists, path: destination.path, detail: "the file exists",
        remedy: "name another one, or give --replace to replace a store that nobody has open")
    }
    if FileIdentity(path: destination.path) == source.identity?.file {
      throw StoreError(
        .destinationExists, path: destination.path, detail: "a store cannot be backed up to itself",
        remedy: "name another file")
    }
    // Before SQLite opens it and leaves files of this user beside it.
    guard access(destination.path, W_OK) == 0 else { throw StoreError(errno: errno, path: destination.path) }
    // Throws for anything but a store.
    guard try destination.content() == .database, try destination.checkThroughSQLite() > 0 else {
      throw StoreError.notAStore(destination.path, "the file is not a pushscope store, so it is not replaced")
    }
    let lock = try CollectorLock.acquire(forStore: destination.path)
    try refuseIfOpen()
    return lock
  }

  /// Only a connection that is alone may end the WAL mode. The log is then in the file, so that none is left beside the copy.
  private func refuseIfOpen() throws {
    try StoreError.wrapping(path: destination.path) {
      do {
        let queue = try DatabaseQueue(path: destination.path)
        defer { try? queue.close() }
        let mode = try queue.writeWithoutTransaction {
          try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE")
        }
        guard mode == "delete" else { throw StoreError.inUse(destination.path, holder: nil) }
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED
      {
        throw StoreError(
          .inUse, path: destination.path, detail: "a program has the store open, so it is not replaced",
          remedy: "end it (a dashboard, an export, a shell), or name another file")
      }
    }
  }

  /// Once more just before the file is replaced: a reader may have opened it meanwhile.
  private func retireDestination() throws {
    guard try destination.content() != .missing else { return }
    try refuseIfOpen()
  }

  /// Returns the file's size once it is on disk.
  private func sync(_ path: String) throws -> Int64 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno: errno, path: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, path: path) }
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }
}

extension StoreError {
  /// The error of a copy that cannot be written, in words for that and with a code for the destination; others as they are.
  func ofCopy(_ path: String) -> StoreError {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let directory = end == path.startIndex ? "/" : String(path[..<end])
    let another = "name a file in another directory"
    func failure(_ detail: String, _ remedy: String, _ code: Code) -> StoreError {
      StoreError(code, path: path, detail: detail, remedy: remedy)
    }
    switch code {
    case .diskFull:
      return failure(
        "no room left for the copy",
        "free some disk space, or name a file on another disk; an earlier copy is as it was", code)
    case .isDirectory:
      return failure("the copy must be a file, not a directory", "name a file in it", .destinationExists)
    case .missing, .unusablePath:
      guard access(directory, F_OK) == 0 else {
        return failure("there is no directory \(directory)", "make it, or \(another)", .unusablePath)
      }
      return failure(detail.replacing("no store here", with: "no copy here"), another, .unusablePath)
    case .notADatabase, .notAStore:
      return failure(
        "the file is not a pushscope store, so it is not replaced", "name another file", .destinationExists)
    case .newerSchema, .outdatedSchema, .corrupt:
      return self.path == path
        ? failure(detail + ", so it is not replaced", "name another file", .destinationExists) : self
    case .readOnly, .permissionDenied:
      guard access(directory, W_OK) != 0 else { return self }
      return failure(
        "no file can be made in \(directory): \(String(cString: strerror(errno)))", another, code)
    default: return self
    }
  }
}
