import Configuration
import Measurement

/// Parses a moment that is typed into the dashboard.
struct TimeInput {
  /// The newest moment of the run, which negative offsets count from.
  let now: WallTime
  /// The start of the run.
  let start: WallTime?
  /// The moment in the middle of the window, which positive offsets count from.
  let shown: WallTime
  let zone: LocalTime

  static let hint =
    "14:05 or 14:05:30, 2026-03-01T12:00:00Z, -10m from the newest, +30s from here, start, end (follows again)"

  /// Why a text is no moment.
  struct Problem: Error, Equatable {
    let text: String
  }

  /// Whether the text means the newest moment, which moves on.
  static func isNewest(_ text: String) -> Bool {
    ["now", "end"].contains(text.filter { $0 != " " }.lowercased())
  }

  func moment(_ text: String) throws(Problem) -> WallTime {
    let text = text.filter { $0 != " " || text.contains("-") && text.contains(":") }
    switch text.lowercased() {
    case "": throw Problem(text: "nothing was entered; \(Self.hint)")
    case "now", "end": return now
    case "start":
      guard let start else { throw Problem(text: "there is no run to go to the start of") }
      return start
    default: break
    }
    if let first = text.first, first == "-" || first == "+" {
      guard let span = (try? Configuration.DurationText.parse(String(text.dropFirst())))?.microseconds else {
        throw Problem(text: "\(text) is not a duration; enter a number and s, m, h or d, like -10m")
      }
      return first == "-" ? now.advanced(byMicroseconds: -span) : shown.advanced(byMicroseconds: span)
    }
    if let time = WallTime(rfc3339: text) { return time }
    if let time = clockTime(text) { return time }
    throw Problem(text: "\(text) is not a time; enter \(Self.hint)")
  }

  /// A time of day: its last occurrence up to the newest moment.
  private func clockTime(_ text: String) -> WallTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.count) }) else { return nil }
    let numbers = parts.compactMap { $0.allSatisfy { $0.isASCII && $0.isNumber } ? Int64($0) : nil }
    guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    let day: Int64 = 86_400_000_000
    let ofDay = (numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)) * 1_000_000
    let local = now.microseconds + zone.offset(at: now)
    var moment = local.flooringDivision(by: day) * day + ofDay
    if moment > local { moment -= day }
    let guess = WallTime(microseconds: moment - zone.offset(at: now))
    // The zone's offset may have changed since.
    return WallTime(microseconds: moment - zone.offset(at: guess))
  }
}
