import Glibc

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
