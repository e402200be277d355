/// The two clocks of a host, passed in wherever time is read, so that tests step them.
public protocol HostClock: Sendable {
  /// CLOCK_MONOTONIC.
  func monotonicNow() -> MonotonicTime
  /// CLOCK_REALTIME.
  func wallNow() -> WallTime
  /// CLOCK_BOOTTIME − CLOCK_MONOTONIC: grows by the length of each suspend.
  func suspendedTotal() -> Duration
}
