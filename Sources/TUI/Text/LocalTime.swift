import Glibc
import Measurement

/// A time zone as an offset from UTC; passed in, so that tests have a fixed one.
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

/// A date and a time of day in some time zone.
struct CivilTime: Sendable, Hashable {
  let year: Int64
  let month: Int64
  let day: Int64
  let hour: Int64
  let minute: Int64
  let second: Int64
  let microsecond: Int64

  init(localMicroseconds: Int64) {
    let days = localMicroseconds.flooringDivision(by: 86_400_000_000)
    let date = CivilDate(daysSinceEpoch: days)
    let rest = localMicroseconds - days * 86_400_000_000
    (year, month, day) = (date.year, date.month, date.day)
    hour = rest / 3_600_000_000
    minute = rest / 60_000_000 % 60
    second = rest / 1_000_000 % 60
    microsecond = rest % 1_000_000
  }

  var monthName: String {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return names[Int(month - 1)]
  }

  var hoursMinutes: String { "\(FixedPoint.padded(hour, width: 2)):\(FixedPoint.padded(minute, width: 2))" }

  var minutesSeconds: String {
    "\(FixedPoint.padded(minute, width: 2)):\(FixedPoint.padded(second, width: 2))"
  }

  var hoursMinutesSeconds: String { "\(hoursMinutes):\(FixedPoint.padded(second, width: 2))" }

  /// 2026-03-14
  var date: String {
    "\(year)-\(FixedPoint.padded(month, width: 2))-\(FixedPoint.padded(day, width: 2))"
  }

  /// 03-14 15:09
  var monthDayTime: String {
    "\(FixedPoint.padded(month, width: 2))-\(FixedPoint.padded(day, width: 2)) \(hoursMinutes)"
  }

  /// 2026-03-14 15:09:26
  var dateTime: String { "\(date) \(hoursMinutesSeconds)" }
}
