import Formats
import Measurement

/// Times of a report in its reader's zone, each with its UTC time in the markup.
struct ReportTime: Sendable {
  let zone: LocalTime
  /// Whether the report's time is so short that seconds matter.
  let hasSeconds: Bool

  init(_ zone: LocalTime, start: WallTime, end: WallTime) {
    self.zone = zone
    hasSeconds = end.microseconds - start.microseconds < 600_000_000
  }

  /// `23 November 2026`.
  func day(_ time: WallTime) -> String {
    let civil = zone.civil(time)
    return "\(civil.day) \(Self.months[Int(civil.month - 1)]) \(civil.year)"
  }

  /// `14:02`, or `14:02:07`.
  func clock(_ time: WallTime) -> String {
    let civil = zone.civil(time)
    return hasSeconds ? civil.hoursMinutesSeconds : civil.hoursMinutes
  }

  /// `14:02:07`, with the day where the report's time has several.
  func moment(_ time: WallTime, isLong: Bool) -> Markup {
    let civil = zone.civil(time)
    let text = isLong ? "\(civil.day) \(civil.monthName) \(civil.hoursMinutes)" : civil.hoursMinutesSeconds
    return "<time datetime=\"\(time.rfc3339)\">\(text)</time>"
  }

  /// `23 November 2026, 14:02 to 15:30`.
  func range(_ start: WallTime, _ end: WallTime) -> Markup {
    let endText = day(start) == day(end) ? clock(end) : "\(day(end)), \(clock(end))"
    return """
      <time datetime="\(start.rfc3339)">\(day(start)), \(clock(start))</time> to \
      <time datetime="\(end.rfc3339)">\(endText)</time>
      """
  }

  /// The same in UTC, shorter.
  static func rangeInUTC(_ start: WallTime, _ end: WallTime) -> String {
    let (from, to) = (RunText.time(start), RunText.time(end))
    return "\(from) to \(from.prefix(10) == to.prefix(10) ? String(to.dropFirst(11)) : to) UTC"
  }

  /// `UTC`, `UTC+01:00`.
  func zoneName(at time: WallTime) -> String {
    let minutes = zone.offset(at: time) / 60_000_000
    guard minutes != 0 else { return "UTC" }
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "UTC\(minutes < 0 ? "−" : "+")\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
  }

  /// Round times below a chart.
  func ticks(_ columns: TimeColumns) -> [Chart.Tick] {
    let marks = TimeAxis.marks(
      from: WallTime(microseconds: columns.start), to: WallTime(microseconds: columns.end),
      atLeast: (columns.end - columns.start) / 8, in: zone)
    return marks.map { mark in
      // Fractions of seconds come without the hour.
      let hour =
        mark.label.contains(".") ? FixedPoint.padded(zone.civil(mark.time).hour, width: 2) + ":" : ""
      return Chart.Tick(columns.position(of: mark.time), hour + mark.label)
    }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
}
