import Foundation
import Measurement
import Testing

@testable import Store

@Suite struct CollectorLockTests {
  @Test func refusesASecondCollectorAndNamesTheFirst() throws {
    let bench = try Bench()
    let before = try bench.reader().revision()
    let error = #expect(throws: StoreError.self) { try bench.reopened() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == ProcessInfo.processInfo.processIdentifier)
    #expect(error?.description.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
    // The first one's run was not taken for a dead one's.
    #expect(try bench.reader().revision() == before)
    try bench.commit(inserted: bench.plans(bench.alpha, count: 1))
    bench.store.close()
    try bench.reopened().close()
  }

  @Test func readersSeeWhetherACollectorIsThere() throws {
    let bench = try Bench()
    let reader = try bench.reader()
    let presence = try reader.collector()
    #expect(presence.isRunning)
    #expect(presence.holder == ProcessInfo.processInfo.processIdentifier)
    // Looking does not take the lock away.
    #expect(throws: StoreError.self) { try bench.reopened() }
    bench.store.close()
    #expect(try reader.collector().isRunning == false)
    #expect(try reader.collector().lastHeartbeat == bench.clock.wallNow())
  }

  /// Another process, another language, the kernel's other kind of record lock: they exclude each other all the same.
  @Test(.enabled(if: Python.isUsable)) func excludesAnotherProcess() throws {
    let bench = try Bench()
    #expect(
      String(decoding: try Python.run(Self.tryLock, [bench.scratch.store + ".lock"]), as: UTF8.self) == "held"
    )
    bench.store.close()
    #expect(
      String(decoding: try Python.run(Self.tryLock, [bench.scratch.store + ".lock"]), as: UTF8.self) == "free"
    )
  }

  @Test(.enabled(if: Python.isUsable)) func isGivenBackByDeathAlone() throws {
    let bench = try Bench()
    bench.store.close()
    let other = try Python.start(Self.holdLock, [bench.scratch.store + ".lock"])
    #expect(try other.output.read(upToCount: 6) == Data("ready\n".utf8))
    let error = #expect(throws: StoreError.self) { try bench.reopened() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == other.process.processIdentifier)
    kill(other.process.processIdentifier, SIGKILL)
    other.process.waitUntilExit()
    try bench.reopened().close()
  }

  @Test func aStoreHasOneLockUnderAllItsNames() throws {
    let bench = try Bench()
    let manager = FileManager.default
    let link = bench.scratch.file("link.sqlite")
    try manager.createSymbolicLink(atPath: link, withDestinationPath: "test.sqlite")
    let folder = bench.scratch.file("folder")
    try manager.createSymbolicLink(atPath: folder, withDestinationPath: bench.scratch.path)
    for name in [link, folder + "/test.sqlite", folder + "/folder/link.sqlite"] {
      #expect(throws: StoreError.self) { try bench.reopened(name) }
      #expect(try StoreReader.open(at: name).collector().isRunning)
    }
    #expect(!bench.scratch.names.contains { $0.hasPrefix("link.sqlite.") })
    bench.store.close()
  }

  /// SQLite makes the file that a dangling link names, so the lock belongs beside that one.
  @Test func aLinkToAStoreThatIsNotThereYetNamesIt() throws {
    let scratch = try Scratch()
    let link = scratch.file("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "below/test.sqlite")
    let store = try CollectorStore.open(
      at: link, clock: SteppedClock(), options: .init(bootID: Bench.bootID))
    #expect(store.path.hasSuffix("/below/test.sqlite"))
    #expect(FileManager.default.fileExists(atPath: scratch.file("below/test.sqlite.lock")))
    store.close()
  }

  @Test func aFileWithTwoHardLinksIsRefused() throws {
    let bench = try Bench()
    let other = bench.scratch.file("other.sqlite")
    try FileManager.default.linkItem(atPath: bench.scratch.store, toPath: other)
    let before = try bench.scratch.bytes("test.sqlite")
    for open in [
      { _ = try bench.reopened(other) }, { _ = try StoreReader.open(at: other) },
      {
        _ = try ControlClient(storePath: other, clock: bench.clock).submit(.rename(bench.run, name: "x"))
      },
    ] {
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(error?.code == .severalNames)
    }
    #expect(try bench.scratch.bytes("test.sqlite") == before)
    #expect(
      bench.scratch.names == ["other.sqlite", "test.sqlite"]
        + ["-shm", "-wal", ".lock"].map { "test.sqlite\($0)" })
    // The collector that has it goes on.
    try bench.commit(inserted: bench.plans(bench.alpha, count: 1))
    bench.store.close()
  }

  @Test(.enabled(if: Python.isUsable)) func aLockFileThatWasRemovedIsLockedAgain() throws {
    let bench = try Bench()
    let path = bench.scratch.store + ".lock"
    try FileManager.default.removeItem(atPath: path)
    try bench.commit()
    #expect(String(decoding: try Python.run(Self.tryLock, [path]), as: UTF8.self) == "held")
    #expect(try bench.reader().collector().holder == ProcessInfo.processInfo.processIdentifier)
    bench.store.close()
    #expect(String(decoding: try Python.run(Self.tryLock, [path]), as: UTF8.self) == "free")
  }

  /// Somebody else may hold it for a moment, to find that the store is written; who keeps it is another collector.
  @Test(.enabled(if: Python.isUsable)) func aStoreThatIsTakenOverIsGivenUp() throws {
    let bench = try Bench()
    let path = bench.scratch.store + ".lock"
    try FileManager.default.removeItem(atPath: path)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let other = try Python.start(Self.holdLock, [path])
    #expect(try other.output.read(upToCount: 6) == Data("ready\n".utf8))
    try bench.commit()
    bench.clock.advance(seconds: 4)
    try bench.commit()
    bench.clock.advance(seconds: 2)
    let error = #expect(throws: StoreError.self) { try bench.commit() }
    #expect(error?.code == .inUse)
    #expect(error?.holder == other.process.processIdentifier)
    kill(other.process.processIdentifier, SIGKILL)
    other.process.waitUntilExit()
    bench.store.close()
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
