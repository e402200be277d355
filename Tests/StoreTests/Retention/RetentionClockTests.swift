import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A host whose clocks a test moves, and the looks that retention takes at them.
private struct Looks {
  var wall = WallTime(microseconds: 1_772_366_400_000_000)
  var boottime = Duration.seconds(5_000)
  var boot = "first"
  var isSynchronized = true
  var clock: RetentionClock
  private static let interval = Duration.seconds(10)

  init() {
    clock = RetentionClock(
      .init(wall: wall, boottime: boottime, bootID: boot, isSynchronized: true))
  }

  mutating func look(isContinuing: Bool = true) -> RetentionClock.Change? {
    clock.update(
      .init(wall: wall, boottime: boottime, bootID: boot, isSynchronized: isSynchronized),
      isContinuing: isContinuing)
  }

  mutating func step(_ duration: Duration) { wall = wall.advanced(byMicroseconds: duration.microseconds) }

  mutating func pass(_ duration: Duration) {
    boottime += duration
    step(duration)
  }

  mutating func reboot(after duration: Duration) {
    step(duration)
    boot += "'"
    boottime = .seconds(30)
  }

  /// Lets a collector run, until a look changes something.
  mutating func run(for duration: Duration) -> (change: RetentionClock.Change?, ran: Duration) {
    var ran = Duration.zero
    while ran < duration {
      pass(Self.interval)
      ran += Self.interval
      if let change = look() { return (change, ran) }
    }
    return (nil, ran)
  }
}

@Suite struct RetentionClockTests {
  private static let days = Duration.seconds(3 * 86_400)

  @Test func followsAWallClockThatIsRight() {
    var host = Looks()
    #expect(host.run(for: .seconds(3_600)).change == nil)
    // A host that sleeps, or a collector that was off on the same boot: the time has passed.
    host.pass(Self.days)
    #expect(host.look(isContinuing: false) == nil)
    #expect(host.clock.now == host.wall)
    host.reboot(after: .seconds(1_800))
    #expect(host.look(isContinuing: false) == nil)
    #expect(host.clock.now == host.wall)
  }

  /// The two clocks of a look are read one after the other: on a busy host an hour looks like a little more.
  @Test func anHourIsNotHeld() {
    var host = Looks()
    host.step(.seconds(3_600) + .milliseconds(30))
    #expect(host.look() == nil)
    #expect(host.clock.now == host.wall)
    let right = host.wall
    host.step(.seconds(3_901))
    #expect(host.look() == .held(wall: host.wall, expected: right))
  }

  @Test func aClockThatIsAheadIsHeldUntilItIsSetBack() {
    var host = Looks()
    let right = host.wall
    host.step(Self.days)
    #expect(host.look() == .held(wall: host.wall, expected: right))
    #expect(host.run(for: .seconds(1_800)).change == nil)
    // What becomes old meanwhile is not held.
    #expect(host.clock.now == right.advanced(byMicroseconds: 1_800_000_000))
    host.step(.zero - Self.days)
    #expect(host.look() == .corrected)
    #expect(host.clock.now == host.wall && host.clock.hold == nil)
    // And ahead once more.
    host.step(Self.days)
    #expect(host.look() != nil)
  }

  @Test(arguments: [(true, 3_600), (false, 86_400)])
  func aClockThatLastsCounts(isSynchronized: Bool, seconds: Int) {
    var host = Looks()
    host.isSynchronized = isSynchronized
    let before = host.wall
    host.reboot(after: Self.days)
    #expect(host.look(isContinuing: false) == .held(wall: host.wall, expected: before))
    // In all: restarts in between count for nothing, and the time between them neither.
    #expect(host.run(for: .seconds(1_000)).change == nil)
    host.pass(.seconds(5_000))
    #expect(host.look(isContinuing: false) == nil)
    let (change, ran) = host.run(for: .seconds(100_000))
    #expect(ran == .seconds(seconds - 1_000))
    guard case .released = change else {
      Issue.record("\(String(describing: change))")
      return
    }
    #expect(host.clock.now == host.wall && host.clock.hold == nil)
  }

  @Test func aStepBeginsTheTrialAnew() {
    var host = Looks()
    host.step(Self.days)
    #expect(host.look() != nil)
    #expect(host.run(for: .seconds(3_000)).change == nil)
    host.step(.seconds(60))
    #expect(host.look() == nil)
    #expect(host.run(for: .seconds(100_000)).ran == .seconds(3_600))
  }

  /// A host without a clock of its own begins in 1970 at each boot.
  @Test func aClockThatIsSetAfterTheBootIsNotAhead() {
    var host = Looks()
    let before = host.wall
    host.reboot(after: .zero)
    host.wall = WallTime(microseconds: 0)
    #expect(host.look(isContinuing: false) == nil)
    #expect(host.clock.now == before)
    host.wall = before
    host.pass(.seconds(90))
    #expect(host.look() == nil)
    #expect(host.clock.now == host.wall)
  }

  @Test func theStoreKeepsTheLook() throws {
    let fixture = try StoreFixture()
    func reading(_ ahead: Int64) -> RetentionClock.Reading {
      .init(
        wall: fixture.clock.wallNow().advanced(byMicroseconds: ahead), boottime: .seconds(7),
        bootID: "boot", isSynchronized: true)
    }
    #expect(
      try fixture.store.updateRetentionClock(to: reading(0), isContinuing: false, hasAges: true).change == nil
    )
    fixture.store.close()
    let store = try fixture.reopened(fixture.directory.storePath)
    defer { store.close() }
    let look = try store.updateRetentionClock(
      to: reading(Self.days.microseconds), isContinuing: false, hasAges: true)
    #expect(look.clock.now == fixture.clock.wallNow())
    let wait = try #require(try fixture.reader().retentionWait())
    #expect(wait.reason == .clock(countsAs: fixture.clock.wallNow()))
    // Without ages nothing is held back that anybody asked for.
    _ = try store.updateRetentionClock(
      to: reading(Self.days.microseconds), isContinuing: true, hasAges: false)
    #expect(try fixture.reader().retentionWait() == nil)
  }
}
