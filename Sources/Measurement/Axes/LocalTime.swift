import Glibc

/// A time zone as an offset from UTC; passed in, so that tests have a fixed one.
public struct LocalTime: Sendable {
  private let offsetAt: @Sendable (WallTime) -> Int64

  /// - Parameter offset: µs to add to UTC at a moment.
  public init(offset: @escaping @Sendable (WallTime) -> Int64) { offsetAt = offset }

  public static let utc = LocalTime { _ in 0 }

  /// The host's time zone (`TZ`, `/etc/localtime`).
  public static let system = LocalTime { time in
    var seconds = time_t(time.microseconds / 1_000_000)
    var broken = tm()
    guard localtime_r(&seconds, &broken) != nil else { return 0 }
    return Int64(broken.tm_gmtoff) * 1_000_000
  }

  /// µs to add to UTC at a moment.
  public func offset(at time: WallTime) -> Int64 { offsetAt(time) }

  /// The moments after `start` and before `end` at which the offset changes, as where daylight saving time begins or ends,
  /// ascending, on whole seconds.
  public func changes(from start: WallTime, to end: WallTime) -> [WallTime] {
    let second: Int64 = 1_000_000
    // Shorter than any time zone keeps one offset before it takes the former one again.
    let step = 14 * 86_400 * second
    let (length, isTooLong) = end.microseconds.subtractingReportingOverflow(start.microseconds)
    guard !isTooLong, length > 0, length < 20_000 * step else { return [] }
    var changes: [WallTime] = []
    var time = start.microseconds
    while time < end.microseconds {
      var high = min(time + step, end.microseconds)
      let former = offset(at: WallTime(microseconds: time))
      guard offset(at: WallTime(microseconds: high)) != former else {
        time = high
        continue
      }
      var low = time
      while high - low > second {
        let middle = low + (high - low) / 2
        if offset(at: WallTime(microseconds: middle)) == former { low = middle } else { high = middle }
      }
      time = max(high.flooringDivision(by: second) * second, low + 1)
      if time < end.microseconds { changes.append(WallTime(microseconds: time)) }
    }
    return changes
  }

  /// A zone's offset as people write it: `+01:00`, `−03:30`.
  public static func offsetText(_ offset: Int64) -> String {
    let minutes = abs(offset) / 60_000_000
    return (offset < 0 ? "−" : "+") + FixedPoint.padded(minutes / 60, width: 2) + ":"
      + FixedPoint.padded(minutes % 60, width: 2)
  }

  /// `UTC`, `UTC+01:00`.
  public func name(at time: WallTime) -> String {
    let offset = offset(at: time)
    return abs(offset) < 60_000_000 ? "UTC" : "UTC" + Self.offsetText(offset)
  }

  /// The same in at most six columns: `UTC`, `UTC+1`, `+05:45`.
  public func shortName(at time: WallTime) -> String {
    let offset = offset(at: time)
    let minutes = offset / 60_000_000
    if minutes == 0 { return "UTC" }
    return minutes % 60 == 0
      ? "UTC\(minutes < 0 ? "−" : "+")\(abs(minutes) / 60)" : Self.offsetText(offset)
  }

  /// The date and the time of day of a moment; of one outside the years 0000 to 9999 those of the first or last instant of these.
  public func civil(_ time: WallTime) -> CivilTime {
    let written = WallTime.written
    let time = WallTime(microseconds: min(max(time.microseconds, written.lowerBound), written.upperBound))
    return CivilTime(localMicroseconds: time.microseconds + offset(at: time))
  }
}

/// A date and a time of day in some time zone.
public struct CivilTime: Sendable, Hashable {
  public let year: Int64
  public let month: Int64
  public let day: Int64
  public let hour: Int64
  public let minute: Int64
  public let second: Int64
  public let microsecond: Int64

  public init(localMicroseconds: Int64) {
    let days = localMicroseconds.flooringDivision(by: 86_400_000_000)
    let date = CivilDate(daysSinceEpoch: days)
    let rest = localMicroseconds - days * 86_400_000_000
    (year, month, day) = (date.year, date.month, date.day)
    hour = rest / 3_600_000_000
    minute = rest / 60_000_000 % 60
    second = rest / 1_000_000 % 60
    microsecond = rest % 1_000_000
  }

  public var monthName: String {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return names[Int(month - 1)]
  }

  public var hoursMinutes: String {
    "\(FixedPoint.padded(hour, width: 2)):\(FixedPoint.padded(minute, width: 2))"
  }

  public var minutesSeconds: String {
    "\(FixedPoint.padded(minute, width: 2)):\(FixedPoint.padded(second, width: 2))"
  }

  public var hoursMinutesSeconds: String { "\(hoursMinutes):\(FixedPoint.padded(second, width: 2))" }

  /// 2026-03-14
  public var date: String {
    "\(year)-\(FixedPoint.padded(month, width: 2))-\(FixedPoint.padded(day, width: 2))"
  }

  /// 03-14 15:09
  public var monthDayTime: String {
    "\(FixedPoint.padded(month, width: 2))-\(FixedPoint.padded(day, width: 2)) \(hoursMinutes)"
  }

  /// 2026-03-14 15:09:26
  public var dateTime: String { "\(date) \(hoursMinutesSeconds)" }
}

/// Time since an instant as people say it: 12 s, 5 min, 3 h, 2 d. Two instants that read the same are equal.
public struct Age: Equatable, CustomStringConvertible {
  private let count: Int64
  private let unit: String

  /// A negative age counts as 0.
  public init(since: WallTime, now: WallTime) {
    let seconds = max(0, (now - since).microseconds) / 1_000_000
    (count, unit) =
      switch seconds {
      case ..<120: (seconds, "s")
      case ..<7_200: (seconds / 60, "min")
      case ..<172_800: (seconds / 3_600, "h")
      default: (seconds / 86_400, "d")
      }
  }

  public var description: String { "\(count) \(unit)" }
}
