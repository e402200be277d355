import Glibc
import Measurement

/// How far the clocks on the wall are from UTC, passed in so that tests have one time zone.
struct LocalTime: Sendable {
  private let offsetAt: @Sendable (WallTime) -> Int64

  /// - Parameter offset: µs to add to UTC at a moment.
  init(offset: @escaping @Sendable (WallTime) -> Int64) { offsetAt = offset }

  static let utc = LocalTime { _ in 0 }

  /// The host's time zone (`TZ`, `/etc/localtime`).
  static let system = LocalTime { time in
    var seconds = time_t(time.microseconds / 1_000_000)
    var broken = tm()
    guard localtime_r(&seconds, &broken) != nil else { return 0 }
    return Int64(broken.tm_gmtoff) * 1_000_000
  }

  func offset(at time: WallTime) -> Int64 { offsetAt(time) }

  func civil(_ time: WallTime) -> CivilTime {
    CivilTime(localMicroseconds: time.microseconds + offset(at: time))
  }
}
