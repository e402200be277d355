import Analysis
import Formats
import Measurement

/// Times of a report in its reader's zone, each with its UTC time in the markup.
struct ReportTime: Sendable {
  let zone: LocalTime
  /// Whether the report's time is so short that seconds matter.
  let hasSeconds: Bool
  /// The zone at the report's start.
  let startZone: String
  /// How the sentences of findings write times: the day of the report's start has no date.
  let sentenceClock: SentenceClock
  /// When clocks were set in the report's time.
  private let changes: [WallTime]

  init(_ zone: LocalTime, start: WallTime, end: WallTime) {
    self.zone = zone
    startZone = zone.name(at: start)
    sentenceClock = SentenceClock(zone, today: start)
    changes = zone.changes(from: start, to: end)
    hasSeconds = end - start < .minutes(10)
  }

  /// `23 November 2026`.
  func day(_ time: WallTime) -> String {
    let civil = zone.civil(time)
    return "\(civil.day) \(Self.months[Int(civil.month - 1)]) \(civil.year)"
  }

  /// `14:02`, or `14:02:07`; with the offset where the report's time has several.
  func clock(_ time: WallTime) -> String {
    let civil = zone.civil(time)
    return (hasSeconds ? civil.hoursMinutesSeconds : civil.hoursMinutes) + offset(at: time)
  }

  /// `14:02 UTC−05:00`.
  func clockWithZone(_ time: WallTime) -> String {
    clock(time) + (changes.isEmpty ? " \(zoneName(at: time))" : "")
  }

  /// ` UTC−05:00`, where clocks were set in the report's time; else empty, as one name holds for all of it.
  private func offset(at time: WallTime) -> String { changes.isEmpty ? "" : " \(zoneName(at: time))" }

  /// The report's zone in words: `UTC−04:00`, or which offsets there are and since when.
  var zoneWords: String {
    guard changes.count <= 2 else {
      let others = Set(changes.map { zoneName(at: $0) }).subtracting([startZone])
      return ListText.or([startZone] + others.sorted()) + ", as each says"
    }
    return changes.reduce(into: startZone) { words, change in
      words += ", from \(day(change)), \(zone.civil(change).hoursMinutes), on \(zoneName(at: change))"
    }
  }

  /// `14:02:07`, with the day where the report's time has several.
  func moment(_ time: WallTime, isLong: Bool) -> Markup {
    let civil = zone.civil(time)
    let text = isLong ? "\(civil.day) \(civil.monthName) \(civil.hoursMinutes)" : civil.hoursMinutesSeconds
    return "<time datetime=\"\(time.rfc3339)\">\(text)\(offset(at: time))</time>"
  }

  /// `23 November 2026, 14:02 to 15:30 UTC+01:00`.
  func range(_ start: WallTime, _ end: WallTime) -> Markup {
    let endText = day(start) == day(end) ? clock(end) : "\(day(end)), \(clock(end))"
    return """
      <time datetime="\(start.rfc3339)">\(day(start)), \(clock(start))</time> to \
      <time datetime="\(end.rfc3339)">\(endText)</time>\(changes.isEmpty ? " \(startZone)" : "")
      """
  }

  /// The same in UTC, shorter.
  static func rangeInUTC(_ start: WallTime, _ end: WallTime) -> String {
    let (from, to) = (RunText.time(start), RunText.time(end))
    return "\(from) to \(from.prefix(10) == to.prefix(10) ? String(to.dropFirst(11)) : to) UTC"
  }

  /// `UTC`, `UTC+01:00`.
  func zoneName(at time: WallTime) -> String { zone.name(at: time) }

  /// Round times below a chart.
  func ticks(_ columns: TimeColumns) -> [Chart.Tick] {
    let marks = TimeAxis.marks(
      from: columns.start, to: columns.end, atLeast: columns.length.microseconds / 8, in: zone)
    return marks.map { mark in
      // Fractions of seconds come without the hour.
      let hour =
        mark.label.contains(".") ? FixedPoint.padded(zone.civil(mark.time).hour, width: 2) + ":" : ""
      let offset = mark.offset.map { " \(LocalTime.offsetText($0))" } ?? ""
      return Chart.Tick(columns.position(of: mark.time), hour + mark.label + offset)
    }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
}
