import Glibc
import Measurement
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Store

@Suite struct LogSyncTests {
  /// Counts calls, and fails when it is told to.
  private final class Disk: Sendable {
    private let state = Mutex((calls: [Int32](), failure: Int32(0)))

    var calls: [Int32] { state.withLock(\.calls) }

    func fail(_ code: Int32) { state.withLock { $0.failure = code } }

    func sync(_ descriptor: Int32) -> Int32 {
      state.withLock { state in
        state.calls.append(descriptor)
        errno = state.failure
        return state.failure == 0 ? 0 : -1
      }
    }
  }

  private let directory: TemporaryDirectory
  private let clock = SteppedHostClock()
  private let disk = Disk()
  private let sync: LogSync

  init() throws {
    directory = try TemporaryDirectory()
    sync = LogSync(
      path: try directory.write("s.sqlite-wal", "x"), clock: clock, sync: { [disk] in disk.sync($0) })
  }

  @Test("once a second at most, and only after a commit")
  func interval() throws {
    try sync.run()
    #expect(disk.calls.isEmpty, "nothing was committed")
    sync.recordCommit()
    try sync.run()
    sync.recordCommit()
    clock.advance(by: .milliseconds(999))
    try sync.run()
    #expect(disk.calls.count == 1)
    clock.advance(by: .milliseconds(1))
    try sync.run()
    clock.advance(by: .seconds(5))
    try sync.run()
    #expect(disk.calls.count == 2, "nothing was committed since")
    #expect(Set(disk.calls).count == 1, "one descriptor, which stays open")
  }

  @Test("what could not be synced is tried again")
  func failure() throws {
    sync.recordCommit()
    disk.fail(EIO)
    let error = try #require(throws: StoreError.self) { try sync.run() }
    #expect(error.path.hasSuffix("s.sqlite-wal"))
    disk.fail(0)
    try sync.run()
    #expect(disk.calls.count == 1, "not before a second has passed")
    clock.advance(by: .seconds(1))
    try sync.run()
    try sync.run()
    #expect(disk.calls.count == 2)
  }

  @Test("a commit while the disk works is for the next sync")
  func meanwhile() throws {
    let sync = Mutex<LogSync?>(nil)
    let calls = Mutex(0)
    let made = LogSync(path: directory.file("s.sqlite-wal"), clock: clock) { _ in
      calls.withLock { $0 += 1 }
      sync.withLock { $0 }?.recordCommit()
      return 0
    }
    sync.withLock { $0 = made }
    made.recordCommit()
    for _ in 0..<3 {
      try made.run()
      clock.advance(by: .seconds(1))
    }
    sync.withLock { $0 = nil }
    #expect(calls.withLock { $0 } == 3)
  }

  @Test("each commit of a store is noted with normal durability; full syncs them itself")
  func store() throws {
    for (durability, syncs) in [(Durability.normal, true), (.full, false)] {
      let fixture = try StoreFixture(durability: durability)
      #expect((fixture.store.logSync != nil) == syncs)
      try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
      #expect(fixture.store.logSync?.hasUnsynced ?? false == syncs)
      try fixture.store.syncLog()
      #expect(fixture.store.logSync?.hasUnsynced ?? false == false)
    }
  }
}
