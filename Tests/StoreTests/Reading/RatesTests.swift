import Measurement
import Store
import StoreTestKit
import Testing

@Suite struct RatesTests {
  @Test func areAskedAchievedAndMissedByThePlan() throws {
    let fixture = try StoreFixture()
    // 100 a second for half a second; of the 50 that came due 40 were sent and 10 missed, 20 lie ahead.
    let plans = fixture.plans(fixture.alpha, count: 70)
    try fixture.commit(inserted: plans)
    let reader = try fixture.reader()
    #expect(try reader.rates(of: fixture.run).first?.span == nil)
    #expect(try reader.rates(of: fixture.run).first?.achieved == nil)
    try fixture.commit(
      updated: plans[..<50].enumerated().map {
        $0.offset % 5 == 0 ? $0.element.asMissed(.lag) : $0.element.asSent
      })
    let rates = try reader.rates(of: fixture.run)
    #expect(rates.map(\.target) == [fixture.alpha, fixture.beta])
    let alpha = try #require(rates.first)
    #expect(alpha.asked == 100)
    #expect(alpha.span == .milliseconds(500))
    #expect(alpha.due == 50 && alpha.sent == 40 && alpha.missed == 10)
    #expect(alpha.achieved == 80)
    #expect(alpha.missedRate == 20)
    #expect(rates.last?.due == 0)
    #expect(rates.last?.asked == 2.5)
  }

  /// Four at once each second: a whole burst has come at the first instant, when no time has passed.
  @Test func burstsDoNotLookFasterThanTheyAre() throws {
    let fixture = try StoreFixture()
    var plans = fixture.plans(fixture.alpha, count: 12, interval: 1)
    for index in plans.indices {
      plans[index].plannedMonotonic = plans[0].plannedMonotonic + Int64(index / 4) * 1_000_000
    }
    try fixture.commit(inserted: plans.map(\.asSent))
    #expect(try fixture.reader().rates(of: fixture.run).first?.achieved == 4)
  }

  @Test func variantsOfOneTargetAddUp() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.beta, count: 10, interval: 400_000)
    try fixture.commit(inserted: plans.map(\.asSent))
    let rates = try #require(try fixture.reader().rates(of: fixture.run).last)
    #expect(rates.due == 10 && rates.sent == 10)
    #expect(rates.achieved == 2.5)
  }
}
