import Measurement
import Testing

@Suite struct ArrivalRateTests {
  @Test func whatIsNotPositiveIsNoRate() {
    #expect(ArrivalRate(0, per: .seconds(1)) == nil)
    #expect(ArrivalRate(-1, per: .seconds(1)) == nil)
    #expect(ArrivalRate(1, per: .zero) == nil)
    #expect(ArrivalRate(perSecond: 0) == nil)
    #expect(ArrivalRate(perSecond: .nan) == nil)
    #expect(ArrivalRate(perSecond: .infinity) == nil)
    #expect(ArrivalRate(perSecond: 1e-12) == nil)
  }

  @Test func decimalRatesKeepTheirMeaning() throws {
    #expect(try #require(ArrivalRate(perSecond: 0.1)).perSecond == 0.1)
    #expect(try #require(ArrivalRate(perSecond: 1234.567)).perSecond == 1234.567)
    #expect(try #require(ArrivalRate(perSecond: 1 / 8_640_000)).period == 8_640_000_000_000_000)
    #expect(try #require(ArrivalRate.every(.milliseconds(250))).perSecond == 4)
    #expect(try #require(ArrivalRate(30, per: .seconds(60))).meanInterval == 2e9)
  }
}
