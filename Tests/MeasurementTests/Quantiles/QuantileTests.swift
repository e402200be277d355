import Measurement
import Testing

@Suite struct ExactQuantilesTests {
  private let thousand = ExactQuantiles((1...1_000).map { Int64($0) }.reversed())

  @Test func takesTheFirstValueThatTheFractionReaches() {
    #expect(thousand.value(.p50) == 500)
    #expect(thousand.value(.p90) == 900)
    #expect(thousand.value(.p99) == 990)
    #expect(thousand.value(.p999) == 999)
    #expect(ExactQuantiles([7]).value(.p99) == 7)
    #expect(ExactQuantiles([1, 2]).value(.p50) == 1)
    #expect(ExactQuantiles([]).value(.p50) == nil)
    #expect(thousand.count == 1_000)
  }

  @Test func comesWithAnIntervalOrNotAtAll() {
    #expect(thousand.estimate(.p50) == .known(value: 500, low: 470, high: 532))
    #expect(thousand.estimate(.p9999) == .tooFew(needs: 36_887))
    #expect(ExactQuantiles([]).estimate(.p50) == .tooFew(needs: 6))
    #expect(ExactQuantiles([1, 2, 3, 4, 5]).estimate(.p50) == .tooFew(needs: 6))
  }

  @Test func ranksAreWholeWhereTheProductIs() {
    #expect(Quantile.p90.rank(among: 10) == 9)
    #expect(Quantile.p90.rank(among: 11) == 10)
    #expect(Quantile.p999.rank(among: 3_000) == 2_997)
    #expect(Quantile.p50.rank(among: 1) == 1)
    #expect(Quantile.p99.rank(among: 0) == 1)
    for count in 1...5_000 {
      for (quantile, permyriad) in [
        (Quantile.p50, 5_000), (.p90, 9_000), (.p95, 9_500), (.p99, 9_900), (.p999, 9_990),
      ] {
        #expect(quantile.rank(among: count) == (permyriad * count + 9_999) / 10_000)
      }
    }
  }

  @Test func aQuantileIsBetweenZeroAndOne() {
    #expect(Quantile(fraction: 0, label: "p0") == nil)
    #expect(Quantile(fraction: 1, label: "p100") == nil)
    #expect(Quantile(fraction: .nan, label: "") == nil)
    #expect(Quantile(fraction: 0.75, label: "p75")?.smallestCount == 13)
    #expect(Quantile.standard == Quantile.standard.sorted())
  }

  @Test func saysWhatShareItSpeaksFor() {
    #expect(ShareOfPlanned(counted: 960, planned: 1_000).fraction == 0.96)
    #expect(ShareOfPlanned(counted: 0, planned: 0).fraction == nil)
  }
}
