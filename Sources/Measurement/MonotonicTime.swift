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

  /// Whole microseconds, truncated, not rounded: `accepted - planned == (sent - planned) + (accepted - sent)` holds
  /// exactly for truncated stamps.
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

/// An instant of CLOCK_REALTIME, UTC, in microseconds since 1970-01-01. For display and lookup; latencies are never
/// differences of wall times.
public struct WallTime: Sendable, Hashable, Comparable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  public func advanced(byMicroseconds interval: Int64) -> WallTime {
    WallTime(microseconds: microseconds + interval)
  }
}

/// One instant read on both clocks, which converts monotonic stamps to times of day. A run stores one at its start and
/// another one after each step of the wall clock and each suspend of the host.
public struct ClockAnchor: Sendable, Hashable {
  public var monotonic: MonotonicTime
  public var wall: WallTime

  public init(monotonic: MonotonicTime, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Reads the wall clock between two readings of the monotonic one, and keeps the narrowest of a few tries.
  public init(reading clock: any HostClock, tries: Int = 5) {
    var best: (anchor: ClockAnchor, width: Int64)?
    for _ in 0..<max(1, tries) {
      let before = clock.monotonicNow()
      let wall = clock.wallNow()
      let after = clock.monotonicNow()
      let width = after.nanoseconds - before.nanoseconds
      if best.map({ width < $0.width }) ?? true {
        let middle = MonotonicTime(nanoseconds: before.nanoseconds + width / 2)
        best = (ClockAnchor(monotonic: middle, wall: wall), width)
      }
    }
    self = best?.anchor ?? ClockAnchor(monotonic: clock.monotonicNow(), wall: clock.wallNow())
  }

  /// The time of day at a monotonic instant, by this anchor.
  public func wall(at instant: MonotonicTime) -> WallTime {
    wall.advanced(byMicroseconds: instant.microseconds - monotonic.microseconds)
  }

  /// How far the wall clock was stepped between two anchors, µs; about 0 if it was not.
  public func step(to later: ClockAnchor) -> Int64 {
    later.wall.microseconds - wall(at: later.monotonic).microseconds
  }
}
