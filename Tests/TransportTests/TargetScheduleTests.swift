import Measurement
import Testing

@testable import Transport

@Suite struct TargetScheduleTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private static func schedule(
    every interval: Duration = .milliseconds(10), poisson: Bool = false,
    limits: ScheduleLimits = ScheduleLimits()
  ) throws -> TargetSchedule {
    let rate = try #require(ArrivalRate.every(interval))
    let process = poisson ? ArrivalProcess.poisson(rate) : .constant(rate)
    return TargetSchedule(
      target: TargetID(rawValue: 1), arrivals: process.sequence(from: start, seed: 5), limits: limits)
  }

  /// A schedule whose plan is made and committed up to `now`.
  private static func planned(
    every interval: Duration = .milliseconds(10), at now: MonotonicTime = start,
    limits: ScheduleLimits = ScheduleLimits()
  ) throws -> TargetSchedule {
    var schedule = try schedule(every: interval, limits: limits)
    commit(&schedule, at: now)
    return schedule
  }

  @discardableResult
  private static func commit(_ schedule: inout TargetSchedule, at now: MonotonicTime) -> [PlannedBlock] {
    var blocks: [PlannedBlock] = []
    while let block = schedule.nextBlock(at: now) {
      blocks.append(block)
      schedule.acknowledge(through: block.lastSequence)
    }
    return blocks
  }

  private static func nextBlock(_ schedule: inout TargetSchedule, at now: MonotonicTime) -> PlannedBlock? {
    schedule.nextBlock(at: now)
  }

  private static func stop(_ schedule: inout TargetSchedule, at now: MonotonicTime) -> [PlannedNotification] {
    schedule.stop(at: now)
  }

  private static func admit(
    _ schedule: inout TargetSchedule, at now: MonotonicTime
  ) -> [(sequence: Int64, reason: MissedReason)] {
    var missed: [(sequence: Int64, reason: MissedReason)] = []
    while let (notification, reason) = schedule.admit(at: now) {
      missed.append((notification.sequence, reason))
    }
    return missed
  }

  private static func take(
    _ schedule: inout TargetSchedule, at now: MonotonicTime, inFlight: Int = 0
  ) -> [TargetSchedule.Step] {
    var steps: [TargetSchedule.Step] = []
    while let step = schedule.removeNext(at: now, inFlight: inFlight) { steps.append(step) }
    return steps
  }

  private static func sent(_ steps: [TargetSchedule.Step]) -> [Int64] {
    steps.compactMap { step in
      guard case .send(let notification) = step else { return nil }
      return notification.sequence
    }
  }

  // MARK: Planning

  @Test func plansAheadInBlocksWithoutGaps() throws {
    var schedule = try Self.schedule()
    var expected: Int64 = 1
    var now = Self.start - .milliseconds(300)
    for _ in 0..<200 {
      for block in Self.commit(&schedule, at: now) {
        #expect(block.firstSequence == expected)
        for (offset, instant) in block.planned.enumerated() {
          #expect(instant == Self.start + .milliseconds(10) * Int(block.firstSequence - 1 + Int64(offset)))
        }
        expected = block.lastSequence + 1
      }
      // Whatever comes due within the lead is planned.
      if now >= Self.start {
        #expect(expected > (now + TargetSchedule.lead - Self.start).microseconds / 10_000)
      }
      _ = Self.admit(&schedule, at: now)
      _ = Self.take(&schedule, at: now)
      now = now + .milliseconds(50)
    }
    #expect(expected > 900)
  }

  @Test func aSlowScheduleAlwaysHasItsNextNumberPlanned() throws {
    var schedule = try Self.schedule(every: .seconds(3600))
    #expect(Self.nextBlock(&schedule, at: Self.start)?.planned == [Self.start])
    // The second is an hour away and planned as soon as the first is about to pass.
    let second = try #require(Self.nextBlock(&schedule, at: Self.start))
    #expect(second.planned == [Self.start + .seconds(3600)])
    schedule.acknowledge(through: second.lastSequence)
    #expect(Self.nextBlock(&schedule, at: Self.start) == nil)
    #expect(Self.nextBlock(&schedule, at: Self.start + .seconds(3598)) == nil)
    #expect(Self.nextBlock(&schedule, at: Self.start + .seconds(3599)) != nil)
  }

  @Test func blocksAreBounded() throws {
    var schedule = try Self.schedule(every: .nanoseconds(1000))
    let blocks = Self.commit(&schedule, at: Self.start)
    #expect(blocks.allSatisfy { $0.planned.count <= TargetSchedule.maximumBlock })
    #expect(blocks.count > 10)
  }

  @Test func countEndsThePlan() throws {
    var schedule = try Self.planned(limits: ScheduleLimits(count: 7))
    let now = Self.start + .milliseconds(60)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [1, 2, 3, 4, 5, 6, 7])
    #expect(schedule.isFinished)
    #expect(Self.nextBlock(&schedule, at: now + .seconds(10)) == nil)
    #expect(schedule.nextInstantOfInterest == nil)
  }

  @Test func durationEndsThePlan() throws {
    var schedule = try Self.planned(limits: ScheduleLimits(duration: .milliseconds(50)))
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(90)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(90))) == [1, 2, 3, 4, 5])
    #expect(schedule.isFinished)
  }

  // MARK: Sending

  /// What is due is sent as ever; what was planned for later is free for the next configuration's numbers.
  @Test func whatIsWithdrawnIsTheEndOfThePlan() throws {
    var schedule = try Self.planned()
    let now = Self.start + .milliseconds(95)
    let withdrawn = try #require(Self.withdraw(&schedule, at: now))
    #expect(withdrawn.lowerBound == schedule.lastSequence + 1)
    // Ten are due by then: at 0, 10, … 90 ms.
    #expect(schedule.lastSequence == 10)
    #expect(Self.nextBlock(&schedule, at: now + .seconds(60)) == nil)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == Array(1...10))
    #expect(schedule.isFinished)
    #expect(Self.withdraw(&schedule, at: now) == nil)
  }

  /// The next notification of a slow schedule may be hours away.
  @Test func aSlowPlanIsWithdrawnWithoutWaitingForIt() throws {
    var schedule = try Self.planned(every: .seconds(3600))
    let due = schedule.lastSequence
    let withdrawn = try #require(Self.withdraw(&schedule, at: Self.start + .milliseconds(10)))
    #expect(withdrawn.upperBound == due && schedule.lastSequence < due)
  }

  private static func withdraw(_ schedule: inout TargetSchedule, at now: MonotonicTime) -> ClosedRange<Int64>?
  {
    schedule.withdraw(at: now)
  }

  @Test func nothingIsSentEarlyOrUncommitted() throws {
    var schedule = try Self.schedule()
    let block = try #require(Self.nextBlock(&schedule, at: Self.start))
    let now = Self.start + .milliseconds(25)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.take(&schedule, at: now).isEmpty)
    #expect(schedule.nextInstantOfInterest == Self.start + .milliseconds(200) + .nanoseconds(1))
    schedule.acknowledge(through: 2)
    #expect(schedule.nextInstantOfInterest == Self.start)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [1, 2])
    schedule.acknowledge(through: block.lastSequence)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [3])
    #expect(Self.take(&schedule, at: now + .milliseconds(4)).isEmpty)
    #expect(schedule.nextInstantOfInterest == Self.start + .milliseconds(30))
  }

  @Test func waitingIsLagUntilMaxLag() throws {
    var schedule = try Self.planned(limits: ScheduleLimits(maxLag: .milliseconds(40)))
    for millisecond in stride(from: 0, through: 50, by: 10) {
      #expect(Self.admit(&schedule, at: Self.start + .milliseconds(millisecond)).isEmpty)
    }
    #expect(schedule.waitingCount == 6)
    #expect(schedule.nextInstantOfInterest == Self.start + .milliseconds(40) + .nanoseconds(1))
    // Exactly the limit is not beyond it.
    let overdue = schedule.removeOverdue(at: Self.start + .milliseconds(40), inFlight: 0)
    #expect(overdue == nil)
    let steps = Self.take(&schedule, at: Self.start + .milliseconds(50))
    #expect(steps.first == .missed(PlannedNotification(sequence: 1, planned: Self.start), .lag))
    #expect(Self.sent(steps) == [2, 3, 4, 5, 6])
  }

  @Test func beyondMaxInFlightIsMissed() throws {
    var schedule = try Self.planned(limits: ScheduleLimits(maxInFlight: 3))
    _ = Self.admit(&schedule, at: Self.start + .milliseconds(10))
    let first = schedule.removeNext(at: Self.start + .milliseconds(10), inFlight: 2)
    #expect(first == .send(PlannedNotification(sequence: 1, planned: Self.start)))
    let second = schedule.removeNext(at: Self.start + .milliseconds(10), inFlight: 3)
    #expect(
      second == .missed(PlannedNotification(sequence: 2, planned: Self.start + .milliseconds(10)), .inFlight))
    #expect(schedule.counts.missedInFlight == 1 && schedule.counts.sent == 1 && schedule.counts.due == 2)
  }

  @Test func whatIsGivenBackIsFirstAgain() throws {
    var schedule = try Self.planned()
    _ = Self.admit(&schedule, at: Self.start + .milliseconds(20))
    let now = Self.start + .milliseconds(20)
    guard case .send(let first) = schedule.removeNext(at: now, inFlight: 0),
      case .send(let second) = schedule.removeNext(at: now, inFlight: 0)
    else {
      Issue.record("nothing to send")
      return
    }
    schedule.giveBack(second)
    schedule.giveBack(first)
    #expect(schedule.counts.sent == 0)
    #expect(schedule.upcoming(0) == first && schedule.upcoming(1) == second)
    #expect(schedule.upcoming(3)?.sequence == 4)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [1, 2, 3])
    #expect(schedule.counts.sent == 3)
  }

  // MARK: Stalls

  /// A thread that stood still for 0.9 s, below max_lag, finds 91 plans due. Those older than the tolerance are missed.
  @Test func afterAStallThereIsNoBunch() throws {
    var schedule = try Self.planned(at: Self.start)
    let now = Self.start + .milliseconds(900)
    let missed = Self.admit(&schedule, at: now)
    #expect(missed.map(\.sequence) == Array(1...80))
    #expect(missed.allSatisfy { $0.reason == .lag })
    let sent = Self.sent(Self.take(&schedule, at: now))
    #expect(sent == Array(81...91))
    #expect(schedule.counts.due == 91)
  }

  @Test func aSlowScheduleStillSendsItsNewestAfterAStall() throws {
    var schedule = try Self.planned(every: .seconds(15))
    let now = Self.start + .milliseconds(700)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [1])
    // Later than max_lag it is missed like any other.
    Self.commit(&schedule, at: Self.start + .seconds(16) + .milliseconds(100))
    #expect(Self.admit(&schedule, at: Self.start + .seconds(16) + .milliseconds(100)).isEmpty)
    let steps = Self.take(&schedule, at: Self.start + .seconds(16) + .milliseconds(100))
    #expect(steps == [.missed(PlannedNotification(sequence: 2, planned: Self.start + .seconds(15)), .lag)])
  }

  @Test func hiccupsBelowTheToleranceAreSentLate() throws {
    var schedule = try Self.planned()
    let now = Self.start + .milliseconds(95)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)).count == 10)
  }

  /// What was seen in time and then waited for a place is not a stall: it may all go out when places come free.
  @Test func aWaitInTheQueueIsNotAStall() throws {
    var schedule = try Self.planned(limits: ScheduleLimits(maxLag: .seconds(2)))
    for millisecond in stride(from: 0, through: 900, by: 10) {
      let now = Self.start + .milliseconds(millisecond)
      Self.commit(&schedule, at: now)
      #expect(Self.admit(&schedule, at: now).isEmpty)
    }
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(900))).count == 91)
  }

  @Test func aLateCommitReleasesNoBunch() throws {
    var schedule = try Self.schedule()
    let block = try #require(Self.nextBlock(&schedule, at: Self.start))
    let now = Self.start + .milliseconds(500)
    // Before it is committed, so that the store has to write each of them only once.
    #expect(Self.admit(&schedule, at: now).map(\.sequence) == Array(1...40))
    schedule.acknowledge(through: block.lastSequence)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: now)) == Array(41...51))
  }

  @Test func whatIsNotCommittedIsLookedAtWhenItIsLateByAStall() throws {
    var schedule = try Self.schedule()
    _ = Self.nextBlock(&schedule, at: Self.start)
    let late = Self.start + ScheduleLimits().stallTolerance
    #expect(Self.admit(&schedule, at: late).isEmpty)
    #expect(schedule.nextDue == nil)
    let instant = try #require(schedule.nextInstantOfInterest)
    // Many at once.
    #expect(instant == late + .milliseconds(100) + .nanoseconds(1))
    #expect(Self.admit(&schedule, at: instant).map(\.sequence) == Array(1...11))
    // The only one that is due is sent late.
    var slow = try Self.schedule(every: .seconds(1))
    let block = try #require(Self.nextBlock(&slow, at: Self.start))
    let beforeNext = Self.start + .milliseconds(999)
    #expect(Self.admit(&slow, at: beforeNext).isEmpty)
    slow.acknowledge(through: block.lastSequence)
    #expect(Self.admit(&slow, at: beforeNext).isEmpty)
    #expect(Self.sent(Self.take(&slow, at: beforeNext)) == [1])
  }

  @Test func whileTheStoreIsBehindWhatComesDueIsPlannedAsMissed() throws {
    var schedule = try Self.schedule()
    let first = try #require(Self.nextBlock(&schedule, at: Self.start))
    #expect(first.lastSequence == 151 && first.missed == nil)
    #expect(Self.nextBlock(&schedule, at: Self.start + .milliseconds(1_600)) == nil)
    let now = Self.start + .milliseconds(1_800)
    // The last of them is not overtaken by a later one yet.
    #expect(Self.admit(&schedule, at: now).count == 150)
    #expect(schedule.nextInstantOfInterest == Self.start + .milliseconds(1_710) + .nanoseconds(1))
    let missed = try #require(Self.nextBlock(&schedule, at: now))
    #expect(missed.missed == .lag && missed.firstSequence == 152 && missed.lastSequence == 170)
    #expect(missed.planned.first == Self.start + .milliseconds(1_510))
    #expect(Self.nextBlock(&schedule, at: now) == nil)
    #expect(schedule.counts.due == 169 && schedule.counts.missed == 169)
    // The store is behind by less than the lead again.
    schedule.acknowledge(through: first.lastSequence)
    let next = try #require(Self.nextBlock(&schedule, at: now + .milliseconds(1)))
    #expect(next.missed == nil && next.firstSequence == 171)
    #expect(next.planned.first == Self.start + .milliseconds(1_700))
    schedule.acknowledge(through: next.lastSequence)
    #expect(Self.admit(&schedule, at: now + .milliseconds(1)).map(\.sequence) == [151, 171])
    #expect(Self.sent(Self.take(&schedule, at: now + .milliseconds(1))) == Array(172...181))
  }

  /// A full disk may last for hours: the thread must not look again and again at what cannot be planned.
  @Test func whatCannotBePlannedIsNotLookedAtAllTheTime() throws {
    var schedule = try Self.schedule(every: .seconds(60), limits: ScheduleLimits(count: 3))
    #expect(Self.nextBlock(&schedule, at: Self.start)?.planned == [Self.start])
    #expect(Self.nextBlock(&schedule, at: Self.start)?.lastSequence == 2)
    let second = Self.start + .seconds(90)
    #expect(Self.nextBlock(&schedule, at: second) == nil)
    #expect(Self.admit(&schedule, at: second).map(\.sequence) == [1])
    #expect(schedule.nextInstantOfInterest == Self.start + .milliseconds(120_200) + .nanoseconds(1))
    // The last one is due, and nothing comes after it: it is not waited for.
    let last = Self.start + .seconds(121)
    let missed = try #require(Self.nextBlock(&schedule, at: last))
    #expect(missed.planned == [Self.start + .seconds(120)] && missed.missed == .lag)
    #expect(Self.admit(&schedule, at: last).map(\.sequence) == [2])
    #expect(schedule.nextInstantOfInterest == nil && schedule.isFinished)
    // With another one to come, that one's instant is the next to look at.
    var endless = try Self.schedule(every: .seconds(60))
    while Self.nextBlock(&endless, at: Self.start) != nil {}
    #expect(Self.nextBlock(&endless, at: last) == nil)
    _ = Self.admit(&endless, at: last)
    #expect(endless.nextInstantOfInterest == Self.start + .seconds(180))
    #expect(Self.nextBlock(&endless, at: Self.start + .seconds(180))?.missed == .lag)
  }

  @Test func theNewestThatIsDueIsNeverPlannedAsMissed() throws {
    var schedule = try Self.planned(
      every: .seconds(1), limits: ScheduleLimits(maxLag: .seconds(5), count: 11))
    let now = Self.start + .milliseconds(10_500)
    let missed = try #require(Self.nextBlock(&schedule, at: now))
    #expect(missed.missed == .lag && missed.lastSequence == 10)
    let next = try #require(Self.nextBlock(&schedule, at: now))
    #expect(next.missed == nil && next.planned == [Self.start + .seconds(10)])
    #expect(Self.nextBlock(&schedule, at: now) == nil)
    schedule.acknowledge(through: next.lastSequence)
    _ = Self.admit(&schedule, at: now)
    #expect(Self.sent(Self.take(&schedule, at: now)) == [11])
    #expect(schedule.isFinished)
  }

  // MARK: Pausing and stopping

  @Test func thePlanGoesOnInAPause() throws {
    var schedule = try Self.planned()
    _ = Self.admit(&schedule, at: Self.start)
    // One waits when the pause comes.
    schedule.pause(until: Self.start + .milliseconds(50))
    schedule.pause(until: Self.start + .milliseconds(20))
    #expect(
      Self.take(&schedule, at: Self.start + .milliseconds(5))
        == [.missed(PlannedNotification(sequence: 1, planned: Self.start), .retryAfter)])
    let missed = Self.admit(&schedule, at: Self.start + .milliseconds(49))
    #expect(missed.map(\.sequence) == [2, 3, 4, 5])
    #expect(missed.allSatisfy { $0.reason == .retryAfter })
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(50)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(50))) == [6])
    #expect(schedule.counts.missedRetryAfter == 5)
  }

  @Test func nothingIsSentWithARefusedCredential() throws {
    var schedule = try Self.planned()
    _ = Self.admit(&schedule, at: Self.start)
    schedule.isCredentialRefused = true
    #expect(
      Self.take(&schedule, at: Self.start + .milliseconds(5))
        == [.missed(PlannedNotification(sequence: 1, planned: Self.start), .credential)])
    #expect(
      Self.admit(&schedule, at: Self.start + .milliseconds(20)).map(\.reason) == [.credential, .credential])
    // A pause that the provider asked for is the better reason.
    schedule.pause(until: Self.start + .milliseconds(35))
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(30)).map(\.reason) == [.retryAfter])
    schedule.isCredentialRefused = false
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(40)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(40))) == [5])
    #expect(schedule.counts.missedCredential == 3 && schedule.counts.missed == 4)
  }

  // MARK: Trouble of the service

  /// In a back-off pause one notification each second is let through; the rest is missed, and not as a wish of the
  /// provider's.
  @Test func probesGoOnInABackoffPause() throws {
    var schedule = try Self.planned(every: .milliseconds(200))
    _ = Self.admit(&schedule, at: Self.start)
    schedule.backOff(until: Self.start + .milliseconds(3500), probeEvery: .seconds(1), at: Self.start)
    // What waited when the pause began is missed too.
    #expect(
      Self.take(&schedule, at: Self.start)
        == [.missed(PlannedNotification(sequence: 1, planned: Self.start), .backoff)])
    var sent: [Int64] = []
    var missed: Int64 = 1
    for step in 1...20 {
      let now = Self.start + .milliseconds(200) * step
      Self.commit(&schedule, at: now)
      let refused = Self.admit(&schedule, at: now)
      #expect(refused.allSatisfy { $0.reason == .backoff })
      missed += Int64(refused.count)
      sent += Self.sent(Self.take(&schedule, at: now))
    }
    // At 1, 2 and 3 s, and again all from 3.6 s on.
    #expect(sent == [6, 11, 16, 19, 20, 21])
    #expect(schedule.counts.missedBackoff == missed && schedule.counts.missed == missed)
  }

  @Test func aBackoffPauseWithoutProbesIsSilent() throws {
    var schedule = try Self.planned(every: .milliseconds(200))
    schedule.backOff(until: Self.start + .milliseconds(700), probeEvery: nil, at: Self.start)
    for step in 0...3 {
      #expect(Self.admit(&schedule, at: Self.start + .milliseconds(200) * step).map(\.reason) == [.backoff])
    }
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(800)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(800))) == [5])
  }

  @Test func aGoodAnswerEndsABackoffPause() throws {
    var schedule = try Self.planned(every: .milliseconds(200))
    schedule.backOff(until: Self.start + .seconds(60), probeEvery: .seconds(10), at: Self.start)
    #expect(Self.admit(&schedule, at: Self.start).count == 1)
    schedule.endBackoff()
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(200)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(200))) == [2])
  }

  /// A provider's own wish, or a refused credential, is silence for probes as well.
  @Test func silenceGoesBeforeProbes() throws {
    var schedule = try Self.planned(every: .milliseconds(200))
    schedule.backOff(until: Self.start + .seconds(60), probeEvery: .milliseconds(400), at: Self.start)
    #expect(Self.admit(&schedule, at: Self.start).map(\.reason) == [.backoff])
    schedule.pause(until: Self.start + .milliseconds(900))
    #expect(
      Self.admit(&schedule, at: Self.start + .milliseconds(400)).map(\.reason) == [.retryAfter, .retryAfter])
    schedule.isCredentialRefused = true
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(1000)).last?.reason == .credential)
    schedule.isCredentialRefused = false
    #expect(Self.admit(&schedule, at: Self.start + .milliseconds(1200)).isEmpty)
    #expect(Self.sent(Self.take(&schedule, at: Self.start + .milliseconds(1200))) == [7])
  }

  /// A probe that could not be sent waits like any other, and is no reason for another one at once.
  @Test func aProbeThatIsGivenBackStaysOne() throws {
    var schedule = try Self.planned(every: .milliseconds(200))
    schedule.backOff(until: Self.start + .seconds(60), probeEvery: .milliseconds(200), at: Self.start)
    _ = Self.admit(&schedule, at: Self.start)
    let now = Self.start + .milliseconds(200)
    #expect(Self.admit(&schedule, at: now).isEmpty)
    guard case .send(let probe) = schedule.removeNext(at: now, inFlight: 0) else {
      Issue.record("nothing to send")
      return
    }
    schedule.giveBack(probe)
    #expect(Self.sent(Self.take(&schedule, at: now + .milliseconds(50))) == [probe.sequence])
  }

  // MARK: Connections

  @Test func whatFoundNoConnectionHasFailed() throws {
    var schedule = try Self.planned(
      every: .milliseconds(200),
      limits: ScheduleLimits(
        maxLag: .milliseconds(500), provider: [SendLimit(.window(count: 2, period: .seconds(60)), "")]))
    // The first opens a connection in vain, which does not count against the provider's limit.
    _ = Self.admit(&schedule, at: Self.start)
    #expect(Self.sent(Self.take(&schedule, at: Self.start)) == [1])
    schedule.recordUnsent()
    for step in 1...4 { _ = Self.admit(&schedule, at: Self.start + .milliseconds(200) * step) }
    let now = Self.start + .milliseconds(901)
    func next() -> TargetSchedule.Step? {
      schedule.removeNext(at: now, inFlight: 0) { $0.sequence < 3 ? .tls : nil }
    }
    func planned(_ sequence: Int64) -> PlannedNotification {
      PlannedNotification(sequence: sequence, planned: Self.start + .milliseconds(200) * Int(sequence - 1))
    }
    #expect(next() == .failed(planned(2), .tls))
    #expect(next() == .missed(planned(3), .lag))
    #expect(next() == .send(planned(4)))
    #expect(next() == .send(planned(5)))
    let counts = schedule.counts
    #expect(counts.failedUnsent == 2 && counts.missedLag == 1 && counts.sent == 2 && counts.due == 5)
  }

  @Test func stoppingMissesWhatIsDueAndForgetsTheRest() throws {
    var schedule = try Self.planned()
    _ = Self.admit(&schedule, at: Self.start + .milliseconds(10))
    let stopped = schedule.stop(at: Self.start + .milliseconds(35))
    #expect(stopped.map(\.sequence) == [1, 2, 3, 4])
    #expect(schedule.counts.due == 4 && schedule.counts.missedStopping == 4)
    #expect(schedule.isFinished)
    #expect(Self.stop(&schedule, at: Self.start + .seconds(1)).isEmpty)
    #expect(Self.nextBlock(&schedule, at: Self.start + .seconds(1)) == nil)
  }

  // MARK: Variants and limits of providers

  @Test func variantsTakeTurns() throws {
    let rate = try #require(ArrivalRate.every(.milliseconds(10)))
    let variants = [4, 9, 2].map { VariantID(rawValue: $0) }
    var schedule = TargetSchedule(
      target: TargetID(rawValue: 1),
      arrivals: ArrivalProcess.constant(rate).sequence(from: Self.start, seed: 5),
      limits: ScheduleLimits(count: 200), variants: variants)
    var seen: [VariantID] = []
    for second in 0..<4 {
      for block in Self.commit(&schedule, at: Self.start + .seconds(second)) {
        #expect(block.variants.count == block.planned.count)
        #expect(block.firstSequence == Int64(seen.count) + 1)
        seen += block.variants
      }
      _ = Self.admit(&schedule, at: Self.start + .seconds(second))
    }
    #expect(seen == (0..<200).map { variants[$0 % 3] })
    #expect(TargetSchedule.index(of: 7, in: 1) == 0 && TargetSchedule.index(of: 7, in: 3) == 0)
  }

  @Test func aTargetWithoutVariantsPlansNone() throws {
    var schedule = try Self.schedule()
    let block = try #require(Self.nextBlock(&schedule, at: Self.start))
    #expect(block.variants.isEmpty)
  }

  @Test func whatAProviderDoesNotAllowIsMissed() throws {
    let limit = SendLimit(.window(count: 3, period: .milliseconds(50)), "three in 50 ms")
    var schedule = try Self.planned(limits: ScheduleLimits(provider: [limit]))
    var ends: [TargetSchedule.Step] = []
    for millisecond in stride(from: 0, through: 90, by: 10) {
      let now = Self.start + .milliseconds(millisecond)
      #expect(Self.admit(&schedule, at: now).isEmpty)
      if millisecond == 10, case .send(let first) = schedule.removeNext(at: now, inFlight: 0) {
        // What comes back was not sent and does not count.
        schedule.giveBack(first)
      }
      ends += Self.take(&schedule, at: now)
    }
    #expect(Self.sent(ends) == [1, 2, 3, 6, 7, 8])
    #expect(schedule.counts.missedProviderLimit == 4)
    #expect(schedule.counts.missed == 4 && schedule.counts.sent == 6)
  }

  // MARK: Invariants

  /// Every number that came due has one end, whatever the clock, the commits and the places do; in order.
  @Test(arguments: 0..<20) func everyDueNumberHasOneEnd(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var schedule = try Self.schedule(
      every: .milliseconds(3), poisson: seed.isMultiple(of: 2),
      limits: ScheduleLimits(maxInFlight: 20, maxLag: .milliseconds(250)))
    var now = Self.start - .milliseconds(300)
    var uncommitted: [PlannedBlock] = []
    var plannedAt: [Int64: MonotonicTime] = [:]
    var ended: Set<Int64> = []
    var inFlight = 0
    var lastSent: Int64 = 0
    func end(_ sequence: Int64) {
      #expect(ended.insert(sequence).inserted, "\(sequence) ended twice")
      #expect(plannedAt[sequence].map { $0 <= now } == true)
    }
    for _ in 0..<3000 {
      now = now + .microseconds(Int64(random.unit() < 0.01 ? 400_000 : random.unit() * 4000))
      while let block = schedule.nextBlock(at: now) {
        uncommitted.append(block)
        for (offset, instant) in block.planned.enumerated() {
          plannedAt[block.firstSequence + Int64(offset)] = instant
        }
      }
      if random.unit() < 0.2, !uncommitted.isEmpty {
        schedule.acknowledge(through: uncommitted.removeFirst().lastSequence)
      }
      if random.unit() < 0.01 { schedule.pause(until: now + .milliseconds(50)) }
      if random.unit() < 0.02 { schedule.isCredentialRefused.toggle() }
      if random.unit() < 0.01 {
        schedule.backOff(until: now + .milliseconds(90), probeEvery: .milliseconds(20), at: now)
      }
      let isConnected = random.unit() < 0.5
      for missed in Self.admit(&schedule, at: now) { end(missed.sequence) }
      inFlight = Int(Double(inFlight) * random.unit())
      for _ in 0..<Int(random.unit() * 6) {
        guard
          let step = schedule.removeNext(
            at: now, inFlight: inFlight, failure: { _ in isConnected ? nil : .connect })
        else { break }
        switch step {
        case .missed(let notification, _), .failed(let notification, _): end(notification.sequence)
        case .send(let notification):
          if random.unit() < 0.1 {
            schedule.giveBack(notification)
          } else {
            #expect(notification.sequence > lastSent)
            lastSent = notification.sequence
            inFlight += 1
            end(notification.sequence)
          }
        }
      }
    }
    for notification in schedule.stop(at: now) { end(notification.sequence) }
    let due = plannedAt.filter { $0.value <= now }.keys
    #expect(Set(due) == ended)
    #expect(schedule.counts.due == Int64(due.count))
    let counts = schedule.counts
    #expect(counts.sent + counts.missed + counts.failedUnsent == counts.due)
    #expect(counts.missedBackoff > 0)
    #expect(due.count > 1000)
  }
}
