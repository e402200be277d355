import Foundation
import Measurement
import Synchronization
import TestKit
import Testing

@testable import Collector
@testable import Store

/// A service that only notes what it is asked.
private final class NotedControl: RunController {
  private struct State {
    var run: RunID?
    var reply = ControlReply.taken
    var asked: [String] = []
  }

  private let state = Mutex(State())

  var currentRun: RunID? { state.withLock { $0.run } }
  var asked: [String] { state.withLock { $0.asked } }

  func record(_ run: RunID?) { state.withLock { $0.run = run } }
  func reply(_ reply: ControlReply) { state.withLock { $0.reply = reply } }

  func requestStart(name: String?, row: Int64) -> ControlReply { note("start \(name ?? "-")") }
  func requestStop(row: Int64) -> ControlReply { note("stop") }

  private func note(_ what: String) -> ControlReply {
    state.withLock { state in
      state.asked.append(what)
      return state.reply
    }
  }
}

/// Maintenance of a store with one closed run of a hundred notifications.
private final class MaintenanceFixture {
  let directory: TemporaryDirectory
  let clock = SteppedHostClock()
  let store: CollectorStore
  let reader: StoreReader
  let client: ControlClient
  let run: RunID
  let control = NotedControl()
  let maintenance: StoreMaintenance

  init(
    staysAfterRun: Bool = true, policy: RetentionPolicy = .keepAll,
    onLine: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory("maintenance")
    let path = directory.file("store.sqlite")
    store = try CollectorStore.open(at: path, clock: clock, options: CollectorStoreOptions(bootID: "boot"))
    var generator = SystemRandomNumberGenerator()
    let id = RunID(at: clock.wallNow(), using: &generator)
    run = id
    let registration = try store.beginRun(
      RunDescription(
        id: id, name: "first", startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(),
        bootID: "boot",
        targets: [TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 1)]))
    let target = try #require(registration["a"]).id
    let (wall, monotonic) = (clock.wallNow(), clock.monotonicNow().microseconds)
    _ = try store.commit(
      WriteBatch(
        run: id,
        inserted: (1...100).map { (sequence: Int64) in
          var sample = Sample(
            id: SampleID(target: target, sequence: sequence), variant: .none,
            plannedAt: wall.advanced(byMicroseconds: sequence * 1_000_000),
            plannedMonotonic: monotonic + sequence * 1_000_000)
          sample.state = .missed
          return sample
        }))
    clock.advance(by: .seconds(200))
    try store.endRun(id, at: clock.wallNow(), reason: .completed)
    reader = try StoreReader.open(at: path)
    client = ControlClient(storePath: path, clock: clock)
    maintenance = StoreMaintenance(
      store: store, control: control, staysAfterRun: staysAfterRun,
      host: HostTime(clock: clock, bootID: "boot", isSynchronized: { true }), policy: { policy },
      onLine: onLine)
  }

  deinit {
    store.close()
  }

  /// Rounds until there is nothing more to do.
  func settle() throws {
    for _ in 0..<200 where try maintenance.round() == StoreMaintenance.interval { return }
    Issue.record("maintenance never comes to rest")
  }
}

@Suite("StoreMaintenance")
struct StoreMaintenanceTests {
  @Test func eachRoundSyncsTheLogWhenThatIsDue() throws {
    let fixture = try MaintenanceFixture()
    try fixture.settle()
    let sync = try #require(fixture.store.logSync)
    for _ in 0..<3 {
      fixture.clock.advance(by: .seconds(1))
      try fixture.store.recordPresence(staysAfterRun: true)
      #expect(sync.hasUnsynced)
      _ = try fixture.maintenance.round()
      #expect(!sync.hasUnsynced)
    }
  }

  @Test("a log that is pinned is told where the store has a maximum size, though there is nothing to delete")
  func pinnedLog() throws {
    let lines = Mutex<[String]>([])
    let fixture = try MaintenanceFixture(
      policy: RetentionPolicy(maximumSize: 1 << 40), onLine: { line in lines.withLock { $0.append(line) } })
    try fixture.settle()
    let reader = try RunningProcess(
      Programs.python,
      [
        "-c",
        """
        import sqlite3, sys
        store = sqlite3.connect(sys.argv[1], isolation_level=None)
        store.execute("BEGIN"); store.execute("SELECT count(*) FROM run").fetchone()
        print("reads", flush=True)
        sys.stdin.read()
        """, fixture.store.path,
      ], input: .open)
    try reader.waitFor(output: "reads")
    let text = String(repeating: "x", count: 4_000)
    for _ in 0..<3 {
      try fixture.store.record(
        (0..<500).map { _ in Event(at: fixture.clock.wallNow(), kind: .annotation, detail: text) },
        run: fixture.run)
    }
    for _ in 0..<3 {
      fixture.clock.advance(by: .seconds(11))
      try fixture.settle()
    }
    let told = lines.withLock { $0 }.filter { $0.contains("which maximum_size does not count") }
    #expect(told.count == 1, "\(lines.withLock { $0 })")
    #expect(told.first?.contains("(python") == true, "\(told)")
    _ = try reader.stop()
  }

  @Test("rolls up what was recorded, then rests")
  func rollsUp() throws {
    let fixture = try MaintenanceFixture()
    #expect(try fixture.reader.rollupsCoverTo() == nil)
    try fixture.settle()
    #expect(try fixture.reader.rollupsCoverTo() != nil)
  }

  @Test("a run is renamed and the asker told")
  func renames() throws {
    let fixture = try MaintenanceFixture()
    let ticket = try fixture.client.submit(.rename(fixture.run, name: "second"))
    #expect(try fixture.client.outcome(of: ticket) == .waiting)
    _ = try fixture.maintenance.round()
    #expect(try fixture.client.outcome(of: ticket) == .done)
    #expect(try fixture.reader.run(fixture.run)?.name == "second")
  }

  @Test("a run is deleted, whoever asks twice is told twice")
  func deletes() throws {
    let fixture = try MaintenanceFixture()
    let tickets = try (0..<2).map { _ in try fixture.client.submit(.delete(fixture.run)) }
    try fixture.settle()
    #expect(try tickets.map { try fixture.client.outcome(of: $0) } == [.done, .done])
    #expect(try fixture.reader.runs().isEmpty)
    #expect(try fixture.reader.rollupsCoverTo() != nil)
  }

  @Test("a wall clock that is days ahead deletes nothing, and both times are told")
  func holdsWhatIsOldTooSoon() throws {
    let lines = Mutex<[String]>([])
    let fixture = try MaintenanceFixture(
      policy: RetentionPolicy(ages: [.samples: .seconds(86_400)]),
      onLine: { line in lines.withLock { $0.append(line) } })
    try fixture.settle()
    let right = fixture.clock.wallNow()
    fixture.clock.stepWall(by: .seconds(3 * 86_400))
    // The hour of the notifications is over, and a day old by the wall clock.
    for _ in 0..<5 {
      fixture.clock.advance(by: .seconds(11))
      try fixture.settle()
    }
    let first = try #require(try fixture.reader.oldestPlannedTime())
    #expect(try fixture.reader.pruned().samples.map { $0 < first } ?? true)
    let told = lines.withLock { $0 }
    #expect(told.count == 1)
    let line = try #require(told.first)
    #expect(line.contains(right.advanced(byMicroseconds: 11_000_000).rfc3339) && line.contains("1 h"))
    #expect(try fixture.reader.retentionWait() != nil)
    // The clock lasts: an hour later it counts.
    for _ in 0..<400 {
      fixture.clock.advance(by: .seconds(10))
      try fixture.settle()
    }
    #expect(try fixture.reader.retentionWait() == nil)
    let words = lines.withLock { $0 }
    #expect(words.contains { $0.contains("takes the wall clock as right") })
  }

  @Test("the run that is recorded is not deleted")
  func refusesToDeleteTheRunningOne() throws {
    let fixture = try MaintenanceFixture()
    var generator = SystemRandomNumberGenerator()
    let running = RunID(at: fixture.clock.wallNow(), using: &generator)
    _ = try fixture.store.beginRun(
      RunDescription(
        id: running, startedAt: fixture.clock.wallNow(), startedMonotonic: fixture.clock.monotonicNow(),
        bootID: "boot", targets: []))
    fixture.control.record(running)
    let ticket = try fixture.client.submit(.delete(running))
    _ = try fixture.maintenance.round()
    guard case .refused(let reason) = try fixture.client.outcome(of: ticket) else {
      Issue.record("not refused")
      return
    }
    #expect(reason.contains("is being recorded"))
    #expect(try fixture.reader.run(running) != nil)
  }

  @Test("start and stop are the service's: asked once when taken, again when it was too early")
  func startAndStop() throws {
    let fixture = try MaintenanceFixture()
    fixture.control.reply(.later)
    let start = try fixture.client.submit(.start(name: "n"))
    _ = try fixture.maintenance.round()
    _ = try fixture.maintenance.round()
    #expect(fixture.control.asked == ["start n", "start n"])
    fixture.control.reply(.taken)
    _ = try fixture.maintenance.round()
    _ = try fixture.maintenance.round()
    #expect(fixture.control.asked.count == 3)
    #expect(try fixture.client.outcome(of: start) == .waiting)
    fixture.control.reply(.refused("not now"))
    let stop = try fixture.client.submit(.stop)
    _ = try fixture.maintenance.round()
    #expect(try fixture.client.outcome(of: stop) == .refused("not now"))
  }

  @Test("a row of the table that is no command is answered, not asked about for ever")
  func nonsense() throws {
    let fixture = try MaintenanceFixture()
    let ticket = try fixture.client.submit(.rename(fixture.run, name: "x"))
    try fixture.store.beginDeletion(of: fixture.run)
    _ = try fixture.maintenance.round()
    guard case .refused = try fixture.client.outcome(of: ticket) else {
      Issue.record("not refused")
      return
    }
  }

  @Test("an idle collector says each second that it lives; a busy one leaves that to its commits")
  func heartbeat() throws {
    let fixture = try MaintenanceFixture()
    try fixture.settle()
    let first = try fixture.reader.collector().lastHeartbeat
    #expect(try fixture.reader.collector().run == nil)
    fixture.clock.advance(by: .milliseconds(300))
    _ = try fixture.maintenance.round()
    #expect(try fixture.reader.collector().lastHeartbeat == first)
    fixture.clock.advance(by: .milliseconds(800))
    _ = try fixture.maintenance.round()
    let second = try fixture.reader.collector().lastHeartbeat
    #expect(second == fixture.clock.wallNow())
    fixture.control.record(fixture.run)
    _ = try fixture.maintenance.round()
    #expect(try fixture.reader.collector().servesControl)
    fixture.clock.advance(by: .seconds(5))
    _ = try fixture.maintenance.round()
    #expect(try fixture.reader.collector().lastHeartbeat == second)
  }
}
