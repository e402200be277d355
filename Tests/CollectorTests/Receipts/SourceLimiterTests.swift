import Measurement
import Testing

@testable import Collector

@Suite struct SourceLimiterTests {
  private func limiter(budget: Int = 100, regained: Int = 10, sources: Int = 100) -> SourceLimiter {
    var limit = SourceLimit()
    limit.budget = budget
    limit.regainedPerSecond = regained
    limit.badCost = 10
    limit.maximumSources = sources
    return SourceLimiter(limit: limit)
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: milliseconds * 1000) }

  @Test func lifesGoodCostsNothing() {
    let limiter = limiter()
    #expect(limiter.pause("1.2.3.4", at: at(0)) == nil)
    #expect(limiter.count == 0)
  }

  @Test func pausesWhenTheBudgetIsSpentAndResumesWhenItIsBack() {
    var limiter = limiter()
    for _ in 0..<9 { limiter.charge("a", 10, at: at(0)) }
    #expect(limiter.pause("a", at: at(0)) == nil)
    limiter.charge("a", 10, at: at(0))
    #expect(limiter.pause("a", at: at(0)) == .seconds(1))
    #expect(limiter.pause("a", at: at(400)) == .milliseconds(600))
    #expect(limiter.pause("a", at: at(1000)) == nil)
    #expect(limiter.pause("b", at: at(0)) == nil, "others are not concerned")
  }

  @Test func aFloodIsHeldAgainstItsSourceForABoundedTime() {
    var limiter = limiter()
    for _ in 0..<1000 { limiter.charge("a", 1000, at: at(0)) }
    #expect(limiter.pause("a", at: at(0)) == .seconds(11))
    #expect(limiter.pause("a", at: at(11_000)) == nil)
  }

  @Test func ignoresChargesOfNothingAndClocksThatStandStill() {
    var limiter = limiter()
    limiter.charge("a", 0, at: at(0))
    #expect(limiter.count == 0)
    limiter.charge("a", 100, at: at(5000))
    #expect(limiter.pause("a", at: at(4000)) == .seconds(1))
  }

  @Test func takesTheAddressesOfOneIPv6NetworkTogether() {
    var limiter = limiter()
    for host in 0..<10 { limiter.charge("2001:db8:1:2::\(host)", 10, at: at(0)) }
    #expect(limiter.count == 1)
    #expect(limiter.pause("2001:db8:1:2:ffff::1", at: at(0)) != nil)
    #expect(limiter.pause("2001:db8:1:3::1", at: at(0)) == nil)
    limiter.charge("::1", 100, at: at(0))
    #expect(limiter.pause("0:0:0:0:0:0:0:1", at: at(0)) != nil)
    limiter.charge("fe80::5%eth0", 100, at: at(0))
    #expect(limiter.pause("fe80::6%eth1", at: at(0)) != nil)
  }

  @Test func remembersOnlySoManySources() {
    var limiter = limiter(sources: 50)
    for source in 0..<50 { limiter.charge("10.0.0.\(source)", 10, at: at(0)) }
    #expect(limiter.count == 50)
    // A second later all of them have recovered and make room.
    limiter.charge("new", 10, at: at(1000))
    #expect(limiter.count == 1)
    // With no room left, newcomers share one budget, and those remembered keep theirs.
    for source in 0..<49 { limiter.charge("10.1.0.\(source)", 90, at: at(1000)) }
    for source in 0..<20 { limiter.charge("10.2.0.\(source)", 10, at: at(1000)) }
    #expect(limiter.count == 50)
    #expect(limiter.pause("10.3.0.1", at: at(1000)) != nil)
    #expect(limiter.pause("10.1.0.1", at: at(1000)) == nil)
  }
}
