import Foundation
import GRDB
import Glibc
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct OpeningTests {
  private let directory: TemporaryDirectory
  private let clock = SteppedHostClock()

  init() throws { directory = try TemporaryDirectory() }

  private func collect(_ path: String) throws -> CollectorStore {
    try CollectorStore.open(at: path, clock: clock, options: .init(bootID: StoreFixture.bootID))
  }

  private func refusal(_ path: String, whenReading: Bool) -> StoreError? {
    #expect(throws: StoreError.self) {
      if whenReading { _ = try StoreReader.open(at: path) } else { _ = try collect(path) }
    }
  }

  @Test func makesDirectoriesAndFilesForTheOwnerAlone() throws {
    let store = try collect(directory.file("deep/er/test.sqlite"))
    #expect(try directory.mode("deep") == 0o700)
    #expect(try directory.mode("deep/er") == 0o700)
    for suffix in ["", "-wal", "-shm", ".lock"] {
      #expect(try directory.mode("deep/er/test.sqlite" + suffix) == 0o600, "\(suffix)")
    }
    store.close()
    #expect(try directory.mode("deep/er/test.sqlite") == 0o600)
  }

  @Test func takesOthersRightsFromAnExistingStore() throws {
    try collect(directory.storePath).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.storePath)
    let store = try collect(directory.storePath)
    for suffix in ["", "-wal", "-shm"] { #expect(try directory.mode("test.sqlite" + suffix) == 0o600) }
    store.close()
  }

  @Test func keepsItsIdentity() throws {
    let first = try collect(directory.storePath)
    let revision = try first.queue.read { try Int64.fetchOne($0, sql: "SELECT revision FROM meta") }
    first.close()
    clock.advance(by: .seconds(1_000))
    let second = try collect(directory.storePath)
    #expect(second.collectorID == first.collectorID)
    #expect(second.recovered.isEmpty)
    #expect(try second.queue.read { try Int64.fetchOne($0, sql: "SELECT revision FROM meta") } == revision)
    #expect(try StoreReader.open(at: directory.storePath).collectorID == first.collectorID)
  }

  @Test func readsAPathRelativeToTheWorkingDirectory() {
    let file = StoreFile(path: "some/where.sqlite")
    #expect(file.path == FileManager.default.currentDirectoryPath + "/some/where.sqlite")
    #expect(StoreFile(path: "/a/b").path == "/a/b")
  }

  @Test func saysWhatIsMissing() throws {
    #expect(refusal(directory.storePath, whenReading: true)?.code == .missing)
    #expect(directory.names.isEmpty)
    #expect(refusal(directory.storePath + "/below", whenReading: true)?.code == .missing)
  }

  @Test(arguments: [true, false])
  func refusesADirectory(whenReading: Bool) throws {
    let error = refusal(directory.path, whenReading: whenReading)
    #expect(error?.code == .isDirectory)
    #expect(error?.path == directory.path)
    #expect(error?.description.contains("--store") == true)
    #expect(directory.names.isEmpty)
  }

  @Test(arguments: [true, false])
  func refusesATextFile(whenReading: Bool) throws {
    let text = String(repeating: "not a database, but long enough for a header\n", count: 9)
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.storePath))
    #expect(refusal(directory.storePath, whenReading: whenReading)?.code == .notADatabase)
    #expect(try directory.bytes("test.sqlite") == Data(text.utf8))
    #expect(directory.names == ["test.sqlite"])
  }

  @Test(arguments: [true, false])
  func refusesWhatIsNoFile(whenReading: Bool) throws {
    #expect(refusal("/dev/null", whenReading: whenReading)?.code == .notADatabase)
  }

  /// Not a disk that fails, and not a store that is missing.
  @Test(arguments: [true, false])
  func refusesAPathThatNoFileCanHave(whenReading: Bool) throws {
    let file = directory.file("notes.txt")
    try Data("notes".utf8).write(to: URL(fileURLWithPath: file))
    for path in ["\(file)/s.sqlite", "\(file)/below/s.sqlite"] {
      let error = try #require(refusal(path, whenReading: whenReading))
      #expect(error.code == .unusablePath && error.path == path)
      #expect(error.detail.contains("\(file) is a file, not a directory"))
    }
    #expect(refusal("/dev/null/s.sqlite", whenReading: whenReading)?.detail.contains("is a device") == true)
    let long = directory.file(String(repeating: "x", count: 300))
    let tooLong = try #require(refusal(long, whenReading: whenReading))
    #expect(tooLong.code == .unusablePath && tooLong.detail.hasSuffix("its name is too long"))
    for (path, system) in [
      ("/proc/s.sqlite", "proc"), ("/proc/nowhere/s.sqlite", "proc"), ("/sys/s.sqlite", "sysfs"),
    ] {
      let error = try #require(refusal(path, whenReading: whenReading))
      #expect(error.code == .unusablePath && error.path.hasPrefix(path))
      #expect(error.detail.hasSuffix("which is of the file system \(system)"), "\(error)")
    }
  }

  @Test(arguments: [true, false])
  func refusesAnotherProgramsDatabase(whenReading: Bool) throws {
    try DatabaseQueue(path: directory.storePath).write {
      try $0.execute(sql: "CREATE TABLE song (title TEXT)")
    }
    let before = try directory.bytes("test.sqlite")
    #expect(refusal(directory.storePath, whenReading: whenReading)?.code == .notAStore)
    #expect(try directory.bytes("test.sqlite") == before)
  }

  @Test func readingAnEmptyFileSaysSo() throws {
    try Data().write(to: URL(fileURLWithPath: directory.storePath))
    #expect(refusal(directory.storePath, whenReading: true)?.code == .notAStore)
    try collect(directory.storePath).close()
    _ = try StoreReader.open(at: directory.storePath)
  }

  @Test(arguments: [true, false])
  func leavesANewerStoreUntouched(whenReading: Bool) throws {
    try collect(directory.storePath).close()
    try setVersion(StoreSchema.version + 1)
    let before = try directory.bytes("test.sqlite")
    let names = directory.names
    let error = refusal(directory.storePath, whenReading: whenReading)
    #expect(error?.code == .newerSchema)
    #expect(error?.detail.contains("\(StoreSchema.version + 1)") == true)
    #expect(try directory.bytes("test.sqlite") == before)
    #expect(directory.names == names)
  }

  /// A newer pushscope that was killed leaves its version in the WAL only: the file's own header still says an old one.
  @Test(arguments: [true, false])
  func leavesANewerStoreUntouchedWhoseVersionIsInTheLog(whenReading: Bool) throws {
    let store = try collect(directory.storePath)
    try store.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try store.queue.write { try $0.execute(sql: "PRAGMA user_version = \(StoreSchema.version + 3)") }
    let copy = try directory.killedCopy()
    store.close()
    let (database, log) = (try Data(contentsOf: url(copy)), try Data(contentsOf: url(copy + "-wal")))
    #expect(try StoreFile(path: copy).content() == .database)
    #expect(refusal(copy, whenReading: whenReading)?.code == .newerSchema)
    #expect(try Data(contentsOf: url(copy)) == database)
    #expect(try Data(contentsOf: url(copy + "-wal")) == log)
  }

  @Test func refusesAFileItsOwnerMadeReadOnly() throws {
    try collect(directory.storePath).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: directory.storePath)
    let error = refusal(directory.storePath, whenReading: false)
    #expect(error?.code == .readOnly)
    #expect(try directory.mode("test.sqlite") == 0o400)
    let reader = try StoreReader.open(at: directory.storePath)
    #expect(try reader.runs().isEmpty)
  }

  /// As on a read-only medium, where SQLite can make none of its files; names that mean something in a URI included.
  @Test func readsAStoreNobodyCanChange() throws {
    let path = directory.file("50% of #1?.sqlite")
    let fixture = try collect(path)
    fixture.close()
    let file = StoreFile(path: path)
    #expect(!file.hasLog)
    let reader = try StoreReader.open(file, at: file.immutableURI)
    #expect(reader.collectorID == fixture.collectorID)
    #expect(reader.path == path)
    #expect(!directory.names.contains { $0.hasSuffix("-shm") })
  }

  /// By somebody who may read the store and its directory, and write neither; in a process of its own, since root may
  /// write everywhere.
  @Test func readsAStoreInADirectoryThatMayNotBeWrittenTo() async throws {
    let run = try StoreFixture(directory: directory)
    try run.commit(inserted: run.plans(run.alpha, count: 3))
    run.store.close()
    for (name, mode) in [("", 0o555), ("/test.sqlite", 0o444)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: directory.path + name)
    }
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path) }
    let path = directory.storePath
    await #expect(processExitsWith: .success) { [path = path as String] in
      if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
      try #require(access(path + "-wal", F_OK) != 0 && open(path + "-wal", O_RDWR | O_CREAT, 0o600) < 0)
      let reader = try StoreReader.open(at: path)
      #expect(try reader.runs().count == 1)
      #expect(reader.isStillAt(path) && !reader.isStillAt("/dev/null"))
    }
  }

  @Test func saysThatAStoreIsDamaged() throws {
    let fixture = try StoreFixture(directory: directory)
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 2_000))
    fixture.store.close()
    let handle = try FileHandle(forUpdating: url(directory.storePath))
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 80 * 4096))
    try handle.close()
    let error = #expect(throws: StoreError.self) {
      let reader = try StoreReader.open(at: directory.storePath)
      try reader.forEachSample(RowSelection()) { _ in }
    }
    #expect(error?.code == .corrupt)
  }

  @Test func anyCallFailsAfterClosing() throws {
    let fixture = try StoreFixture(directory: directory)
    fixture.store.close()
    fixture.store.close()
    #expect(throws: StoreError.self) { try fixture.commit() }
    let reader = try StoreReader.open(at: directory.storePath)
    reader.close()
    #expect(throws: StoreError.self) { try reader.runs() }
  }

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  private func setVersion(_ version: Int64) throws {
    let queue = try DatabaseQueue(path: directory.storePath)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA user_version = \(version)")
      _ = try db.checkpoint(.truncate)
    }
    try queue.close()
  }
}

/// A collector that is killed while its store is made leaves a rollback journal that is not played back yet. A reader
/// cannot do that; the next collector must.
@Suite struct HotJournalTests {
  @Test func aStoreKilledAtBirthIsOpenedAgain() throws {
    let directory = try TemporaryDirectory()
    let born = directory.storePath + "-born"
    let queue = try DatabaseQueue(path: born)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)")
      try db.execute(sql: "PRAGMA cache_size = 2")
      try db.inTransaction(.immediate) {
        try db.execute(sql: "CREATE TABLE half (bytes BLOB)")
        for _ in 0..<50 { try db.execute(sql: "INSERT INTO half VALUES (randomblob(3000))") }
        // More than the cache holds: the file is half-written, the journal knows how it was.
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: born + suffix, toPath: directory.storePath + suffix)
        }
        return .rollback
      }
    }
    chmod(directory.storePath, 0o600)
    let store = try CollectorStore.open(
      at: directory.storePath, clock: SteppedHostClock(), options: .init(bootID: StoreFixture.bootID))
    defer { store.close() }
    #expect(try store.queue.read { try $0.tableExists("half") } == false)
    #expect(try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    #expect(try StoreReader.open(at: directory.storePath).runs().isEmpty)
  }

  /// A process was killed in a transaction, as of a migration: a reader undoes it.
  @Test func aReaderSeesNoPartOfATransaction() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 2_000))
    let path = fixture.directory.storePath
    fixture.store.close()
    let queue = try DatabaseQueue(path: path)
    let copy = fixture.directory.file("killed.sqlite")
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = delete")
      try db.execute(sql: "PRAGMA cache_size = 2")
      try db.inTransaction(.immediate) {
        try db.execute(sql: "UPDATE sample SET reason = 'half'")
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return .rollback
      }
    }
    chmod(copy, 0o600)
    let reader = try StoreReader.open(at: copy)
    var reasons = 0
    try reader.forEachSample(.everything) { row in row.withText(.reason) { reasons += $0 == nil ? 0 : 1 } }
    #expect(reasons == 0)
    #expect(!StoreFile(path: copy).hasJournal)
  }
}
