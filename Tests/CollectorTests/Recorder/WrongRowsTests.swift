import Foundation
import GRDB
import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector
@testable import Transport

/// Rows and settings with numbers that no collector writes must not end what records.
@Suite("Recorder, wrong rows") struct WrongRowsTests {
  private static let extremes: [Int64] = [.min, -1, 1 << 62, .max]

  private func edit(_ fixture: RecorderFixture, _ sql: String) throws {
    let queue = try DatabaseQueue(path: fixture.directory.file("store.sqlite"))
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test("a receipt for a row with impossible times is refused, and others are recorded", arguments: extremes)
  func receipts(_ number: Int64) throws {
    for column in ["planned_monotonic_us", "planned_at"] {
      let fixture = try RecorderFixture()
      fixture.plan(2)
      _ = try fixture.recorder.round()
      for sequence in 1...2 as ClosedRange<Int64> { fixture.send(sequence) }
      fixture.clock.advance(by: .seconds(1))
      _ = try fixture.recorder.round()
      try edit(fixture, "UPDATE sample SET \(column) = \(number) WHERE id & 0xFFFFFFFFFF = 1")
      let next = try fixture.restarted()
      let outcome = Mutex(ReceiptOutcome())
      let now = fixture.clock.monotonicNow()
      next.inbox.receive(
        (1...2).map {
          ArrivedReceipt(
            id: NotificationID(run: fixture.run, sample: fixture.id($0)), device: "d", arrivedAt: now,
            receivedAt: fixture.clock.wallNow(), bootID: "boot", receivedMonotonic: now)
        }, exchanges: []
      ) { told in outcome.withLock { $0 = told } }
      _ = try next.recorder.round()
      let told = outcome.withLock { $0 }
      #expect(told.failed == 1 && told.accepted == 1, "\(column)")
    }
  }

  @Test("exchanges of devices with impossible numbers are not taken over", arguments: extremes)
  func exchanges(_ number: Int64) throws {
    let fixture = try RecorderFixture()
    try edit(
      fixture,
      """
      INSERT INTO clock_exchange (revision, run_id, device, boot_id, t1_ns, t2_monotonic_ns, t3_monotonic_ns, t4_ns,
        arrived_at, host_slept_us)
      SELECT 1000, id, 'd', 'b', \(number), \(Int64.max), \(Int64.max), \(number), \(number), \(number) FROM run;
      """)
    let next = try fixture.restarted()
    fixture.clock.advance(by: .seconds(2))
    _ = try next.recorder.round()
  }

  @Test("the times that devices see do not follow a store with impossible ones", arguments: extremes)
  func timescale(_ number: Int64) throws {
    let clock = SteppedHostClock()
    let anchor = ClockAnchor(reading: clock)
    let scale = Timescale(anchor: anchor, after: WallTime(microseconds: number))
    #expect(scale.nanoseconds(at: clock.monotonicNow()) == anchor.wall.microseconds * 1000)
    #expect(scale.instant(of: .max, until: clock.monotonicNow()) == nil)
    #expect(scale.instant(of: .min, until: clock.monotonicNow()) == nil)
  }

  @Test("a latest time beyond all times is read from a store", arguments: extremes)
  func latestTime(_ number: Int64) throws {
    let fixture = try RecorderFixture()
    try edit(fixture, "UPDATE run SET started_at = \(number), started_monotonic_us = -\(Int64.max)")
    let latest = try fixture.store.latestTimeShown(bootID: "another")
    _ = Timescale(anchor: ClockAnchor(reading: fixture.clock), after: latest)
  }

  @Test("the longest run that can be set begins on a host that is up for a month")
  func longestDuration() throws {
    let start = MonotonicTime(microseconds: 30 * 86_400_000_000)
    let rate = try #require(ArrivalRate.every(.milliseconds(10)))
    var schedule = TargetSchedule(
      target: TargetID(rawValue: 1), arrivals: ArrivalProcess.constant(rate).sequence(from: start, seed: 5),
      limits: ScheduleLimits(maxLag: .days(100_000), duration: .days(100_000)))
    #expect(schedule.nextBlock(at: start)?.planned.isEmpty == false)
    _ = schedule.nextInstantOfInterest
    var deliveries = TargetDeliveries(
      target: LedgerTarget(id: TargetID(rawValue: 1), receiptDeadline: Duration.days(100_000).microseconds))
    deliveries.await(sequence: 1, planned: start)
    #expect(deliveries.nextExpiry.map { $0 > start } == true)
  }

  @Test("a body that nests without end is malformed", arguments: ["[", "{\"receipts\":"])
  func nesting(open: String) {
    let body = Data(String(repeating: open, count: 65_536 / open.utf8.count).utf8)
    #expect(throws: ReceiptBatch.Malformed.self) { try ReceiptBatch(json: body) }
    #expect(throws: ReceiptBatch.Malformed.self) { try ClockQuestion.parse(json: body) }
  }
}
