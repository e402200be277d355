import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
import Measurement

/// Work on a store by hand: check, compact, take over.
public enum StoreAdministration {
  /// Checks the file's structure and what belongs together in it. Reads everything, and writes nothing.
  ///
  /// - Parameter onProgress: called a few times a second.
  /// - Returns: what is wrong, in sentences; empty for a sound store.
  /// - Throws: ``StoreError``; a file that is too damaged to be read as `corrupt` or `notADatabase`.
  public static func check(_ path: String, onProgress: @escaping @Sendable () -> Void) throws -> [String] {
    let reader = try StoreReader.open(at: path)
    defer { reader.close() }
    return try reader.read { db in
      try ProgressHandler.run(db, onProgress) {
        var problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        if !problems.isEmpty { return problems }
        let orphans = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
        for row in orphans.prefix(20) {
          let table = row[0] as String? ?? "?"
          let parent = row[2] as String? ?? "?"
          problems.append("a row of \(table) refers to a row of \(parent) that is missing")
        }
        return problems + (try wrongCounters(db))
      }
    }
  }

  /// The counters of each target have to be those of its rows, as far as retention has not deleted them.
  private static func wrongCounters(_ db: Database) throws -> [String] {
    guard try PrunedSpans.fetch(db).samples == nil else { return [] }
    let states = NotificationState.allCases.map(\.name).joined(separator: " + ")
    return try Row.fetchAll(
      db,
      sql: """
        SELECT t.name, r.uuid, ifnull((SELECT sum(\(states)) FROM tally y WHERE y.target_id = t.id), 0) AS counted,
          (SELECT count(*) FROM sample s WHERE s.id BETWEEN t.id << \(SampleID.sequenceBits)
            AND t.id << \(SampleID.sequenceBits) | \(SampleID.sequenceMask)) AS stored
        FROM target t JOIN run r ON r.id = t.run_id WHERE counted <> stored ORDER BY t.id LIMIT 20
        """
    ).map { row in
      let (name, run): (String, String) = (row[0], row[1])
      let (counted, stored): (Int64, Int64) = (row[2], row[3])
      return
        "target \(name) of run \(run) has \(CountText.text(stored, "notification")), and its counters say \(counted)"
    }
  }

  /// Writes the store anew, without unused pages, and so that it gives pages back to the file system from then on. No
  /// collector may have it.
  ///
  /// - Parameter onProgress: called a few times a second.
  /// - Returns: bytes of the file before and after.
  /// - Throws: ``StoreError``: `inUse`, `diskFull` when there is no room for a copy.
  public static func compact(
    _ path: String, clock: any HostClock, onProgress: @escaping @Sendable () -> Void
  ) throws -> (before: Int64, after: Int64) {
    try withStore(path, clock: clock) { store in
      let before = try store.size()
      try refuseWithoutRoom(for: before.used, at: store.path)
      try StoreError.wrapping(path: store.path) {
        try store.queue.inDatabase { db in
          try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
          try ProgressHandler.run(db, onProgress) { try db.execute(sql: "VACUUM") }
          _ = try? db.checkpoint(.truncate)
        }
      }
      return (before.file, try store.size().file)
    }
  }

  /// Gives the store a new collector id, for runs to come. Old runs keep theirs.
  ///
  /// - Returns: the ids before and after.
  /// - Throws: ``StoreError``: `inUse` while a collector has it.
  public static func adopt(_ path: String, clock: any HostClock) throws -> (before: UUID, after: UUID) {
    try withStore(path, clock: clock) { store in
      let id = UUID()
      try store.transaction { db, _ in
        try ForwardCursor.recordAdoption(of: store, db)
        try db.execute(sql: "UPDATE meta SET collector = ?", arguments: [id.uuidString.lowercased()])
      }
      return (store.collectorID, id)
    }
  }

  /// Opens a store that exists, as its only writer.
  /// - Throws: ``StoreError``: `missing`, `inUse` while a collector has it.
  public static func open(_ path: String, clock: any HostClock) throws -> CollectorStore {
    guard StoreReader.exists(path) else { throw StoreError.missing(StoreFile(path: path).path) }
    return try CollectorStore.open(
      at: path, clock: clock,
      options: CollectorStoreOptions(bootID: BootID.current() ?? UUID().uuidString, access: .kept))
  }

  /// Runs `body` with a store that exists, as its only writer.
  static func withStore<T>(_ path: String, clock: any HostClock, _ body: (CollectorStore) throws -> T) throws
    -> T
  {
    let store = try open(path, clock: clock)
    defer { store.close() }
    return try body(store)
  }

  /// The new file and the write-ahead log, through which it is written, exist beside the old file for a while.
  private static func refuseWithoutRoom(for bytes: Int64, at path: String) throws {
    var system = statvfs()
    guard statvfs(path, &system) == 0 else { return }
    let free = Int64(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
    guard free < 2 * bytes else { return }
    throw StoreError(
      .diskFull, path: path,
      detail:
        "compacting needs \(SizeText.text(2 * bytes)) beside the store, and \(SizeText.text(free)) are free",
      remedy: "free some disk space; nothing was written")
  }
}

extension StoreReader {
  /// Whether there is a file.
  static func exists(_ path: String) -> Bool { access(StoreFile(path: path).path, F_OK) == 0 }
}

/// Calls back while SQLite runs a long statement.
enum ProgressHandler {
  private final class Callback {
    let call: @Sendable () -> Void
    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }

  /// Instructions of SQLite's virtual machine between two calls: some milliseconds.
  private static let interval: Int32 = 1_000_000

  static func run<T>(_ db: Database, _ onProgress: @escaping @Sendable () -> Void, _ body: () throws -> T)
    rethrows -> T
  {
    let callback = Callback(onProgress)
    sqlite3_progress_handler(
      db.sqliteConnection, interval,
      { context in
        if let context { Unmanaged<Callback>.fromOpaque(context).takeUnretainedValue().call() }
        return 0
      }, Unmanaged.passUnretained(callback).toOpaque())
    defer {
      sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
      withExtendedLifetime(callback) {}
    }
    return try body()
  }
}
