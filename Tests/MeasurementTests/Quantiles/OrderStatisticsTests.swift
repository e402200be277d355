import Foundation
import Measurement
import Testing

@Suite struct OrderStatisticsTests {
  @Test(arguments: [
    (Quantile.p50, 6), (.p90, 36), (.p95, 72), (.p99, 368), (.p999, 3_688), (.p9999, 36_887),
  ])
  func needsAsManyValuesAsTheTableSays(quantile: Quantile, count: Int) {
    #expect(quantile.smallestCount == count)
    #expect(OrderStatistics.ranks(count: count - 1, quantile: quantile) == nil)
    #expect(OrderStatistics.ranks(count: count, quantile: quantile)?.upperBound == count)
  }

  @Test func hasNoIntervalForNothing() {
    for quantile in Quantile.standard {
      #expect(OrderStatistics.ranks(count: 0, quantile: quantile) == nil)
      #expect(OrderStatistics.ranks(count: 1, quantile: quantile) == nil)
    }
  }

  /// Worked by hand: of six values, all lie on one side of the median with 2 · 2⁻⁶.
  @Test func enclosesTheMedianOfSixByAll() {
    #expect(OrderStatistics.ranks(count: 6, quantile: .p50) == 1...6)
    #expect(OrderStatistics.ranks(count: 9, quantile: .p50) == 2...8)
  }

  @Test func widensWithTheConfidence() throws {
    let usual = try #require(OrderStatistics.ranks(count: 1_000, quantile: .p90))
    let wide = try #require(OrderStatistics.ranks(count: 1_000, quantile: .p90, confidence: 0.99))
    #expect(wide.lowerBound < usual.lowerBound)
    #expect(wide.upperBound > usual.upperBound)
  }

  /// The ranks against scipy's binomial distribution, an implementation that shares nothing with ours.
  @Test(.enabled(if: Oracle.hasScipy, "scipy is missing: ranks are not checked against its binomial"))
  func ranksAgreeWithScipy() throws {
    var cases: [(count: Int, quantile: Quantile)] = []
    for quantile in Quantile.standard {
      for count in Array(1...80) + [
        100, 367, 368, 999, 3_688, 12_345, 36_887, 100_000, 1_000_000, 10_000_000,
      ] {
        cases.append((count, quantile))
      }
    }
    let expected = try Oracle.run(
      """
      import json, sys
      from scipy.stats import binom
      out = []
      for n, q in json.load(sys.stdin):
          # low - 1 is the most that lies below with at most 2.5 %; ppf gives the first with at least that.
          low = int(binom.ppf(0.025, n, q))
          while low > 0 and binom.cdf(low - 1, n, q) > 0.025: low -= 1
          while binom.cdf(low, n, q) <= 0.025: low += 1
          high = int(binom.isf(0.025, n, q))
          while high <= n and binom.sf(high - 1, n, q) > 0.025: high += 1
          while high > 1 and binom.sf(high - 2, n, q) <= 0.025: high -= 1
          out.append([low, high] if low >= 1 and high <= n else None)
      json.dump(out, sys.stdout)
      """, input: cases.map { [Double($0.count), $0.quantile.fraction] })
    let ranks = try JSONDecoder().decode([[Int]?].self, from: expected)
    #expect(ranks.count == cases.count)
    for (wanted, (count, quantile)) in zip(ranks, cases) {
      let found = OrderStatistics.ranks(count: count, quantile: quantile)
      #expect(found.map { [$0.lowerBound, $0.upperBound] } == wanted, "\(count) \(quantile.label)")
    }
  }
}
