import Glibc

/// Distribution-free confidence intervals for quantiles.
///
/// The number of n independent values below the true q-quantile has the distribution binomial(n, q). So the r-th and
/// the s-th smallest value enclose it with the probability that this number is in r ..< s (David & Nagaraja, Order
/// Statistics, 7.1). Each side may miss with at most half of the error probability. Ranks are whole numbers, so both
/// sides rarely use all of it; where the rest allows, the interval is one rank narrower, so that its coverage is close
/// to the nominal one. Successive latencies are not independent while a provider has a bad minute; the interval is then
/// too narrow (docs/measurement.md).
public enum OrderStatistics {
  public static let confidence = 0.95

  /// The ranks, from 1, of the values that enclose the quantile with at least the given confidence.
  ///
  /// - Returns: `nil` when there are too few values for an interval inside the data.
  public static func ranks(
    count: Int, quantile: Quantile, confidence: Double = confidence
  ) -> ClosedRange<Int>? {
    let tail = (1 - confidence) / 2
    var low = End(count: count, fraction: quantile.fraction, tail: tail)
    // Counted from the largest value.
    var high = End(count: count, fraction: 1 - quantile.fraction, tail: tail)
    guard low.rank >= 1, high.rank >= 1, low.rank + high.rank <= count + 1 else { return nil }
    var spare = 2 * tail - low.missed - high.missed
    // If both cost the same, narrow the lower end: the upper end stays conservative.
    while min(low.next, high.next) <= spare {
      if low.next <= high.next { spare -= low.moveInwards() } else { spare -= high.moveInwards() }
    }
    return low.rank...count + 1 - high.rank
  }

  /// The smallest number of values with an interval inside the data, so that the minimum and the maximum enclose the
  /// quantile with the given confidence.
  public static func smallestCount(for quantile: Quantile, confidence: Double = confidence) -> Int {
    let farther = max(quantile.fraction, 1 - quantile.fraction)
    return Int((log((1 - confidence) / 2) / log(farther)).rounded(.up))
  }

  /// One end of an interval: a rank, counted from its side, and the probability that it misses.
  private struct End {
    /// The largest rank whose value is beyond the quantile with a probability of at most `tail`; 0 if there is none.
    var rank = 0
    /// That probability.
    var missed = 0.0
    /// The probability that one more rank adds.
    var next = 1.0
    private let count: Double
    private let odds: Double

    init(count: Int, fraction: Double, tail: Double) {
      let n = Double(count)
      self.count = n
      odds = fraction / (1 - fraction)
      guard count > 0 else { return }
      let deviation = (n * fraction * (1 - fraction)).squareRoot()
      // The probability beyond twelve standard deviations is less than 10^-30.
      rank = max(0, Int((n * fraction - 12 * deviation).rounded(.down)))
      let k = Double(rank)
      next = exp(
        logFactorial(n) - logFactorial(k) - logFactorial(n - k) + k * log(fraction) + (n - k)
          * log1p(-fraction))
      while missed + next <= tail, rank < count { moveInwards() }
    }

    /// - Returns: the probability that was added.
    @discardableResult
    mutating func moveInwards() -> Double {
      let cost = next
      missed += cost
      next *= (count - Double(rank)) / Double(rank + 1) * odds
      rank += 1
      return cost
    }
  }

  /// ln n!, exact for small n, otherwise by Stirling's series (error under 10^-13).
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
