import Measurement

/// Chooses the marks of an axis of time: every 1 2 5 10 15 30 s or min, 1 2 3 6 12 h, 1 2 7 d, below a second every
/// 10 20 50 100 200 500 ms. They fall on round times of the people who look, not of UTC.
enum TimeTicks {
  static let intervals: [Int64] = {
    let second: Int64 = 1_000_000
    let fractions: [Int64] = [10, 20, 50, 100, 200, 500].map { $0 * 1_000 }
    let seconds: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * second }
    let minutes: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * 60 * second }
    let hours: [Int64] = [1, 2, 3, 6, 12].map { $0 * 3600 * second }
    let days: [Int64] = [1, 2, 7, 14, 28].map { $0 * 86_400 * second }
    return fractions + seconds + minutes + hours + days
  }()

  /// - Parameter spacing: columns between two marks, at least.
  static func make(for window: TimeWindow, spacing: Int, in zone: LocalTime) -> [TimeTick] {
    let least = Int64(max(1, spacing)) * window.scale.columnDuration
    let interval = intervals.first { $0 >= least } ?? intervals[intervals.count - 1]
    var ticks: [TimeTick] = []
    // One offset for the axis: a change of daylight saving inside the window shows in the labels, not in the grid.
    let offset = zone.offset(at: window.start)
    var local = (window.start.microseconds + offset - 1).flooringQuotient(interval) * interval + interval
    while true {
      let time = WallTime(microseconds: local - offset)
      guard time < window.end else { return ticks }
      let label = zone.label(of: time, interval: interval)
      ticks.append(TimeTick(column: window.column(of: time), label: label))
      local += interval
    }
  }
}

extension LocalTime {
  /// As much of a time as marks of this interval tell apart.
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
