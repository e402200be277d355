import Glibc
import Measurement
import TestTraits
import Testing
import Transport
import TransportTestKit

/// One thread serves all targets; a peer affects its own target only.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasNghttpd, "nghttpd or openssl is not installed"),
  .timeLimit(.minutes(10)))
struct ManyTargetsTests {
  @Test func aFrozenPeerDoesNotHoldUpAnother() throws {
    let frozen = try ServerProcess.nghttpd()
    let healthy = try ServerProcess.nghttpd()
    let run = TransportRun()
    var first = try TransportRun.target(
      TransportRun.https(frozen), rate: 100, limits: ScheduleLimits(maxLag: .milliseconds(100)))
    first.id = TargetID(rawValue: 1)
    var second = try TransportRun.target(TransportRun.https(healthy), rate: 100)
    second.id = TargetID(rawValue: 2)
    try run.start(first, second)
    func accepted(_ seen: TransportRun.Seen, _ target: TransportTarget) -> Int {
      seen.answered.keys.count { $0.target == target.id }
    }
    #expect(run.wait { accepted($0, first) >= 20 && accepted($0, second) >= 20 })
    frozen.signal(SIGSTOP)
    let before = run.seen
    #expect(run.wait { accepted($0, second) >= accepted(before, second) + 100 })
    let after = run.seen
    #expect(accepted(after, first) <= accepted(before, first) + 50)
    frozen.signal(SIGCONT)
    #expect(run.wait { accepted($0, first) >= accepted(after, first) + 20 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    // Connection numbers are unique in the run, and each connection belongs to one target.
    #expect(Set(seen.events(.connected).map(\.connectionID)) == [1, 2])
    #expect(Set(seen.events(.connected).map(\.target)) == [first.id, second.id])
  }
}
