import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit
import TestTraits
import Testing

@Suite(.ownThread) struct CollectorLockTests {
  @Test func refusesASecondCollectorAndNamesTheFirst() throws {
    let fixture = try StoreFixture()
    let before = try fixture.reader().revision()
    let error = #expect(throws: StoreError.self) { try fixture.reopened() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == ProcessInfo.processInfo.processIdentifier)
    #expect(error?.description.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
    // The first one's run was not taken for a dead one's.
    #expect(try fixture.reader().revision() == before)
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
    fixture.store.close()
    try fixture.reopened().close()
  }

  @Test func readersSeeWhetherACollectorIsThere() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    let presence = try reader.collector()
    #expect(presence.isRunning)
    #expect(presence.holder == ProcessInfo.processInfo.processIdentifier)
    // Looking does not take the lock away.
    #expect(throws: StoreError.self) { try fixture.reopened() }
    fixture.store.close()
    #expect(try reader.collector().isRunning == false)
    #expect(try reader.collector().lastHeartbeat == fixture.clock.wallNow())
  }

  /// Another process, another language, the kernel's other kind of record lock: they exclude each other all the same.
  @Test(.enabled(if: Python.isUsable)) func excludesAnotherProcess() throws {
    let fixture = try StoreFixture()
    #expect(
      try Python.run(Self.tryLock, arguments: [fixture.directory.storePath + ".lock"]) == "held"
    )
    fixture.store.close()
    #expect(
      try Python.run(Self.tryLock, arguments: [fixture.directory.storePath + ".lock"]) == "free"
    )
  }

  @Test(.enabled(if: Python.isUsable)) func isGivenBackByDeathAlone() throws {
    let fixture = try StoreFixture()
    fixture.store.close()
    let other = try Python.start(Self.holdLock, arguments: [fixture.directory.storePath + ".lock"])
    try eventually("it holds the lock", seen: { other.standardError }) { other.lines == ["ready"] }
    let error = #expect(throws: StoreError.self) { try fixture.reopened() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == other.pid)
    try other.kill()
    try fixture.reopened().close()
  }

  @Test func aStoreHasOneLockUnderAllItsNames() throws {
    let fixture = try StoreFixture()
    let manager = FileManager.default
    let link = fixture.directory.file("link.sqlite")
    try manager.createSymbolicLink(atPath: link, withDestinationPath: "test.sqlite")
    let folder = fixture.directory.file("folder")
    try manager.createSymbolicLink(atPath: folder, withDestinationPath: fixture.directory.path)
    for name in [link, folder + "/test.sqlite", folder + "/folder/link.sqlite"] {
      #expect(throws: StoreError.self) { try fixture.reopened(name) }
      #expect(try StoreReader.open(at: name).collector().isRunning)
    }
    #expect(!fixture.directory.names.contains { $0.hasPrefix("link.sqlite.") })
    fixture.store.close()
  }

  /// SQLite makes the file that a dangling link names, so the lock belongs beside that one.
  @Test func aLinkToAStoreThatIsNotThereYetNamesIt() throws {
    let directory = try TemporaryDirectory()
    let link = directory.file("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "below/test.sqlite")
    let store = try CollectorStore.open(
      at: link, clock: SteppedHostClock(), options: .init(bootID: StoreFixture.bootID))
    #expect(store.path.hasSuffix("/below/test.sqlite"))
    #expect(FileManager.default.fileExists(atPath: directory.file("below/test.sqlite.lock")))
    store.close()
  }

  @Test func aFileWithTwoHardLinksIsRefused() throws {
    let fixture = try StoreFixture()
    let other = fixture.directory.file("other.sqlite")
    try FileManager.default.linkItem(atPath: fixture.directory.storePath, toPath: other)
    let before = try fixture.directory.bytes("test.sqlite")
    for open in [
      { _ = try fixture.reopened(other) }, { _ = try StoreReader.open(at: other) },
      {
        _ = try ControlClient(storePath: other, clock: fixture.clock).submit(.rename(fixture.run, name: "x"))
      },
    ] {
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(error?.code == .severalNames)
    }
    #expect(try fixture.directory.bytes("test.sqlite") == before)
    #expect(
      fixture.directory.names == ["other.sqlite", "test.sqlite"]
        + ["-shm", "-wal", ".lock"].map { "test.sqlite\($0)" })
    // The collector that has it goes on.
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
    fixture.store.close()
  }

  @Test(.enabled(if: Python.isUsable)) func aLockFileThatWasRemovedIsLockedAgain() throws {
    let fixture = try StoreFixture()
    let path = fixture.directory.storePath + ".lock"
    try FileManager.default.removeItem(atPath: path)
    try fixture.commit()
    #expect(try Python.run(Self.tryLock, arguments: [path]) == "held")
    #expect(try fixture.reader().collector().holder == ProcessInfo.processInfo.processIdentifier)
    fixture.store.close()
    #expect(try Python.run(Self.tryLock, arguments: [path]) == "free")
  }

  /// Somebody else may hold it for a moment, to find that the store is written; who keeps it is another collector.
  @Test(.enabled(if: Python.isUsable)) func aStoreThatIsTakenOverIsGivenUp() throws {
    let fixture = try StoreFixture()
    let path = fixture.directory.storePath + ".lock"
    try FileManager.default.removeItem(atPath: path)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let other = try Python.start(Self.holdLock, arguments: [path])
    try eventually("it holds the lock", seen: { other.standardError }) { other.lines == ["ready"] }
    try fixture.commit()
    fixture.clock.advance(by: .seconds(4))
    try fixture.commit()
    fixture.clock.advance(by: .seconds(2))
    let error = #expect(throws: StoreError.self) { try fixture.commit() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == other.pid)
    try other.kill()
    fixture.store.close()
  }

  private static let tryLock = """
    import fcntl, sys
    lock = open(sys.argv[1], "r+")
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("free", end="")
    except OSError:
        print("held", end="")
    """

  private static let holdLock = """
    import fcntl, os, sys
    lock = open(sys.argv[1], "r+")
    fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    print("ready", flush=True)
    sys.stdin.read()
    """
}
