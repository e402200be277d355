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
