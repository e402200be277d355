import Measurement
import Testing

@testable import Transport

/// A clock that jumps, as after a suspended machine or a thread that stood still: what is overdue is missed, never sent
/// in a bunch, whatever draws the instants.
@Suite struct StallTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  static let processes: [ArrivalProcess] = {
    guard let rate = ArrivalRate(100, per: .seconds(1)) else { return [] }
    return [
      .constant(rate), .poisson(rate), .jittered(rate, jitter: 1), .jittered(rate, jitter: 0.2),
      .burst(rate, size: 8),
    ]
  }()

  private struct StallCounts {
    var sent: [PlannedNotification] = []
    var missed: [PlannedNotification] = []
  }

  /// Everything that the schedule does at one instant; commits what it plans at once.
  private func act(_ schedule: inout TargetSchedule, at now: MonotonicTime, into tally: inout StallCounts)
    -> [PlannedNotification]
  {
    while let missed = schedule.admit(at: now) {
      #expect(missed.1 == .lag)
      tally.missed.append(missed.0)
    }
    var sent: [PlannedNotification] = []
    while let step = schedule.removeNext(at: now, inFlight: 0) {
      switch step {
      case .send(let notification): sent.append(notification)
      case .missed(let notification, _), .failed(let notification, _): tally.missed.append(notification)
      }
    }
    while let block = schedule.nextBlock(at: now) {
      schedule.acknowledge(through: block.lastSequence)
      guard block.missed != nil else { continue }
      for (offset, planned) in block.planned.enumerated() {
        tally.missed.append(
          PlannedNotification(sequence: block.firstSequence + Int64(offset), planned: planned))
      }
    }
    tally.sent += sent
    return sent
  }

  @Test(arguments: processes) func aJumpNeverMakesABunch(process: ArrivalProcess) throws {
    var schedule = TargetSchedule(
      target: TargetID(rawValue: 1), arrivals: process.sequence(from: Self.start, seed: 9),
      limits: ScheduleLimits(count: 5000))
    var generator = SeededGenerator(seed: 4)
    var tally = StallCounts()
    var now = Self.start
    var jumps = 0
    while !schedule.isFinished {
      // Mostly a step of a few milliseconds, now and then a jump of up to three seconds.
      let isJump = generator.unit() < 0.01
      jumps += isJump ? 1 : 0
      now = now + .nanoseconds(Int64((isJump ? 3e9 : 5e6) * generator.unit()))
      let sent = act(&schedule, at: now, into: &tally)
      let old = sent.filter { now - $0.planned > ScheduleLimits().stallTolerance }
      #expect(old.count <= 1, "at most the newest of what was overdue")
      if let newest = old.first {
        #expect(sent.allSatisfy { $0.sequence <= newest.sequence }, "and only when nothing newer was due")
      }
    }
    #expect(jumps > 10)
    #expect(!tally.missed.isEmpty)
    #expect(schedule.counts.due == 5000)
    #expect(schedule.counts.sent + schedule.counts.missed == 5000)
    let everyone = (tally.sent + tally.missed).map(\.sequence).sorted()
    #expect(everyone == Array(1...5000))
  }

  /// A store that takes nothing any more, as on a full disk, keeps no schedule from its end.
  @Test(
    arguments: processes,
    [ScheduleLimits(duration: .seconds(5)), ScheduleLimits(count: 300), ScheduleLimits(count: 1)])
  func aScheduleEndsThoughNothingIsCommitted(process: ArrivalProcess, limits: ScheduleLimits) throws {
    var schedule = TargetSchedule(
      target: TargetID(rawValue: 1), arrivals: process.sequence(from: Self.start, seed: 9), limits: limits)
    var now = Self.start
    var last = Self.start
    var planned: Int64 = 0
    while !schedule.isFinished, now < Self.start + .seconds(60) {
      while schedule.admit(at: now) != nil {}
      #expect(schedule.removeNext(at: now, inFlight: 0) == nil, "nothing is sent that is not committed")
      while let block = schedule.nextBlock(at: now) {
        planned += Int64(block.planned.count)
        last = max(last, block.planned.last ?? last)
      }
      // Woken by the instants that it names.
      guard let next = schedule.nextInstantOfInterest else { break }
      now = max(now + .milliseconds(1), next)
    }
    #expect(schedule.isFinished)
    #expect(now - last < .seconds(3))
    #expect(schedule.counts.due == planned && schedule.counts.missedLag == planned && planned > 0)
    if let count = limits.count { #expect(planned == count) }
  }

  @Test func aBurstIsAllSentWhenItsInstantComes() throws {
    let rate = try #require(ArrivalRate(100, per: .seconds(1)))
    var schedule = TargetSchedule(
      target: TargetID(rawValue: 1),
      arrivals: ArrivalProcess.burst(rate, size: 20).sequence(from: Self.start, seed: 1),
      limits: ScheduleLimits(count: 40))
    var tally = StallCounts()
    _ = act(&schedule, at: Self.start, into: &tally)
    let first = act(&schedule, at: Self.start + .milliseconds(1), into: &tally)
    #expect(first.count == 20)
    #expect(act(&schedule, at: Self.start + .milliseconds(199), into: &tally).isEmpty)
    #expect(act(&schedule, at: Self.start + .milliseconds(200), into: &tally).count == 20)
    #expect(tally.missed.isEmpty)
  }
}
