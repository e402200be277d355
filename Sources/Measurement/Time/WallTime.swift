/// An instant of CLOCK_REALTIME, UTC, in microseconds since 1970-01-01. For people to read and to look things up
/// by; never subtracted from another one to get a latency.
public struct WallTime: Sendable, Hashable, Comparable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// The instant `interval` microseconds later: how stored offsets become times to print.
  public func advanced(byMicroseconds interval: Int64) -> WallTime {
    WallTime(microseconds: microseconds + interval)
  }
}
