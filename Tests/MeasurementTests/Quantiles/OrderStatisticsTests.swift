import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@Suite(.ownThread) struct OrderStatisticsTests {
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

  /// 40...61 would do for the median of 100, with 3.5 % outside; one rank less leaves 4.6 % outside.
  @Test func isNoWiderThanTheConfidenceNeeds() {
    #expect(OrderStatistics.ranks(count: 100, quantile: .p50) == 41...61)
  }

  @Test(arguments: Quantile.standard) func holdsTheQuantileAsOftenAsItSaysAndHardlyMoreOften(
    quantile: Quantile
  )
    throws
  {
    for count in [1, 2, 3, 10, 30].map({ $0 * quantile.smallestCount }) + [4_000, 20_000]
    where count >= quantile.smallestCount {
      let ranks = try #require(OrderStatistics.ranks(count: count, quantile: quantile))
      let outside = 1 - Self.coverage(ranks, count, quantile.fraction)
      #expect(outside <= 0.05 + 1e-7, "\(quantile.label) of \(count)")
      // Neither end could move.
      for narrower in [ranks.lowerBound + 1...ranks.upperBound, ranks.lowerBound...ranks.upperBound - 1] {
        #expect(
          1 - Self.coverage(narrower, count, quantile.fraction) > 0.05 - 1e-7, "\(quantile.label) of \(count)"
        )
      }
    }
  }

  /// By the definition, term by term.
  private static func coverage(_ ranks: ClosedRange<Int>, _ count: Int, _ fraction: Double) -> Double {
    (ranks.lowerBound..<ranks.upperBound).reduce(0) { sum, k in
      let ways = lgamma(Double(count + 1)) - lgamma(Double(k + 1)) - lgamma(Double(count - k + 1))
      return sum + exp(ways + Double(k) * log(fraction) + Double(count - k) * log1p(-fraction))
    }
  }

  @Test func widensWithTheConfidence() throws {
    let usual = try #require(OrderStatistics.ranks(count: 1_000, quantile: .p90))
    let wide = try #require(OrderStatistics.ranks(count: 1_000, quantile: .p90, confidence: 0.99))
    #expect(wide.lowerBound < usual.lowerBound)
    #expect(wide.upperBound > usual.upperBound)
  }

  /// The ranks against scipy's binomial distribution, an implementation that shares nothing with ours.
  @Test(.enabled(if: Python.has("scipy"), "scipy is missing: ranks are not checked against its binomial"))
  func ranksAgreeWithScipy() throws {
    var cases: [(count: Int, quantile: Quantile)] = []
    for quantile in Quantile.standard {
      for count in Array(1...80) + [
        100, 367, 368, 999, 3_688, 12_345, 36_887, 100_000, 1_000_000, 10_000_000,
      ] {
        cases.append((count, quantile))
      }
    }
    let expected = try Python.run(
      """
      import json, sys
      from scipy.stats import binom
      out = []
      for n, q in json.load(open(sys.argv[1])):
          # low - 1 is the most that lies below with at most 2.5 %; ppf gives the first with at least that.
          low = int(binom.ppf(0.025, n, q))
          while low > 0 and binom.cdf(low - 1, n, q) > 0.025: low -= 1
          while binom.cdf(low, n, q) <= 0.025: low += 1
          high = int(binom.isf(0.025, n, q))
          while high <= n and binom.sf(high - 1, n, q) > 0.025: high += 1
          while high > 1 and binom.sf(high - 2, n, q) <= 0.025: high -= 1
          if low < 1 or high > n:
              out.append(None)
              continue
          # What whole ranks leave over of the 5 % pays for a step inwards where it can; on a tie below.
          spare = 0.05 - binom.cdf(low - 1, n, q) - binom.sf(high - 1, n, q)
          while True:
              below, above = binom.pmf(low, n, q), binom.pmf(high - 1, n, q)
              if min(below, above) > spare: break
              if below <= above * (1 + 1e-9): low, spare = low + 1, spare - below
              else: high, spare = high - 1, spare - above
          out.append([low, high])
      json.dump(out, sys.stdout)
      """, input: Array(try JSONEncoder().encode(cases.map { [Double($0.count), $0.quantile.fraction] })))
    let ranks = try JSONDecoder().decode([[Int]?].self, from: Data(expected.utf8))
    #expect(ranks.count == cases.count)
    for (wanted, (count, quantile)) in zip(ranks, cases) {
      let found = OrderStatistics.ranks(count: count, quantile: quantile)
      #expect(found.map { [$0.lowerBound, $0.upperBound] } == wanted, "\(count) \(quantile.label)")
    }
  }
}

/// Simulated runs of a known distribution: how often the interval holds the true quantile.
@Suite(.ownThread) struct IntervalCoverageTests {
  @Test(arguments: [(Quantile.p50, 61), (.p90, 120), (.p99, 450)])
  func holdsTheTruthAsOftenAsItSays(quantile: Quantile, count: Int) throws {
    var generator = SeededGenerator(seed: 20_260_301)
    let truth = Self.exponential(quantile.fraction)
    let rounds = 600
    var hits = 0
    for _ in 0..<rounds {
      let values = (0..<count).map { _ in Self.exponential(generator.unit()) }
      if Self.holds(ExactQuantiles(values).estimate(quantile), truth) { hits += 1 }
    }
    // The ranks give a little over 95 %, as whole ranks must: its exact value, and four standard deviations.
    let nominal = try Self.coverage(quantile, count)
    #expect((0.95...0.985).contains(nominal))
    let deviation = 4 * (nominal * (1 - nominal) / Double(rounds)).squareRoot()
    #expect(abs(Double(hits) / Double(rounds) - nominal) < deviation)
  }

  /// µs at a fraction of an exponential distribution with a mean of 100 ms.
  private static func exponential(_ fraction: Double) -> Int64 {
    Int64((-100_000 * log1p(-fraction)).rounded())
  }

  private static func holds(_ estimate: QuantileEstimate, _ truth: Int64) -> Bool {
    guard case .known(_, let low, let high) = estimate else { return false }
    return low <= truth && truth <= high
  }

  /// The probability that the number of values below the quantile puts it between the two ranks, summed directly.
  private static func coverage(_ quantile: Quantile, _ count: Int) throws -> Double {
    let ranks = try #require(OrderStatistics.ranks(count: count, quantile: quantile))
    let q = quantile.fraction
    return (ranks.lowerBound..<ranks.upperBound).reduce(0.0) { sum, k in
      let ways = (0..<k).reduce(0.0) { $0 + log(Double(count - $1)) - log(Double($1 + 1)) }
      return sum + exp(ways + Double(k) * log(q) + Double(count - k) * log1p(-q))
    }
  }
}
