import FoundationEssentials
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct ForwardingTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func hours(_ count: Int = 3) throws -> [Sample] {
    let plans = fixture.plans(fixture.alpha, count: count * 60, interval: 60_000_000)
    try fixture.commit(inserted: plans)
    try fixture.commit(
      updated: plans.map { $0.asDelivered() },
      events: plans.map { Event(at: $0.plannedAt, kind: .connected, target: fixture.alpha) })
    fixture.clock.advance(by: .seconds(count * 3600 + 7200))
    while try fixture.store.rollUp() {}
    return plans
  }

  private func count(_ table: String) throws -> Int {
    try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  private func prune(_ policy: RetentionPolicy) throws -> PruneStep {
    var all = PruneStep()
    while true {
      let step = try fixture.store.prune(policy, atMost: 500, within: .seconds(5))
      all.samples += step.samples
      all.forced = all.forced ?? step.forced
      if !step.isMore { return all }
    }
  }

  @Test func retentionWaitsForTheFleet() throws {
    let plans = try hours()
    let policy = Self.threeHours
    #expect(try prune(policy).samples == 0)
    #expect(try count("sample") == plans.count)
    #expect(try count("event") == plans.count)

    _ = try fixture.store.beginForwarding(to: "fleet", at: "https://e")
    let waiting = try fixture.reader().forwardBacklog()
    #expect(waiting >= 2 * plans.count)
    for size in [1, 7, Int64(plans.count)] {
      #expect(try fixture.reader().forwardBacklog(rowsAtOnce: size) == waiting, "in transactions of \(size)")
    }
    let window = try fixture.reader().forwardWindow(after: 0)
    #expect(!window.isMore && window.collector == fixture.store.collectorID.uuidString.lowercased())
    try fixture.store.moveForwardCursor(of: "fleet", to: window.through)
    #expect(try fixture.reader().forwardBacklog() == 0)
    #expect(try prune(policy).samples > 30)
    #expect(try count("event") < plans.count)

    // What changes again stays until it is forwarded again.
    let left = try count("sample")
    let last = try #require(plans.last)
    try fixture.commit(updated: [last.asDelivered(5)])
    fixture.clock.advance(by: .seconds(7200))
    while try fixture.store.rollUp() {}
    let kept = try prune(policy).samples
    #expect(try kept < left && count("sample") > 0)
    #expect(try fixture.reader().forwardBacklog() == 1)
  }

  private static let threeHours = RetentionPolicy(
    ages: [.samples: .seconds(3 * 3600), .events: .seconds(3 * 3600)], keepsWhatIsNotForwarded: true)

  private func forward() throws {
    let window = try fixture.reader().forwardWindow(after: 0)
    try fixture.store.moveForwardCursor(of: "fleet", to: window.through)
  }

  /// Forwards three hours, deletes one and a part by age, and records five notifications and events with times before the mark.
  /// - Returns: what was left before they were recorded.
  private func lateRows() throws -> (samples: Int, events: Int) {
    let plans = try hours()
    _ = try fixture.store.beginForwarding(to: "fleet", at: "https://e")
    try forward()
    #expect(try prune(Self.threeHours).samples > 30)
    let left = (samples: try count("sample"), events: try count("event"))
    let late = fixture.plans(fixture.alpha, from: Int64(plans.count) + 1, count: 5).map { plan in
      var plan = plan
      plan.plannedAt = plans[7].plannedAt
      return plan
    }
    try fixture.commit(inserted: late)
    try fixture.commit(
      updated: late.map { $0.asDelivered() },
      events: late.map { Event(at: $0.plannedAt, kind: .connected, target: fixture.alpha) })
    return left
  }

  private func pruned() throws -> [String] {
    try fixture.store.queue.read {
      try String.fetchAll($0, sql: "SELECT detail FROM event WHERE kind = 'pruned'")
    }
  }

  @Test(
    "a clock that was behind records before what retention has deleted: such rows go once they are forwarded")
  func lateRowsWaitForTheFleet() throws {
    let left = try lateRows()
    #expect(try prune(Self.threeHours).samples == 0)
    #expect(try count("sample") == left.samples + 5)
    #expect(try count("event") == left.events + 5)
    try forward()
    #expect(try prune(Self.threeHours).samples == 5)
    #expect(try count("sample") == left.samples)
    #expect(try count("event") == left.events)
  }

  @Test func withoutAFleetLateRowsGoAtOnce() throws {
    let left = try lateRows()
    var policy = Self.threeHours
    policy.keepsWhatIsNotForwarded = false
    #expect(try prune(policy).samples == 5)
    #expect(try count("event") == left.events)
  }

  @Test func sizeForcesLateRowsFirst() throws {
    let left = try lateRows()
    var policy = Self.threeHours
    policy.maximumSize = 1
    let step = try fixture.store.prune(policy, within: .seconds(5))
    #expect(step.forced?.contains("not forwarded") == true && step.samples == 5)
    #expect(try count("sample") == left.samples)
    #expect(try pruned().first?.contains("not forwarded to the fleet") == true)
    _ = try prune(policy)
    #expect(
      try count("event") - pruned().count < left.events, "rows of events that wait go for the size, too")
    let events = try pruned().filter { $0.contains("rows of events") }
    #expect(events.count == 1 && events[0].contains("not forwarded to the fleet"))
  }

  @Test("what a person asks to delete goes whether forwarded or not, and nothing else does")
  func byHandTheFleetIsNotWaitedFor() throws {
    let left = try lateRows()
    let store = fixture.store.path
    fixture.store.close()
    let time = try fixture.reader().pruned().samples
    _ = try ControlClient(storePath: store, clock: fixture.clock).submit(.prune(before: #require(time)))
    let reopened = try fixture.reopened()
    #expect(try fixture.reader().pruneExtent(samplesBefore: #require(time)) == nil)
    let rows = try reopened.queue.read {
      (
        try Int.fetchOne($0, sql: "SELECT count(*) FROM sample"),
        try Int.fetchOne($0, sql: "SELECT count(*) FROM event WHERE kind = 'connected'")
      )
    }
    #expect(rows.0 == left.samples && rows.1 == left.events + 5)
    reopened.close()
  }

  @Test func byHandOnlyWhatIsAskedForGoes() throws {
    let left = try lateRows()
    let mark = try #require(try fixture.reader().pruned().samples)
    let earlier = mark.advanced(byMicroseconds: -7_200_000_000)
    #expect(try fixture.store.markPruned(samplesBefore: earlier) == earlier)
    #expect(try prune(Self.threeHours).samples == 0)
    #expect(try count("sample") == left.samples + 5, "they are planned later than was asked for")
    #expect(try fixture.reader().pruned().samples == mark)
  }

  @Test func aNotificationWaitsForItsReceipts() throws {
    let plans = try hours()
    _ = try fixture.store.beginForwarding(to: "fleet", at: "https://e")
    try forward()
    let first = plans[0]
    try fixture.commit(receipts: [
      Receipt(
        sample: first.id, device: "phone", receivedAt: first.plannedAt, arrivedAt: first.plannedAt,
        isSameClock: true, isDuplicate: true)
    ])
    // The notification is in the fleet, the receipt is not.
    let sample = try fixture.store.queue.read {
      try Int64.fetchOne($0, sql: "SELECT revision FROM sample ORDER BY planned_at LIMIT 1") ?? 0
    }
    let receipt = try fixture.store.queue.read {
      try Int64.fetchOne($0, sql: "SELECT revision FROM receipt") ?? 0
    }
    try #require(sample < receipt)
    try fixture.store.moveForwardCursor(of: "fleet", to: receipt - 1)
    let policy = RetentionPolicy(ages: [.samples: .seconds(3 * 3600)], keepsWhatIsNotForwarded: true)
    #expect(try prune(policy).samples > 30)
    #expect(try count("receipt") == 1)
    try forward()
    #expect(try prune(policy).samples == 1)
    #expect(try count("receipt") == 0)
  }

  @Test("a clock that is behind a mark after a reboot: the size deletes nothing, and nothing says so")
  func aMarkInTheFutureForcesNothing() throws {
    _ = try lateRows()
    let mark = try #require(try fixture.reader().pruned().samples)
    let now = fixture.clock.wallNow()
    fixture.clock.stepWall(by: mark - now - .seconds(600))
    var policy = Self.threeHours
    policy.maximumSize = 1
    let rows = try count("sample")
    for _ in 0..<3 {
      let step = try fixture.store.prune(policy, at: now, within: .seconds(5))
      #expect(step.forced == nil && step.samples == 0)
    }
    #expect(try count("sample") == rows)
    #expect(try pruned().isEmpty)
  }

  @Test("the rows that wait for the fleet keep a mark where they are, whatever their order")
  func marksKeepToTheOldestThatWaits() throws {
    let hours = try hours()
    _ = try fixture.store.beginForwarding(to: "fleet", at: "https://e")
    try forward()
    let now = fixture.clock.wallNow()
    // A clock that was ahead, and was set back.
    for time in [now + .seconds(86_400), hours[70].plannedAt, now] {
      try fixture.store.record([Event(at: time, kind: .configReloaded)], run: nil)
    }
    let policy = RetentionPolicy(ages: [.events: .seconds(60)], keepsWhatIsNotForwarded: true)
    _ = try prune(policy)
    let mark = try #require(try fixture.reader().pruned()[.events])
    #expect(mark <= hours[70].plannedAt && mark > hours[0].plannedAt)
  }

  @Test func onlyTheSizeForcesWhatIsNotForwarded() throws {
    _ = try hours()
    #expect(
      try prune(RetentionPolicy(maximumSize: 1, keepsWhatIsNotForwarded: true)).forced != nil)
    #expect(try pruned().contains { $0.contains("not forwarded to the fleet") })
  }

  @Test func aDeletedRunLeavesItsIDAndNothingElse() throws {
    _ = try hours(1)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    let before = try fixture.reader().revision()
    try fixture.store.beginDeletion(of: fixture.run)
    while try fixture.store.continueDeletion() {}
    let rows = try fixture.store.queue.read { try Row.fetchAll($0, sql: "SELECT * FROM tombstone") }
    #expect(rows.count == 1)
    #expect(rows.first?["run"] == fixture.run.description)
    #expect(rows.first?["collector"] == fixture.store.collectorID.uuidString.lowercased())
    #expect((rows.first?["revision"] as Int64?).map { $0 > before } == true)
    #expect(try count("sample") == 0 && count("run") == 0)
    #expect(try fixture.reader().forwardWindow(after: before).through > before)
  }

  @Test func targetsHaveRevisions() throws {
    let first = try fixture.store.queue.read {
      try Int64.fetchAll($0, sql: "SELECT revision FROM target ORDER BY id")
    }
    #expect(first.count == 2 && first[0] > 0 && first[1] > first[0])
    var changed = StoreFixture.description(of: fixture.run, fixture.clock).targets[1]
    changed.askedRate = 7
    _ = try fixture.store.changeTargets(
      of: fixture.run, changed: [changed],
      added: [TargetDescription(name: "gamma", provider: "http", receiptDeadline: nil, askedRate: 1)],
      at: fixture.clock.wallNow())
    let then = try fixture.store.queue.read {
      try Int64.fetchAll($0, sql: "SELECT revision FROM target ORDER BY name")
    }
    #expect(then[0] > first[1] && then[1] == first[1] && then[2] > then[0])
  }

  @Test func labelsAreKeptWithTheRun() throws {
    var generator = SeededGenerator(seed: 3)
    var description = StoreFixture.description(
      of: RunID(at: fixture.clock.wallNow(), using: &generator), fixture.clock)
    description.labels = ["team": "mobile", "region": "eu\"west"]
    _ = try fixture.store.beginRun(description)
    let stored = try fixture.store.queue.read {
      try String.fetchAll($0, sql: "SELECT labels FROM run ORDER BY id")
    }
    #expect(stored == ["{}", #"{"region":"eu\"west","team":"mobile"}"#])
  }

  /// Until the fleet was compared with it, the revision at which the file was opened first is kept.
  @Test func anOpeningIsNoted() throws {
    let cursor = try fixture.store.beginForwarding(to: "fleet", at: "https://e")
    #expect(cursor.revision == 0 && cursor.openedAt == 0)
    try fixture.store.resumeForwarding("fleet")
    let resumed = try fixture.store.queue.read { try ForwardCursor.fetch("fleet", $0) }
    #expect(try #require(resumed).openedAt == nil)
    let at = try fixture.reader().revision()
    fixture.store.close()
    let second = try fixture.reopened()
    try second.record([Event(at: fixture.clock.wallNow(), kind: .configReloaded)], run: nil)
    #expect(try second.beginForwarding(to: "fleet", at: "https://e").openedAt == at)
    second.close()
    let third = try fixture.reopened()
    #expect(try third.beginForwarding(to: "fleet", at: "https://e").openedAt == at)
    third.close()
  }
}
