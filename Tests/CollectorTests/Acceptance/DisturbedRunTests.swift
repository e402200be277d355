import Configuration
import Foundation
import GRDB
import Measurement
import TestKit
import Testing

@testable import Collector
@testable import Store
@testable import Transport

/// A whole collector in simulated time whose store fills up, or whose clocks jump, in the middle of a run: nothing is
/// lost silently, and nothing is sent in a bunch. (The end-to-end suite does what it can of it to the real process.)
@Suite("A disturbed run") struct DisturbedRunTests {
  private static func run(seed: Int = 1, deadline: Duration = .seconds(2)) throws -> SimulatedRun {
    var service = SimulatedService(delay: .constant(.milliseconds(3)))
    service.device = SimulatedService.Device(lost: 0.05, duplicated: 0.02, rejected: 0.05)
    return try SimulatedRun(
      rate: 100, length: .seconds(20), service: service, deadline: deadline, maxLag: .seconds(1),
      seed: UInt64(seed))
  }

  private func limitPages(of store: CollectorStore, room: Int?) throws {
    try store.queue.writeWithoutTransaction { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(room.map { pages + $0 } ?? 1_000_000)")
    }
  }

  /// Sequences without gaps, every state an end, and no send that the store does not know of.
  private func expectAccounted(_ samples: [Sample], _ run: SimulatedRun) {
    #expect(samples.map(\.id.sequence) == (1...Int64(samples.count)).map { $0 }, "no gaps")
    #expect(samples.allSatisfy { $0.state.isSettled })
    #expect(run.sent.isSubset(of: Set(samples.map(\.id.sequence))), "what was sent is in the store")
  }

  @Test("SQLite's page limit: what was due meanwhile is missed, then it goes on", arguments: [0, 4, 9])
  func pageLimit(room: Int) throws {
    let run = try Self.run()
    let store = run.fixture.store
    let begin = run.fixture.clock.monotonicNow()
    var (isFull, wasFull) = (false, false)
    try run.run { now in
      if !wasFull, now >= begin + .seconds(5) {
        try? limitPages(of: store, room: room)
        (isFull, wasFull) = (true, true)
      } else if isFull, now >= begin + .seconds(12) {
        try? limitPages(of: store, room: nil)
        isFull = false
      }
      return false
    }
    #expect(wasFull && !isFull)
    #expect(run.refusedCommits >= 3)
    try run.close()
    let samples = try run.samples()
    expectAccounted(samples, run)
    #expect(samples.count == 2000)
    let missed = samples.filter { $0.state == .missed }
    #expect(missed.count > 200)
    #expect(missed.allSatisfy { $0.reason == MissedReason.lag.rawValue })
    #expect(samples.count { $0.scheduleLag != nil } == run.sent.count)
    expectNoBunch(run)
    // Whoever got a receipt in posted it until it was stored.
    let lost = samples.filter { $0.state == .lost }.map(\.id.sequence)
    #expect(Set(lost).isDisjoint(with: run.receipts))
    #expect(try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test("killed while the store was full, all is accounted for after the restart", arguments: 0..<4)
  func killedWhileFull(seed: Int) throws {
    let run = try Self.run(seed: seed)
    let fixture = run.fixture
    let begin = fixture.clock.monotonicNow()
    var isFull = false
    try run.run { now in
      if !isFull, now >= begin + .seconds(4) {
        try? limitPages(of: fixture.store, room: seed * 5)
        isFull = true
      }
      return now >= begin + .seconds(4) + .milliseconds(900 * (seed + 2))
    }
    #expect(run.refusedCommits > 0)
    let left = fixture.directory.url.appendingPathComponent("left")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try FileManager.default.copyItem(
        at: fixture.directory.url.appendingPathComponent(name), to: left.appendingPathComponent(name))
    }
    let path = left.appendingPathComponent("store.sqlite").path
    let store = try CollectorStore.open(
      at: path, clock: fixture.clock, options: CollectorStoreOptions(bootID: "boot"))
    defer { store.close() }
    var samples: [Sample] = []
    try StoreReader.open(at: path).forEachSample(RowSelection(run: fixture.run)) { samples.append($0.sample) }
    expectAccounted(samples, run)
    #expect(samples.count { $0.state == .interrupted } > 0)
    #expect(try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  /// After a disturbance at most the newest of what was overdue goes out, and then the plan's own pace.
  private func expectNoBunch(_ run: SimulatedRun) {
    let late = run.sends.filter { $0.lag > ScheduleLimits().stallTolerance }
    #expect(late.count <= 1 + run.refusedCommits)
    for (index, send) in run.sends.enumerated() where index >= 20 {
      let before = run.sends[index - 20].at
      #expect(send.at - before >= .milliseconds(85), "20 in \(send.at - before) at 100/s")
    }
  }

  @Test("the monotonic clock jumps: overdue plans are missed, never bunched", arguments: [2, 30] as [Int64])
  func jump(seconds: Int64) throws {
    let run = try Self.run(deadline: .seconds(60))
    let clock = run.fixture.clock
    let begin = clock.monotonicNow()
    var hasJumped = false
    try run.run { now in
      if !hasJumped, now >= begin + .seconds(5) {
        clock.advance(by: .seconds(seconds))
        hasJumped = true
      }
      return false
    }
    try run.close()
    let samples = try run.samples()
    expectAccounted(samples, run)
    #expect(samples.count == 2000)
    expectNoBunch(run)
    let expected = min(Int(seconds) * 100, 1530)
    let missed = samples.count { $0.state == .missed }
    #expect(abs(missed - expected) <= 30, "\(missed) missed")
  }

  @Test("the host sleeps and the wall clock is set: intervals do not notice, events tell")
  func stepsAndSleep() throws {
    let run = try Self.run()
    let clock = run.fixture.clock
    let begin = clock.monotonicNow()
    var done = 0
    try run.run { now in
      let due = [4, 8, 12].map { begin + .seconds($0) }
      guard done < due.count, now >= due[done] else { return false }
      switch done {
      case 0: clock.stepWall(by: .seconds(-3600))
      case 1: clock.suspend(for: .seconds(600))
      default: clock.stepWall(by: .seconds(7200))
      }
      done += 1
      return false
    }
    try run.close()
    let samples = try run.samples()
    expectAccounted(samples, run)
    #expect(samples.count == 2000)
    #expect(samples.count { $0.state == .missed } == 0, "our clock stood still with the host")
    expectNoBunch(run)
    for sample in samples {
      if let accept = sample.acceptLatency, let lag = sample.scheduleLag, let service = sample.serviceTime {
        #expect(accept == lag + service && service == 3000)
      }
      if let delivery = sample.deliveryLatency { #expect((0..<2_000_000).contains(delivery)) }
    }
    let gaps = zip(samples, samples.dropFirst()).map { $1.plannedMonotonic - $0.plannedMonotonic }
    #expect(gaps.allSatisfy { $0 == 10_000 })
    let kinds = try run.fixture.kinds()
    #expect(kinds.count { $0 == .clockStep } == 2)
    #expect(kinds.count { $0 == .suspended } == 1)
  }
}
