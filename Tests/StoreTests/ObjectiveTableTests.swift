import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct ObjectiveTableTests {
  @Test func objectivesAreReplacedAsAWhole() throws {
    let fixture = try StoreFixture()
    var share = ObjectiveRecord(
      name: "ios \"fast\"", position: 1, target: "alpha", evaluatedAt: fixture.clock.wallNow())
    share.metric = .delivery
    share.limit = 2_000_000
    share.share = 0.99
    share.window = 30 * 86_400_000_000
    share.verdict = .breached
    share.good = 5
    share.valid = 9
    share.shareLow = 0.2
    share.shareHigh = 0.8
    share.burns = [
      .init(factor: 14.4, windows: [3_600_000_000, 300_000_000], rates: [44, nil], verdict: .breached)
    ]
    share.breachedAt = WallTime(microseconds: 7)
    var silence = ObjectiveRecord(
      name: "alive", position: 0, target: "beta", evaluatedAt: WallTime(microseconds: 9))
    silence.silence = 600_000_000
    silence.quiet = 12
    silence.endedAt = WallTime(microseconds: 8)
    var changes = ObjectiveChanges()
    changes.objectives = [share, silence]
    changes.events = [
      Event(at: fixture.clock.wallNow(), kind: .thresholdCrossed, target: fixture.alpha, detail: "x")
    ]
    try fixture.store.save(changes)
    let reader = try fixture.reader()
    #expect(try reader.objectives() == [silence, share])
    // Alerts alone leave objectives as they are.
    var alerts = ObjectiveChanges()
    var alert = AlertRecord(
      id: "a", fingerprint: "0123456789abcdef", kind: .objective, labels: ["a": "\"\n"], annotations: [:],
      startedAt: WallTime(microseconds: 3))
    alert.deliveries["webhook"] = .init()
    alert.deliveries["webhook"]?.problem = "HTTP status 500"
    alerts.alerts = [alert]
    try fixture.store.save(alerts)
    #expect(try reader.objectives().count == 2)
    #expect(try reader.alerts() == [alert])
    alerts.alerts = []
    alerts.removedAlerts = ["a"]
    alerts.objectives = []
    try fixture.store.save(alerts)
    #expect(try reader.alerts().isEmpty)
    #expect(try reader.objectives().isEmpty)
  }

  /// What a crashed collector left open is told by name, also where a target has variants.
  @Test func recoveryTellsWhatItInterrupted() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 3).map(\.asSent))
    try fixture.commit(inserted: fixture.plans(fixture.beta, count: 4).map(\.asSent))
    #expect(fixture.store.interruptedAtStart.isEmpty)
    let copy = try fixture.directory.killedCopy()
    let store = try fixture.reopened(copy)
    #expect(
      Set(store.interruptedAtStart.map { "\($0.target) \($0.variant) \($0.count)" }) == [
        "alpha  3", "beta priority=10 2", "beta priority=5 2",
      ])
    store.close()
  }

  /// Rows that this collector settled, recovery included, are told from those of an earlier one.
  @Test func rowsSettledSinceTheStartAreKnown() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    var lost = plans[0].asSent
    lost.state = .lost
    try fixture.commit(inserted: [lost, plans[1].asSent, plans[2].asSent])
    let first = try #require(try fixture.store.series(of: lost))
    #expect(first.origin == SampleChange.Origin(target: "alpha", variant: ""))
    #expect(first.isChangedSinceStart)
    let store = try fixture.reopened(try fixture.directory.killedCopy())
    #expect(try store.series(of: lost)?.isChangedSinceStart == false)
    #expect(try store.series(of: plans[1])?.isChangedSinceStart == true)
    let unknown = fixture.plans(fixture.alpha, from: 99, count: 1)[0]
    #expect(try store.series(of: unknown) == nil)
    store.close()
  }

  @Test func endOfARunTellsWhatItInterrupted() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    try fixture.commit(inserted: [plans[0].asSent, plans[1], plans[2].asSent])
    let rows = try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
    #expect(rows == [InterruptedRows(target: "alpha", variant: "", count: 3, onlyPlanned: 1)])
  }
}
