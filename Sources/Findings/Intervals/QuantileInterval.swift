import Glibc
import Measurement

/// A quantile with a 95 % interval that allows for probes depending on each other.
///
/// An end that the values do not determine is `nil` (open): "p99 ≥ 1.3 s (effective n 38 of 3 600)".
public struct QuantileInterval: Sendable, Hashable {
  /// The value at the quantile's rank, µs, however few values there are.
  public var value: Int64
  /// µs.
  public var low: Int64?
  /// µs.
  public var high: Int64?
  /// How many values it is the quantile of.
  public var count: Int
  /// How many independent values would say as much about this quantile.
  public var effectiveCount: Double
  /// Whether earlier windows of the same length were considered; otherwise dependence is known from this window alone.
  public var usesHistory: Bool

  /// The interval of independent values (order statistics); open at both ends where there are too few.
  public init(independent estimate: QuantileEstimate, value: Int64, count: Int) {
    self.init(
      value: value, low: nil, high: nil, count: count, effectiveCount: Double(count), usesHistory: false)
    if case .known(let value, let low, let high) = estimate {
      (self.value, self.low, self.high) = (value, low, high)
    }
  }

  /// The interval of dependent values.
  init(
    value: Int64, low: Int64?, high: Int64?, count: Int, effectiveCount: Double, usesHistory: Bool
  ) {
    self.value = value
    self.low = low
    self.high = high
    self.count = count
    self.effectiveCount = effectiveCount
    self.usesHistory = usesHistory
  }

  /// Whether nothing can be said: "n too small".
  public var isUndetermined: Bool { low == nil && high == nil }

  /// Itself where it says something that may be shown; `nil` for "n too small": where no end is known, or there are fewer
  /// values than even independent ones would have to be.
  public func shown(for quantile: Quantile) -> QuantileInterval? {
    isUndetermined || count < quantile.smallestCount ? nil : self
  }

  /// The interval as an order statistics' estimate, for what shows only those: too few values unless both ends are
  /// known.
  public func estimate(of quantile: Quantile) -> QuantileEstimate {
    guard let low, let high else { return .tooFew(needs: quantile.smallestCount) }
    return .known(value: value, low: low, high: high)
  }

  /// The same figure with an interval from the lower end of one interval to the upper end of another, for values that
  /// are known within ranges.
  func spanning(from lows: QuantileInterval, to highs: QuantileInterval) -> QuantileInterval {
    var result = self
    result.low = low.flatMap { low in lows.low.map { min(low, $0) } }
    result.high = high.flatMap { high in highs.high.map { max(high, $0) } }
    result.effectiveCount = min(effectiveCount, lows.effectiveCount, highs.effectiveCount)
    return result
  }
}

/// A share (lost, failed, received in time) with a two-sided 95 % interval that allows for dependence: Clopper–Pearson's
/// at the effective count.
public struct ShareInterval: Sendable, Hashable {
  /// The share, from 0 to 1; `nil` when nothing was counted.
  public var share: Double?
  public var low: Double
  public var high: Double
  /// How many have the property, of how many.
  public var events: Int
  public var count: Int
  public var effectiveCount: Double
  /// Whether the history contributed; see ``QuantileInterval/usesHistory``.
  public var usesHistory: Bool

  /// The interval at a design effect of 1 or more.
  init(events: Int, count: Int, designEffect: Double, usesHistory: Bool) {
    self.events = events
    self.count = count
    self.usesHistory = usesHistory
    effectiveCount = Double(count) / max(1, designEffect)
    (low, high) = (0, 1)
    guard count > 0 else {
      share = nil
      return
    }
    let share = Double(events) / Double(count)
    self.share = share
    let n = effectiveCount
    let k = share * n
    if events > 0 { low = SpecialFunctions.inverseIncompleteBeta(k, n - k + 1, 0.025) }
    if events < count { high = SpecialFunctions.inverseIncompleteBeta(k + 1, n - k, 0.975) }
  }

  /// How many independent probes without a failure it takes until the interval of a share lies above a required one: 72, 368
  /// and 3 688 for 95, 99 and 99.9 %.
  public static func independentCount(toProve required: Double) -> Int {
    guard required > 0, required < 1 else { return required <= 0 ? 1 : .max }
    return Int((log(0.025) / log(required)).rounded(.up))
  }

  /// The interval of independent probes (Clopper and Pearson, 1934).
  public init(independent events: Int, of count: Int) {
    self.init(events: events, count: count, designEffect: 1, usesHistory: false)
  }
}
