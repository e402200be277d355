/// Chooses the marks of a time axis: every 1 2 5 10 15 30 s or min, 1 2 3 6 12 h, 1 2 7 d, below a second every
/// 10 20 50 100 200 500 ms. They are round in local time, not in UTC.
public enum TimeAxis {
  /// µs, ascending.
  public static let intervals: [Int64] = {
    let second: Int64 = 1_000_000
    let fractions: [Int64] = [10, 20, 50, 100, 200, 500].map { $0 * 1_000 }
    let seconds: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * second }
    let minutes: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * 60 * second }
    let hours: [Int64] = [1, 2, 3, 6, 12].map { $0 * 3600 * second }
    let days: [Int64] = [1, 2, 7, 14, 28].map { $0 * 86_400 * second }
    return fractions + seconds + minutes + hours + days
  }()

  /// - Parameters:
  ///   - end: excluded.
  ///   - least: the shortest time between two marks, µs. Beyond 28 days it is a multiple of these.
  public static func marks(
    from start: WallTime, to end: WallTime, atLeast least: Int64, in zone: LocalTime
  ) -> [TimeMark] {
    let longest = intervals[intervals.count - 1]
    let interval = intervals.first { $0 >= least } ?? (least + longest - 1) / longest * longest
    var marks: [TimeMark] = []
    var former = zone.offset(at: start)
    var begin = start
    // Each stretch with one offset has its own grid, so that marks are at round local times.
    for stretchEnd in zone.changes(from: start, to: end) + [end] {
      let offset = zone.offset(at: begin)
      var local = (begin.microseconds + offset - 1).flooringDivision(by: interval) * interval + interval
      while true {
        let time = WallTime(microseconds: local - offset)
        guard time < stretchEnd else { break }
        local += interval
        // Where clocks were set forward, the next round time may be too near.
        if let last = marks.last, time.microseconds - last.time.microseconds < interval / 4 * 3 { continue }
        marks.append(
          TimeMark(
            time: time, label: zone.label(of: time, interval: interval),
            offset: offset == former ? nil : offset))
        former = offset
      }
      begin = stretchEnd
    }
    return marks
  }
}

/// A mark on an axis of time.
public struct TimeMark: Sendable, Hashable {
  public let time: WallTime
  public let label: String
  /// The zone's offset, µs, where it is another than at the mark before, or at the axis' start; `nil` elsewhere.
  public let offset: Int64?
}

extension LocalTime {
  /// The part of a time that distinguishes ticks of this interval.
  fileprivate func label(of time: WallTime, interval: Int64) -> String {
    let clock = civil(time)
    switch interval {
    case 86_400_000_000...: return "\(clock.monthName) \(clock.day)"
    case 60_000_000...: return clock.hoursMinutes
    case 1_000_000...: return clock.hoursMinutesSeconds
    default: return "\(clock.minutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3))"
    }
  }
}
