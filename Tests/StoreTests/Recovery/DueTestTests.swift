import Measurement
import Testing

@testable import Store

@Suite struct DueTestTests {
  private func at(_ monotonic: Int64, _ wall: Int64) -> ClockAnchor {
    ClockAnchor(
      monotonic: MonotonicTime(microseconds: monotonic * 1_000_000),
      wall: WallTime(microseconds: wall * 1_000_000))
  }

  private func lastDue(
    boot: String, anchor: ClockAnchor, heartbeat: ClockAnchor, now: ClockAnchor
  ) -> Int64? {
    let test = DueTest(
      runBootID: "a", bootID: boot, anchor: anchor, heartbeat: heartbeat, now: now)
    return (0...100_000).last { test.mayHaveBeenSent(planned: Int64($0) * 1_000_000) }.map(Int64.init)
  }

  @Test func theSameBootGoesByTheMonotonicClock() {
    #expect(lastDue(boot: "a", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(130, 9000)) == 130)
  }

  /// A boot id that came back, as after restoring a virtual machine, is not believed against the clock.
  @Test func aClockThatWentBackIsAnotherBoot() {
    #expect(lastDue(boot: "a", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 5040)) == 200)
  }

  @Test func anotherBootGoesByTheWallAndAMargin() {
    // Until 5040, which is 140 on the run's clock, and a minute more.
    #expect(lastDue(boot: "b", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 5040)) == 200)
  }

  @Test func aWallClockSetBackIsOutweighedByTheHeartbeat() {
    #expect(lastDue(boot: "b", anchor: at(100, 5000), heartbeat: at(120, 5020), now: at(7, 1000)) == 180)
  }
}
