import Foundation
import Measurement
import Store
import TestKit
import Testing

@testable import Collector
@testable import Transport

/// A whole run in simulated time: the real schedule, recorder, ledger and store, with a service of known behavior in
/// the place of the network. Nothing waits; the clock is stepped from one instant to the next at which something is
/// due.
final class SimulatedRun {
  let fixture: RecorderFixture
  let service: SimulatedService
  /// What the service decided about each request it got, by sequence number.
  private(set) var outcomes: [Int64: SimulatedService.ScriptedOutcome] = [:]
  private(set) var sent: Set<Int64> = []
  /// Receipts in the order in which they were given to the collector.
  private(set) var receipts: [Int64] = []
  /// When, and how late, each notification was sent.
  private(set) var sends: [(at: MonotonicTime, lag: Duration)] = []
  /// Commits that the store refused; each is tried again after a second, as the recorder's thread does.
  private(set) var refusedCommits = 0

  private var schedule: TargetSchedule
  private var generator: SeededGenerator
  private var answers: [(at: MonotonicTime, sequence: Int64)] = []
  private var deliveries: [(at: MonotonicTime, sequence: Int64)] = []
  private var acknowledged = 0
  private var nextRound: MonotonicTime

  init(
    rate: Int64, length: Duration, service: SimulatedService, deadline: Duration? = nil,
    maxLag: Duration = .seconds(5), seed: UInt64 = 1
  ) throws {
    fixture = try RecorderFixture(deadline: deadline)
    self.service = service
    generator = SeededGenerator(seed: seed)
    let process = ArrivalProcess.constant(try #require(ArrivalRate(rate, per: .seconds(1))))
    let start = fixture.clock.monotonicNow() + .milliseconds(300)
    schedule = TargetSchedule(
      target: fixture.target, arrivals: process.sequence(from: start, seed: seed),
      limits: ScheduleLimits(maxInFlight: 100_000, maxLag: maxLag, duration: length))
    nextRound = fixture.clock.monotonicNow()
  }

  private var isOver: Bool { schedule.isFinished && answers.isEmpty && deliveries.isEmpty }

  /// Runs until everything is sent, answered and delivered, or until `kill` says that the collector dies here.
  func run(until kill: (MonotonicTime) -> Bool = { _ in false }) throws {
    while !isOver {
      let now = fixture.clock.monotonicNow()
      if kill(now) { return }
      while let block = schedule.nextBlock(at: now) { fixture.inbox.post([.planned(block)]) }
      try record(at: now)
      answer(at: now)
      deliver(at: now)
      send(at: now)
      step(from: now)
    }
  }

  /// Closes the run as the collector does, once everything is over.
  func close() throws {
    let clock = fixture.clock
    fixture.inbox.close(by: clock.monotonicNow() + .seconds(60))
    while try fixture.recorder.round() != .closed { clock.advance(by: .milliseconds(100)) }
    try fixture.store.endRun(fixture.run, at: clock.wallNow(), reason: .completed)
  }

  /// Every row of the run, by sequence.
  func samples() throws -> [Sample] {
    var samples: [Sample] = []
    try fixture.reader.forEachSample(RowSelection(run: fixture.run)) { samples.append($0.sample) }
    return samples
  }

  // MARK: One step

  /// Commits at least every 25 ms, as the recorder's thread does, and tells the schedule.
  private func record(at now: MonotonicTime) throws {
    guard now >= nextRound else { return }
    nextRound = now + Recorder.shortestRound
    do {
      _ = try fixture.recorder.round()
    } catch let error as StoreError where error.isTransient {
      refusedCommits += 1
      nextRound = now + Recorder.retryInterval
      return
    }
    let blocks = fixture.committed.all
    for committed in blocks.dropFirst(acknowledged) {
      schedule.acknowledge(through: committed.block.lastSequence)
    }
    acknowledged = blocks.count
  }

  private func send(at now: MonotonicTime) {
    while let (missed, reason) = schedule.admit(at: now) { note(missed, reason, now) }
    while let step = next(at: now) {
      switch step {
      case .missed(let missed, let reason): note(missed, reason, now)
      case .failed(let failed, let reason):
        fixture.inbox.post([
          .failed(fixture.id(failed.sequence), reason: reason, attempt: 0, detail: "", at: now)
        ])
      case .send(let notification):
        let outcome = service.outcome(using: &generator)
        sent.insert(notification.sequence)
        sends.append((at: now, lag: now - notification.planned))
        outcomes[notification.sequence] = outcome
        fixture.inbox.post([
          .sent(
            SentRequest(
              id: fixture.id(notification.sequence), at: now, payloadBytes: 100,
              connection: ConnectionUse(
                id: 1, age: 0, isFresh: notification.sequence == 1, streamsInFlight: answers.count + 1)))
        ])
        insert(
          (service.comesAt(now + outcome.answerAfter, start: schedule.start), notification.sequence), &answers
        )
        for after in outcome.deliveries {
          insert((service.comesAt(now + after, start: schedule.start), notification.sequence), &deliveries)
        }
      }
    }
  }

  private func next(at now: MonotonicTime) -> TargetSchedule.Step? {
    guard answers.count < service.streams else {
      return schedule.removeOverdue(at: now, inFlight: answers.count)
    }
    return schedule.removeNext(at: now, inFlight: answers.count)
  }

  private func note(_ notification: PlannedNotification, _ reason: MissedReason, _ now: MonotonicTime) {
    fixture.inbox.post([.missed(fixture.id(notification.sequence), reason: reason, at: now)])
  }

  private func answer(at now: MonotonicTime) {
    while let first = answers.first, first.at <= now {
      answers.removeFirst()
      let isRejected = outcomes[first.sequence]?.isRejected ?? false
      fixture.inbox.post([
        .answered(
          AnsweredRequest(
            id: fixture.id(first.sequence), at: first.at, source: .kernel, status: isRejected ? 410 : 200,
            isAccepted: !isRejected, reason: isRejected ? "Unregistered" : nil))
      ])
    }
  }

  private func deliver(at now: MonotonicTime) {
    while let first = deliveries.first, first.at <= now {
      deliveries.removeFirst()
      receipts.append(first.sequence)
      fixture.inbox.receive([
        ArrivedReceipt(
          id: NotificationID(run: fixture.run, sample: fixture.id(first.sequence)), device: "simulated",
          arrivedAt: now, receivedAt: fixture.clock.wallNow(), bootID: "boot", receivedMonotonic: first.at)
      ]) { _ in }
    }
  }

  private func insert(
    _ element: (at: MonotonicTime, sequence: Int64), _ list: inout [(at: MonotonicTime, sequence: Int64)]
  ) {
    var index = list.endIndex
    while index > 0, list[index - 1].at > element.at { index -= 1 }
    list.insert(element, at: index)
  }

  /// Moves the clock to the next instant at which anything is due.
  private func step(from now: MonotonicTime) {
    let due = [schedule.nextInstantOfInterest, answers.first?.at, deliveries.first?.at, nextRound]
    let next = due.compactMap { $0 }.filter { $0 > now }.min() ?? now + .milliseconds(1)
    fixture.clock.advance(by: next - now)
  }
}
