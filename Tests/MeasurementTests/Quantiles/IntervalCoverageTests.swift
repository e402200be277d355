import Foundation
import Measurement
import Testing

/// Simulated runs of a known distribution: how often the interval holds the true quantile.
@Suite struct IntervalCoverageTests {
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
