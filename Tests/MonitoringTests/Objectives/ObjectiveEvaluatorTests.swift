import Analysis
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Configuration
@testable import Monitoring

@Suite struct ObjectiveEvaluatorTests {
  private let objective = ShareObjective(target: "alpha", metric: .delivery, limit: 100_000, share: 0.99)

  private func accepted(_ sample: Sample) -> Sample {
    var sample = sample.asSent
    sample.acceptLatency = 1_000
    sample.serviceTime = 943
    sample.status = 200
    return sample
  }

  private func ended(_ sample: Sample, _ state: NotificationState) -> Sample {
    var sample = sample
    sample.state = state
    return sample
  }

  /// Of what was planned: lost, missed and late count as much as slow.
  @Test func shareIsOfWhatWasPlanned() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 10)
    try fixture.commit(
      inserted: plans[..<5].map { $0.asDelivered(100_000) } + [
        plans[5].asDelivered(100_001), ended(accepted(plans[6]), .lost), ended(plans[7], .missed),
        accepted(plans[8]), plans[9],
      ])
    let reader = ObjectiveReader(try fixture.reader())
    // The one in flight may still be within its limit.
    var now = plans[9].plannedAt.advanced(byMicroseconds: 1_000)
    var share = try reader.share(of: objective, over: .seconds(300), at: now)
    #expect(share.good == 5)
    #expect(share.valid == 8)
    // Its receipt may come for hours: it is not within 100 ms any more.
    now = plans[9].plannedAt.advanced(byMicroseconds: 60_000_000)
    share = try reader.share(of: objective, over: .seconds(300), at: now)
    #expect(share.good == 5)
    #expect(share.valid == 9)
    // Another target, and a window that is over.
    #expect(try reader.share(of: objective, over: .seconds(10), at: now).valid == 0)
    let other = ShareObjective(target: "nobody", metric: .delivery, limit: 1, share: 0.5)
    #expect(try reader.share(of: other, over: .seconds(300), at: now) == .none)
  }

  private func share(of target: String = "alpha") -> ObjectiveConfiguration {
    ObjectiveConfiguration(
      name: "fast", target: target,
      promise: .share(0.99, within: .milliseconds(100), of: .delivery, window: .seconds(86_400)))
  }

  @Test func breachIsAnIncidentThatARestartRemembers() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    let plans = fixture.plans(fixture.alpha, count: 200, interval: 100_000)
    var evaluator = ObjectiveEvaluator([share()], stored: [], at: fixture.clock.wallNow())
    func round(_ evaluator: inout ObjectiveEvaluator, after seconds: Int64) throws -> ObjectiveEvaluator.Step
    {
      try evaluator.round(
        reader, HeardTargets(), wall: fixture.clock.wallNow().advanced(byMicroseconds: seconds * 1_000_000),
        now: fixture.clock.monotonicNow() + .seconds(seconds))
    }
    #expect(try round(&evaluator, after: 0).records.map(\.verdict) == [.undecided])
    try fixture.commit(inserted: plans.map { ended(accepted($0), .lost) })
    let step = try round(&evaluator, after: 30)
    #expect(step.records.map(\.verdict) == [.breached])
    #expect(step.changes.map(\.change) == [.opened])
    #expect(step.records[0].good == 0)
    #expect(step.records[0].valid == 200)
    #expect(step.records[0].burns.map(\.verdict) == Array(repeating: Stored(.breached), count: 3))
    #expect(step.records[0].sentence.contains("100.0 times too fast over 1 h"))
    #expect(AlertSources.alert(of: step.records[0], labels: []) != nil)

    var next = ObjectiveEvaluator([share()], stored: step.records, at: fixture.clock.wallNow())
    let again = try round(&next, after: 40)
    #expect(again.changes.isEmpty)
    #expect(again.records[0].breachedAt == step.records[0].breachedAt)
    // The same one over another window.
    var shorter = share()
    shorter.promise = .share(0.99, within: .milliseconds(100), of: .delivery, window: .seconds(43_200))
    var same = ObjectiveEvaluator([shorter], stored: step.records, at: fixture.clock.wallNow())
    let kept = try round(&same, after: 40)
    #expect(kept.changes.isEmpty && kept.records[0].window == 43_200_000_000)
    // Another promise of the same name is another objective.
    var changed = share()
    changed.promise = .share(0.5, within: .milliseconds(100), of: .delivery, window: .seconds(86_400))
    var other = ObjectiveEvaluator([changed], stored: step.records, at: fixture.clock.wallNow())
    #expect(try round(&other, after: 40).changes.map(\.change) == [.opened])
  }

  @Test func fewProbesAreNoAlarm() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 4, interval: 15_000_000)
    try fixture.commit(
      inserted: plans[..<3].map { $0.asDelivered(40_000) } + [ended(accepted(plans[3]), .lost)])
    var evaluator = ObjectiveEvaluator([share()], stored: [], at: fixture.clock.wallNow())
    let step = try evaluator.round(
      try fixture.reader(), HeardTargets(), wall: plans[3].plannedAt.advanced(byMicroseconds: 1_000_000),
      now: fixture.clock.monotonicNow())
    #expect(step.records.map(\.verdict) == [.undecided])
    #expect(step.changes.isEmpty)
  }

  @Test func silenceIsABreachUntilSomethingIsHeard() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    let alive = ObjectiveConfiguration(name: "alive", target: "alpha", promise: .silence(.seconds(60)))
    var state = MetricsState()
    state.begin(
      ObservedRun(
        id: fixture.run,
        targets: fixture.registration.targets.map {
          .init(registration: $0, variants: [], askedRate: 1, receiptDeadline: 1_000_000)
        }))
    var evaluator = ObjectiveEvaluator([alive], stored: [], at: fixture.clock.wallNow())
    func round(after seconds: Int64) throws -> ObjectiveRecord {
      try evaluator.round(
        reader, HeardTargets(state),
        wall: fixture.clock.wallNow().advanced(byMicroseconds: seconds * 1_000_000),
        now: fixture.clock.monotonicNow() + .seconds(seconds)
      ).records[0]
    }
    // Sending has not begun: credentials may be awaited.
    #expect(try round(after: 0).verdict == .undecided)
    #expect(try round(after: 100).verdict == .undecided)
    state.record(sendingIsPossible: true)
    #expect(try round(after: 101).verdict == .undecided)
    #expect(try round(after: 160).verdict == .undecided)
    #expect(try round(after: 161).verdict == .breached)
    let sample = fixture.plans(fixture.alpha, count: 1)[0].asDelivered(40_000)
    state.add(
      ObservedCommit(
        changes: [
          SampleChange(
            sample: sample, notification: NotificationID(run: fixture.run, sample: sample.id),
            verdict: .settled,
            isCounted: true, newValues: .init(of: sample), isDue: true, newDuplicates: 0, inFlight: 0,
            origin: nil)
        ], took: .zero, at: fixture.clock.wallNow()))
    #expect(try round(after: 170).verdict == .met)
    #expect(try round(after: 229).verdict == .met)
    // The end of the run is no silence.
    state.end()
    #expect(try round(after: 300).verdict == .met)
  }
}
