/// An instant on this host's CLOCK_MONOTONIC, valid within one boot. Intervals are differences of these.
///
/// Nanoseconds are kept while a notification is under way; what is stored is cut to microseconds first (see
/// ``microseconds``), so that stored differences add up exactly.
public struct MonotonicTime: Sendable, Hashable, Comparable {
  /// Nanoseconds since an arbitrary start (on Linux: boot, suspends left out).
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public init(microseconds: Int64) { self.nanoseconds = microseconds * 1000 }

  public static let zero = MonotonicTime(nanoseconds: 0)

  /// Whole microseconds, cut, not rounded: `accepted - planned == (sent - planned) + (accepted - sent)` holds
  /// exactly for cut stamps, and no figure is finer than the clocks deserve.
  public var microseconds: Int64 { nanoseconds / 1000 }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  public static func + (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds + duration.nanoseconds)
  }

  public static func - (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds - duration.nanoseconds)
  }

  public static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

extension Duration {
  /// The whole duration in nanoseconds, cut towards zero; spans about ±292 years.
  public var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }

  /// The whole duration in microseconds, cut towards zero.
  public var microseconds: Int64 { nanoseconds / 1000 }
}
