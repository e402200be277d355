import Glibc

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
