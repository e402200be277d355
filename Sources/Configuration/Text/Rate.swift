import Measurement

/// How often something is to happen, on average.
public struct Rate: Sendable, Hashable {
  public var perSecond: Double

  /// - Parameter perSecond: finite and above 0.
  public init(perSecond: Double) { self.perSecond = perSecond }

  /// One every `interval`.
  public init(every interval: Duration) { perSecond = 1e9 / Double(interval.nanoseconds) }

  /// The mean time from one to the next, to the nanosecond.
  public var interval: Duration { .nanoseconds(Int64((1e9 / perSecond).rounded())) }
}
