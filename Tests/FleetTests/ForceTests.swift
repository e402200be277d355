import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import TestTraits
import Testing

@testable import Fleet
@testable import Store

/// Collector, forwarder and engine die at any moment, answers are lost after the engine has the rows, bodies are cut, the engine's
/// disk is full, a backup takes the store's place, a copy goes on beside it: afterwards fleet and stores agree row for row.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct ForceTests {
  private static let asked =
    ProcessInfo.processInfo.environment["PUSHSCOPE_FLEET_ROUNDS"].flatMap { Int($0) }
  /// `make fleet-test` has 100 rounds; each start of the engine takes seconds, so that `make test` has short ones.
  private static let rounds = asked ?? 2
  private static let steps = asked == nil ? 8 : 25

  @Test(arguments: 0..<rounds) func everyRowIsThereExactlyOnce(seed: Int) throws {
    let engine = try TestEngine()
    try engine.setUp()
    let fixture = try StoreFixture()
    var history = History(seed: UInt64(seed) &+ 11, fixture)
    try engine.kill()
    try engine.start(faults: seed * 100)

    var store = fixture.store
    var forwarder: Forwarder?
    var backup: String?
    var hasOnlyItsRows = true
    for round in 0..<Self.steps {
      try history.change(store)
      switch history.random.next(upTo: 10) {
      case 0:
        // The engine dies, with what it was told last.
        try engine.kill()
        #expect(throws: (any Error).self) {
          try Forwarder(engine.configuration, store: store, reader: try StoreReader.open(at: store.path))
            .all()
        }
        try engine.start(faults: seed * 100 + round)
      case 1:
        // The forwarder dies: what it knew is gone.
        forwarder = nil
      case 2:
        // The collector dies, and another one goes on with what is on disk.
        let copy = try Self.copy(store, to: fixture.directory.file("after-\(round).sqlite"))
        store.close()
        store = try fixture.reopened(copy)
        forwarder = nil
        try history.begin(store)
      case 3, 4:
        guard let former = backup else {
          backup = try Self.copy(store, to: fixture.directory.file("backup-\(round).sqlite"))
          break
        }
        // The disk is lost, and a collector goes on with the backup.
        backup = nil
        hasOnlyItsRows = false
        store.close()
        store = try fixture.reopened(former)
        forwarder = nil
        try history.restore(store)
      default: break
      }
      let current =
        try forwarder
        ?? Forwarder(engine.configuration, store: store, reader: try StoreReader.open(at: store.path))
      forwarder = current
      for _ in 0..<(1 + history.random.next(upTo: 3)) {
        do {
          _ = try current.step()
        } catch let error as FleetError {
          #expect([.unreachable, .busy].contains(error.code), "\(error)")
        }
      }
    }
    // Left alone, it comes to an end.
    try engine.kill()
    try engine.start()
    let last = try Forwarder(engine.configuration, store: store, reader: try StoreReader.open(at: store.path))
    try last.all()
    let comparison = FleetComparison(engine: engine, store: store)
    try comparison.check(isOnlyOne: hasOnlyItsRows)

    // A copy that was adopted goes on beside the original, and takes nothing of it.
    let copy = try Self.copy(store, to: fixture.directory.file("adopted.sqlite"))
    _ = try StoreAdministration.adopt(copy, clock: fixture.clock)
    let adopted = try fixture.reopened(copy)
    let since = try adopted.queue.read { try Int64.fetchOne($0, sql: "SELECT max(revision) FROM adoption") }
    try history.adopt(adopted)
    for _ in 0..<3 { try history.change(adopted) }
    try Forwarder(engine.configuration, store: adopted, reader: try StoreReader.open(at: copy)).all()
    try FleetComparison(engine: engine, store: adopted, after: try #require(since)).check()
    try comparison.check(isOnlyOne: hasOnlyItsRows)
    adopted.close()
    store.close()
    if Self.asked != nil { print("fleet-test: round \(seed) of \(Self.rounds) agrees") }
  }

  /// What a week without the engine leaves arrives in parts of bounded size, whatever goes wrong meanwhile.
  @Test func aWeeksBacklogArrives() throws {
    let engine = try TestEngine()
    try engine.setUp()
    let fixture = try StoreFixture()
    let count = Self.asked == nil ? 12_000 : 200_000
    for first in stride(from: 0, to: count, by: 4_000) {
      let part = fixture.plans(fixture.alpha, from: Int64(first) + 1, count: 4_000, interval: 3_000_000)
      try fixture.commit(inserted: part)
      try fixture.commit(updated: part.map { $0.asDelivered(40_000 + $0.id.sequence % 1_000) })
      fixture.clock.advance(by: .seconds(12_000))
    }
    try engine.kill()
    try engine.start(faults: 5)
    let forwarder = try Forwarder(
      engine.configuration, store: fixture.store, reader: try StoreReader.open(at: fixture.store.path))
    var failures = 0
    var most = 0
    while failures < 1_000 {
      do {
        let step = try forwarder.step()
        most = max(most, step.rows)
        guard step.isMore else { break }
      } catch let error as FleetError {
        failures += 1
        try #require([.unreachable, .busy].contains(error.code), "\(error)")
      }
    }
    #expect(most <= 10_010)
    try engine.kill()
    try engine.start()
    let figures = "count(*), sum(sequence), sum(delivery_us), sum(revision)"
    let local = try fixture.store.queue.read { db in
      try Row.fetchOne(
        db,
        sql:
          "SELECT count(*), sum(id & \(SampleID.sequenceMask)), sum(delivery_us), sum(revision) FROM sample"
      ).map { row in (0..<4).map { "\(row[$0] as Int64)" } }
    }
    #expect(try engine.rows("SELECT \(figures) FROM DB.sample FINAL").first == local)
    #expect(local?.first == "\(count)")
    fixture.store.close()
  }

  /// As a disk has it at this moment.
  private static func copy(_ store: CollectorStore, to copy: String) throws -> String {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy + suffix)
    }
    return copy
  }
}

/// What a collector may come to record, at random.
private struct History {
  var random: SeededGenerator
  private let fixture: StoreFixture
  private var run: RunID
  private var target: TargetID
  private var sequence: Int64 = 0
  private var open: [Sample] = []
  private var runs: [RunID] = []
  private var deleted: [RunID] = []

  init(seed: UInt64, _ fixture: StoreFixture) {
    random = SeededGenerator(seed: seed)
    self.fixture = fixture
    run = fixture.run
    target = fixture.alpha
  }

  /// Begins a run, as a collector that starts does.
  mutating func begin(_ store: CollectorStore) throws {
    runs.append(run)
    fixture.clock.advance(by: .seconds(1))
    run = RunID(at: fixture.clock.wallNow(), using: &random)
    let registration = try store.beginRun(StoreFixture.description(of: run, fixture.clock))
    target = registration["alpha"]?.id ?? target
    sequence = 0
    open = []
  }

  /// Goes on with a backup. What was deleted since stays deleted in the fleet, so it is deleted here once more.
  mutating func restore(_ store: CollectorStore) throws {
    try begin(store)
    let known = try store.queue.read {
      try String.fetchSet($0, sql: "SELECT uuid FROM run WHERE id NOT IN (SELECT run_id FROM deletion)")
    }
    runs.removeAll { !known.contains($0.description) }
    for run in deleted where known.contains(run.description) { try store.beginDeletion(of: run) }
  }

  /// Goes on with a copy that has an id of its own, and leaves the original's runs alone.
  mutating func adopt(_ store: CollectorStore) throws {
    try begin(store)
    runs = []
  }

  mutating func change(_ store: CollectorStore) throws {
    fixture.clock.advance(by: .milliseconds(700))
    let now = fixture.clock.wallNow()
    var batch = WriteBatch(run: run)
    let monotonic = fixture.clock.monotonicNow().microseconds
    for _ in 0..<random.next(upTo: 60) {
      sequence += 1
      let plan = Sample(
        id: SampleID(target: target, sequence: sequence), variant: .none,
        plannedAt: now.advanced(byMicroseconds: sequence), plannedMonotonic: monotonic + sequence)
      batch.inserted.append(plan)
      open.append(plan)
    }
    _ = try store.commit(batch)
    var changes = WriteBatch(run: run)
    for _ in 0..<random.next(upTo: 60) where !open.isEmpty {
      let index = random.next(upTo: open.count)
      guard !changes.updated.contains(where: { $0.id == open[index].id }) else { continue }
      let plan = open[index]
      switch random.next(upTo: 4) {
      case 0: changes.updated.append(plan.asSent)
      case 1: changes.updated.append(plan.asRejected("BadDeviceToken"))
      case 2: changes.updated.append(plan.asMissed(.lag))
      default:
        changes.updated.append(plan.asDelivered(Int64(random.next(upTo: 1_000_000))))
        changes.receipts.append(
          Receipt(sample: plan.id, device: "phone", receivedAt: now, arrivedAt: now, isSameClock: true))
      }
    }
    changes.events.append(Event(at: now, kind: .connected, target: target, connectionID: sequence))
    _ = try store.commit(changes)
    switch random.next(upTo: 8) {
    case 0: try store.rename(run, to: "run \(random.next(upTo: 1000))")
    case 1: try store.record([Event(at: now, kind: .configReloaded)], run: nil)
    case 2:
      try store.endRun(run, at: now, reason: .stopped)
      try begin(store)
    case 3:
      if !runs.isEmpty, random.next(upTo: 2) == 0 {
        let run = runs.remove(at: random.next(upTo: runs.count))
        deleted.append(run)
        try store.beginDeletion(of: run)
      }
      while random.next(upTo: 3) > 0, try store.continueDeletion(atMost: 100) {}
    default: break
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func next(upTo limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
