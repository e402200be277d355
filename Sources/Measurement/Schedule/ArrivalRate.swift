/// How many arrivals a period holds on average: `4` per second, `30` per minute, `1` per 15 s.
///
/// It is a fraction of whole numbers, so that the n-th instant of a constant process is computed exactly and a run of
/// weeks does not drift.
public struct ArrivalRate: Sendable, Hashable {
  /// Arrivals in each period, at least 1.
  public let count: Int64
  /// Nanoseconds, at least 1.
  public let period: Int64

  /// - Returns: `nil` when the count or the period is not positive.
  public init?(_ count: Int64, per period: Duration) {
    guard count > 0, period.nanoseconds > 0 else { return nil }
    self.count = count
    self.period = period.nanoseconds
  }

  /// The nearest rate to a decimal one: to a millionth of an arrival a second, or, below one a second, to a
  /// nanosecond of the interval.
  /// - Returns: `nil` when it is not finite, not positive, above 10⁹ a second or rarer than one in 100 years.
  public init?(perSecond: Double) {
    guard perSecond.isFinite, perSecond >= 3e-10, perSecond <= 1e9 else { return nil }
    if perSecond < 1 {
      self.init(1, per: .nanoseconds(Int64((1e9 / perSecond).rounded())))
    } else {
      self.init(Int64((perSecond * 1e6).rounded()), per: .seconds(1_000_000))
    }
  }

  /// One every `interval`, which must be positive.
  public static func every(_ interval: Duration) -> ArrivalRate? { ArrivalRate(1, per: interval) }

  public var perSecond: Double { Double(count) * 1e9 / Double(period) }

  /// The mean time from one arrival to the next, in nanoseconds.
  public var meanInterval: Double { Double(period) / Double(count) }

  /// Nanoseconds from the start to arrival `n` (from 0) of a constant process, cut to whole ones.
  func offset(of n: Int64) -> Int64 {
    let product = UInt64(n).multipliedFullWidth(by: UInt64(period))
    return Int64(UInt64(count).dividingFullWidth(product).quotient)
  }
}
