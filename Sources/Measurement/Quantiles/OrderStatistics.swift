import Glibc

/// Confidence intervals for quantiles from ranks alone, whatever the distribution is.
///
/// How many of n independent values lie below the true q-quantile is binomial(n, q). So the r-th and the s-th smallest
/// value enclose it with the probability that this count is in r ..< s. Each side gets half of what may go wrong
/// (David & Nagaraja, Order Statistics, 7.1). Successive latencies are not independent when a provider has a bad
/// minute; the interval is then narrower than it should be, which docs/measurement.md says.
public enum OrderStatistics {
  public static let confidence = 0.95

  /// Ranks, from 1, of the values that enclose the quantile at least with the confidence asked for.
  ///
  /// - Returns: `nil` when there are too few values for an interval that lies inside the data.
  public static func ranks(
    count: Int, quantile: Quantile, confidence: Double = confidence
  ) -> ClosedRange<Int>? {
    let tail = (1 - confidence) / 2
    let low = lowRank(count: count, fraction: quantile.fraction, tail: tail)
    let high = count + 1 - lowRank(count: count, fraction: 1 - quantile.fraction, tail: tail)
    guard low >= 1, high <= count, low <= high else { return nil }
    return low...high
  }

  /// The smallest number of values with an interval inside the data: the largest and the smallest value must each be
  /// on the wrong side of the quantile rarely enough.
  public static func smallestCount(for quantile: Quantile, confidence: Double = confidence) -> Int {
    let farther = max(quantile.fraction, 1 - quantile.fraction)
    return Int((log((1 - confidence) / 2) / log(farther)).rounded(.up))
  }

  /// The largest rank whose value exceeds the quantile with a probability of at most `tail`; 0 when none does.
  private static func lowRank(count: Int, fraction: Double, tail: Double) -> Int {
    guard count > 0 else { return 0 }
    let n = Double(count)
    let deviation = (n * fraction * (1 - fraction)).squareRoot()
    // Below twelve deviations lies less than one part in 10^30.
    var k = max(0, Int((n * fraction - 12 * deviation).rounded(.down)))
    var mass = exp(
      logFactorial(n) - logFactorial(Double(k)) - logFactorial(n - Double(k)) + Double(k) * log(fraction)
        + (n - Double(k)) * log1p(-fraction))
    let odds = fraction / (1 - fraction)
    var sum = mass
    while sum <= tail, k < count {
      mass *= (n - Double(k)) / Double(k + 1) * odds
      k += 1
      sum += mass
    }
    return k
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
