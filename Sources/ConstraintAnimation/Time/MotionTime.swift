/// An instant on the caller's clock, in nanoseconds from an origin of the caller's choice. The library never reads
/// a clock; each call that depends on time is given one of these.
public struct MotionTime: Sendable, Hashable, Comparable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = MotionTime(nanoseconds: 0)

  public static func < (left: MotionTime, right: MotionTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Saturates instead of trapping, so that an endless duration is simply never reached.
  public static func + (time: MotionTime, duration: Duration) -> MotionTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    if overflow { return MotionTime(nanoseconds: duration < .zero ? .min : .max) }
    return MotionTime(nanoseconds: sum)
  }

  public static func - (left: MotionTime, right: MotionTime) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }

  /// Seconds from `earlier` to here.
  func seconds(since earlier: MotionTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }
}

extension Duration {
  /// Whole nanoseconds, clamped to what 64 bits hold (292 years).
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    if carried { return seconds < 0 ? .min : .max }
    return sum
  }

  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
