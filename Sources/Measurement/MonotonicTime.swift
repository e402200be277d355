import Glibc

/// An instant on this host's CLOCK_MONOTONIC, valid within one boot. Intervals are differences of these.
///
/// Nanoseconds are kept while a notification is under way; what is stored is cut to microseconds first (see
/// ``microseconds``), so that stored differences add up exactly.
public struct MonotonicTime: Sendable, Hashable, Comparable {
  /// Nanoseconds since an arbitrary start (on Linux: boot, suspends left out).
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public init(microseconds: Int64) { self.nanoseconds = microseconds.multipliedClamped(by: 1000) }

  public static let zero = MonotonicTime(nanoseconds: 0)

  /// Whole microseconds, truncated, not rounded: `accepted - planned == (sent - planned) + (accepted - sent)` holds
  /// exactly for truncated stamps.
  public var microseconds: Int64 { nanoseconds / 1000 }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  public static func + (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds.addingClamped(duration.nanoseconds))
  }

  public static func - (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds.subtractingClamped(duration.nanoseconds))
  }

  public static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingClamped(earlier.nanoseconds))
  }
}

/// An instant of CLOCK_REALTIME, UTC, in microseconds since 1970-01-01. For display and lookup; latencies are never
/// differences of wall times.
public struct WallTime: Sendable, Hashable, Comparable, Codable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// - Parameter seconds: since 1970-01-01.
  public init(seconds: Int64) { self.init(microseconds: seconds.multipliedClamped(by: 1_000_000)) }

  /// Whole seconds since 1970-01-01, rounded down.
  public var seconds: Int64 { microseconds.flooringDivision(by: 1_000_000) }

  /// The last whole multiple of a duration since 1970-01-01 that is not after this moment.
  /// - Parameter step: at least 1 µs.
  public func floored(to step: Duration) -> WallTime {
    let step = step.microseconds
    return WallTime(microseconds: microseconds.flooringDivision(by: step).multipliedClamped(by: step))
  }

  /// The first whole multiple of a duration since 1970-01-01 that is not before this moment; at the end of time the last one.
  /// - Parameter step: at least 1 µs.
  public func ceiled(to step: Duration) -> WallTime {
    advanced(byMicroseconds: step.microseconds - 1).floored(to: step)
  }

  /// The first moment there is: before every row.
  public static let distantPast = WallTime(microseconds: .min)
  /// The last one.
  public static let distantFuture = WallTime(microseconds: .max)

  /// The moment so many µs later; earlier if negative.
  public func advanced(byMicroseconds interval: Int64) -> WallTime {
    WallTime(microseconds: microseconds.addingClamped(interval))
  }

  public static func + (time: Self, duration: Duration) -> Self {
    time.advanced(byMicroseconds: duration.microseconds)
  }

  public static func - (time: Self, duration: Duration) -> Self {
    WallTime(microseconds: time.microseconds.subtractingClamped(duration.microseconds))
  }

  /// A span of calendar time.
  public static func - (later: Self, earlier: Self) -> Duration {
    .microseconds(later.microseconds.subtractingClamped(earlier.microseconds))
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
    wall.advanced(byMicroseconds: instant.microseconds.subtractingClamped(monotonic.microseconds))
  }

  /// How far the wall clock was stepped between two anchors, µs; about 0 if it was not.
  public func step(to later: ClockAnchor) -> Int64 {
    later.wall.microseconds.subtractingClamped(wall(at: later.monotonic).microseconds)
  }
}

/// The clocks of a host, which are passed in wherever time is read, so that tests control them.
public protocol HostClock: Sendable {
  /// CLOCK_MONOTONIC.
  func monotonicNow() -> MonotonicTime
  /// CLOCK_REALTIME.
  func wallNow() -> WallTime
  /// CLOCK_BOOTTIME − CLOCK_MONOTONIC: grows by the length of each suspend.
  func suspendedTotal() -> Duration
}

/// The kernel's clocks.
public struct SystemClock: HostClock {
  public init() {}

  public func monotonicNow() -> MonotonicTime {
    MonotonicTime(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
  }

  public func wallNow() -> WallTime {
    WallTime(microseconds: Self.nanoseconds(of: CLOCK_REALTIME) / 1000)
  }

  public func suspendedTotal() -> Duration {
    .nanoseconds(Self.nanoseconds(of: CLOCK_BOOTTIME) - Self.nanoseconds(of: CLOCK_MONOTONIC))
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// The kernel's boot id: processes that read the same one share a monotonic clock.
public enum BootID {
  /// The contents of /proc/sys/kernel/random/boot_id; `nil` if it cannot be read.
  public static func current() -> String? {
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      let text = String(decoding: buffer[..<count], as: UTF8.self).prefix { !$0.isWhitespace }
      return text.isEmpty ? nil : String(text)
    }
  }
}
