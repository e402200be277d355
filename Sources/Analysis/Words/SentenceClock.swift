public import Measurement

/// How times are written in the sentence of a finding: to the minute, of short stretches to the second, with their date where it
/// is not that of the reader's day.
public struct SentenceClock: Sendable {
  private let zone: LocalTime
  private let today: WallTime?
  private let isNamed: Bool

  /// - Parameters:
  ///   - today: the day whose date is left out; `nil`: every date is written.
  ///   - isNamed: whether the sentence itself says the zone, as where it stands alone.
  public init(_ zone: LocalTime = .utc, today: WallTime?, isNamed: Bool = false) {
    (self.zone, self.today, self.isNamed) = (zone, today, isNamed)
  }

  /// The clock of what stands alone: alerts, CSV and JSON.
  public static let alone = SentenceClock(today: nil, isNamed: true)

  /// `14:02`, `2026-03-01 14:02:10`.
  ///
  /// - Parameter before: the time that was written before it, whose date holds.
  func text(_ time: WallTime, after before: WallTime? = nil, hasSeconds: Bool) -> String {
    let date = zone.civil(time).date
    let known = (before ?? today).map { zone.civil($0).date }
    let clock = clock(time, hasSeconds: hasSeconds)
    return date == known ? clock : "\(date) \(clock)"
  }

  /// `14:02 UTC`, with its date where it is not the reader's day.
  func moment(_ time: WallTime) -> String { text(time, hasSeconds: false) + name(at: time) }

  /// `14:02`.
  func clock(_ time: WallTime, hasSeconds: Bool) -> String {
    let civil = zone.civil(time)
    return hasSeconds ? civil.hoursMinutesSeconds : civil.hoursMinutes
  }

  /// `2026-03-01`.
  func date(_ time: WallTime) -> String { zone.civil(time).date }

  /// The part of the day that a stretch lies in: `evening`; `nil` where it lies in none, and where times are in UTC all year, whose
  /// evening may be the reader's morning. London's are in UTC in winter only.
  func part(of stretch: Range<WallTime>) -> String? {
    let offset = zone.offset(at: stretch.lowerBound)
    let isUTC = [-182, 0, 182].allSatisfy { days in
      Duration.microseconds(zone.offset(at: stretch.lowerBound + .days(days))).magnitude < .minutes(1)
    }
    guard !isUTC else { return nil }
    let local = stretch.lowerBound.advanced(byMicroseconds: offset)
    let start = local - local.floored(to: .days(1))
    let length = stretch.upperBound - stretch.lowerBound
    return Self.parts.first { part in
      [start, start + .days(1)].contains { .hours(part.from) <= $0 && $0 + length <= .hours(part.to) }
    }?.name
  }

  /// The parts of a day, in hours.
  private static let parts: [(name: String, from: Int64, to: Int64)] = [
    ("morning", 5, 12), ("afternoon", 12, 18), ("evening", 17, 24), ("night", 22, 30),
  ]

  /// ` UTC` after the last time, where the sentence says it; else empty.
  func name(at time: WallTime) -> String { isNamed ? " \(zone.name(at: time))" : "" }
}
