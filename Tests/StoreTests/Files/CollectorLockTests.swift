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
