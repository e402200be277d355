import Glibc
import Measurement

/// What a comparison of two intervals says.
public enum ComparisonVerdict: Sendable, Hashable {
  /// The figure is lower ("faster"), and more than the tolerance lower unless the interval says otherwise.
  case lower
  /// The figure is higher ("slower", "lossier").
  case higher
  /// The whole interval lies within the tolerance: "same within 10 %".
  case same
  /// The interval holds both no change and changes beyond the tolerance.
  case noEvidence
  /// An open end leaves the question undecided: "cannot tell (effective n 38)".
  case cannotTell

  /// - Parameters:
  ///   - low: lower end of the difference, −∞ when open.
  ///   - high: its upper end, ∞ when open.
  ///   - tolerance: differences from the first to the second are the same for practical purposes.
  init(low: Double, high: Double, tolerance: ClosedRange<Double>) {
    if tolerance.contains(low), tolerance.contains(high) {
      self = .same
    } else if low > 0 {
      self = .higher
    } else if high < 0 {
      self = .lower
    } else if low == -.infinity || high == .infinity {
      self = .cannotTell
    } else {
      self = .noEvidence
    }
  }
}

/// The factor by which a quantile changed from one window to another, with a 95 % interval that allows for dependence
/// within each (MOVER on logarithms; Zou & Donner 2008).
///
/// False "changed" at p95 of two equal windows: about 3 % for independent probes, 1 % with 3 % bad minutes, where disjoint
/// order-statistic intervals make 29 %.
public struct QuantileComparison: Sendable, Hashable {
  public var before: QuantileInterval
  public var after: QuantileInterval
  /// Natural logarithms of the ratio after / before; the ends are infinite where the intervals are open.
  public var logRatio: Double
  public var low: Double
  public var high: Double

  /// - Parameter correlation: between the errors of the two quantiles, 0 for separate stretches of time (see
  ///   ``PairedLatencies``).
  public init(from before: QuantileInterval, to after: QuantileInterval, correlation: Double = 0) {
    self.before = before
    self.after = after
    func ln(_ value: Int64) -> Double { log(Double(max(1, value))) }
    logRatio = ln(after.value) - ln(before.value)
    func reach(_ one: Int64?, _ value: Int64) -> Double? { one.map { abs(ln($0) - ln(value)) } }
    func join(_ a: Double?, _ b: Double?) -> Double {
      guard let a, let b else { return .infinity }
      return max(0, a * a + b * b - 2 * correlation * a * b).squareRoot()
    }
    low = logRatio - join(reach(after.low, after.value), reach(before.high, before.value))
    high = logRatio + join(reach(after.high, after.value), reach(before.low, before.value))
  }

  /// after / before.
  public var ratio: Double { exp(logRatio) }
  /// The interval of the ratio; 0 and ∞ where open.
  public var ratioInterval: (low: Double, high: Double) { (exp(low), exp(high)) }

  /// - Parameter tolerance: a factor less 1; 0.1 calls changes of less than 10 % the same.
  public func verdict(tolerance: Double = 0.1) -> ComparisonVerdict {
    let edge = log1p(max(0, tolerance))
    return ComparisonVerdict(low: low, high: high, tolerance: -edge...edge)
  }
}

/// The change of a share from one window to another, in units of shares (0.01 is one point), with a 95 % interval.
public struct ShareComparison: Sendable, Hashable {
  public var before: ShareInterval
  public var after: ShareInterval
  /// after − before; `nil` when one of them counted nothing.
  public var difference: Double?
  public var low: Double
  public var high: Double

  public init(from before: ShareInterval, to after: ShareInterval) {
    self.before = before
    self.after = after
    guard let first = before.share, let second = after.share else {
      (low, high) = (-.infinity, .infinity)
      return
    }
    difference = second - first
    low = second - first - hypot(second - after.low, before.high - first)
    high = second - first + hypot(after.high - second, first - before.low)
  }

  /// - Parameter tolerance: differences of shares that count as the same, in either direction.
  public func verdict(tolerance: Double) -> ComparisonVerdict {
    ComparisonVerdict(low: low, high: high, tolerance: -tolerance...tolerance)
  }
}

extension GateDecision {
  /// "This share must be at least so much": of all that was planned and is settled, the share received in time.
  ///
  /// With no failure at all it takes 72, 368 or 3 688 independent probes to prove 95, 99 or 99.9 %.
  public init(share: ShareInterval, atLeast required: Double) {
    self = share.low >= required ? .met : share.high < required ? .breached : .undecided
  }

  /// "This share must be below so much": `lost<1%`.
  public init(share: ShareInterval, below limit: Double) {
    self = share.high < limit ? .met : share.low >= limit ? .breached : .undecided
  }

  /// "This quantile must be below so many µs": `delivery.p99<250ms`.
  public init(quantile: QuantileInterval?, below limit: Int64) {
    if let high = quantile?.high, high < limit {
      self = .met
    } else if let low = quantile?.low, low >= limit {
      self = .breached
    } else {
      self = .undecided
    }
  }
}

/// The latencies of two variants that were sent over the same window of time. What disturbs both at once cancels, so that
/// their comparison is sharper than that of separate windows.
public struct PairedLatencies: Sendable {
  public let first: WindowLatencies
  public let second: WindowLatencies
  private let plan: BlockPlan
  private let samples: ([TimedLatency], [TimedLatency])

  public init(_ window: Range<WallTime>, first: [TimedLatency], second: [TimedLatency]) {
    // The time in which either was sent, so that both have the same blocks.
    var sent = SentTimeAccumulator()
    for sample in first { sent.insert(sample.plannedAt) }
    for sample in second { sent.insert(sample.plannedAt) }
    let time = sent.time(in: window)
    self.first = WindowLatencies(time, samples: first)
    self.second = WindowLatencies(time, samples: second)
    plan = BlockPlan(time)
    samples = (first, second)
  }

  /// The comparison of a quantile; `nil` when one of them has no values.
  public func comparison(
    of quantile: Quantile, history: (first: LatencyHistory?, second: LatencyHistory?) = (nil, nil)
  ) -> QuantileComparison? {
    guard let before = first.interval(of: quantile, history: history.first),
      let after = second.interval(of: quantile, history: history.second)
    else { return nil }
    return QuantileComparison(
      from: before, to: after, correlation: correlation(before.value, after.value))
  }

  /// The smallest correlation that the blocks leave plausible: of successive differences of the shares above each
  /// estimate, less a standard error, the least over the block lengths; never below 0.
  private func correlation(_ firstLevel: Int64, _ secondLevel: Int64) -> Double {
    func surpluses(_ samples: [TimedLatency], _ level: Int64, group: Int) -> [Double?] {
      var counts = [Double](repeating: 0, count: (plan.count + group - 1) / group)
      var above = counts
      for sample in samples {
        guard let block = plan.block(of: sample.plannedAt) else { continue }
        counts[block / group] += 1
        if sample.latency > level { above[block / group] += 1 }
      }
      let share = above.reduce(0, +) / max(1, counts.reduce(0, +))
      return zip(above, counts).map { $1 > 0 ? $0 - $1 * share : nil }
    }
    var least = 0.95
    for group in BlockPlan.groups {
      let pairs = zip(
        surpluses(samples.0, firstLevel, group: group), surpluses(samples.1, secondLevel, group: group)
      ).compactMap { one, other in one.flatMap { one in other.map { (one, $0) } } }
      guard pairs.count >= 8 else { continue }
      var (xx, yy, xy) = (0.0, 0.0, 0.0)
      for (one, next) in zip(pairs, pairs.dropFirst()) {
        let (x, y) = (next.0 - one.0, next.1 - one.1)
        xx += x * x
        yy += y * y
        xy += x * y
      }
      let correlation = xx > 0 && yy > 0 ? xy / (xx * yy).squareRoot() : 0
      least = min(least, correlation - 1 / Double(pairs.count).squareRoot())
    }
    return max(0, least)
  }
}
