import Measurement

/// How many notifications a provider's documentation allows one sender, and how that is counted.
public struct SendLimit: Sendable, Hashable, CustomStringConvertible {
  public enum Shape: Sendable, Hashable {
    /// At most `count` in any stretch of `period`.
    case window(count: Int, period: Duration)
    /// `capacity` at once, and one more each `interval` (a token bucket).
    case bucket(capacity: Int, interval: Duration)
  }

  public var shape: Shape
  /// What the limit is of and who says so: "FCM allows a device 240 messages a minute".
  public var description: String

  public init(_ shape: Shape, _ description: String) {
    self.shape = shape
    self.description = description
  }

  /// The rate that can be kept up for ever, per second.
  public var sustainedPerSecond: Double {
    switch shape {
    case .window(let count, let period): Double(count) * 1e9 / Double(period.nanoseconds)
    case .bucket(_, let interval): 1e9 / Double(interval.nanoseconds)
    }
  }

  /// Whether a schedule asks for more than that. Rates are rounded to nanoseconds of the interval; one part in a
  /// million is no difference.
  public func isExceeded(by rate: ArrivalRate) -> Bool {
    rate.perSecond > sustainedPerSecond * 1.000_001
  }
}
