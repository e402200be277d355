import Glibc

/// Confidence intervals for quantiles from ranks alone, whatever the distribution is.
///
/// How many of n independent values lie below the true q-quantile is binomial(n, q). So the r-th and the s-th smallest
/// value enclose it with the probability that this count is in r ..< s (David & Nagaraja, Order Statistics, 7.1). Each
/// side may go wrong at most half as often as both together. Whole ranks rarely use all of that up; where what both
/// sides leave over pays for a rank, the interval is that rank narrower, so that it holds the quantile as often as it
/// says and hardly more often. Successive latencies are not independent when a provider has a bad minute; the interval
/// is then narrower than it should be, which docs/measurement.md says.
public enum OrderStatistics {
  public static let confidence = 0.95

  /// Ranks, from 1, of the values that enclose the quantile at least with the confidence asked for.
  ///
  /// - Returns: `nil` when there are too few values for an interval that lies inside the data.
  public static func ranks(
    count: Int, quantile: Quantile, confidence: Double = confidence
  ) -> ClosedRange<Int>? {
    let tail = (1 - confidence) / 2
    var low = End(count: count, fraction: quantile.fraction, tail: tail)
    // Counted from the largest value down.
    var high = End(count: count, fraction: 1 - quantile.fraction, tail: tail)
    guard low.rank >= 1, high.rank >= 1, low.rank + high.rank <= count + 1 else { return nil }
    var spare = 2 * tail - low.missed - high.missed
    // Of two that cost the same the lower one moves: what people look at is the upper.
    while min(low.next, high.next) <= spare {
      if low.next <= high.next { spare -= low.moveInwards() } else { spare -= high.moveInwards() }
    }
    return low.rank...count + 1 - high.rank
  }

  /// The smallest number of values with an interval inside the data: the largest and the smallest value must each be
  /// on the wrong side of the quantile rarely enough.
  public static func smallestCount(for quantile: Quantile, confidence: Double = confidence) -> Int {
    let farther = max(quantile.fraction, 1 - quantile.fraction)
    return Int((log((1 - confidence) / 2) / log(farther)).rounded(.up))
  }

  /// One end of an interval: a rank counted from its side, with what it leaves out.
  private struct End {
    /// The largest rank whose value lies beyond the quantile with a probability of at most `tail`; 0 when none does.
    var rank = 0
    /// That probability.
    var missed = 0.0
    /// What one rank more would add to it.
    var next = 1.0
    private let count: Double
    private let odds: Double

    init(count: Int, fraction: Double, tail: Double) {
      let n = Double(count)
      self.count = n
      odds = fraction / (1 - fraction)
      guard count > 0 else { return }
      let deviation = (n * fraction * (1 - fraction)).squareRoot()
      // Below twelve deviations lies less than one part in 10^30.
      rank = max(0, Int((n * fraction - 12 * deviation).rounded(.down)))
      let k = Double(rank)
      next = exp(
        logFactorial(n) - logFactorial(k) - logFactorial(n - k) + k * log(fraction) + (n - k)
          * log1p(-fraction))
      while missed + next <= tail, rank < count { moveInwards() }
    }

    /// - Returns: what it cost.
    @discardableResult
    mutating func moveInwards() -> Double {
      let cost = next
      missed += cost
      next *= (count - Double(rank)) / Double(rank + 1) * odds
      rank += 1
      return cost
    }
  }

  /// ln n!, exactly for small n, by Stirling's series beyond (error under 10^-13).
  private static func logFactorial(_ n: Double) -> Double {
    guard n >= 32 else {
      var sum = 0.0
      var factor = 2.0
      while factor <= n {
        sum += log(factor)
        factor += 1
      }
      return sum
    }
    let square = n * n
    let series = (1 / 12 - (1 / 360 - 1 / (1260 * square)) / square) / n
    return n * log(n) - n + 0.5 * log(2 * Double.pi * n) + series
  }
}
