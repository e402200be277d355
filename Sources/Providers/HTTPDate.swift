import Measurement

/// Dates of header fields (RFC 9110, section 5.6.7).
public enum HTTPDate {
  /// Parses the form that senders may use and the two older ones, which recipients must accept:
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The day of the week is not
  /// compared with the date.
  /// - Parameter now: tells the century of a year with two digits.
  public static func parse(_ text: String, now: WallTime) -> WallTime? {
    guard text.utf8.count <= 64 else { return nil }
    let parts = text.split(separator: " ")
    switch parts.count {
    case 6 where parts[5] == "GMT" && isDay(parts[0].dropLast(), in: days) && parts[0].last == ",":
      return time(year: parts[3], month: parts[2], day: parts[1], clock: parts[4])
    case 5 where isDay(parts[0], in: days):
      let day = parts[2].utf8.count == 1 ? "0" + parts[2] : parts[2]
      return time(year: parts[4], month: parts[1], day: day, clock: parts[3])
    case 4 where parts[3] == "GMT" && isDay(parts[0].dropLast(), in: longDays) && parts[0].last == ",":
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, let year = fullYear(date[2], now: now) else { return nil }
      return time(year: year, month: date[1], day: date[0], clock: parts[2])
    default: return nil
    }
  }

  /// A year that appears to be more than 50 years in the future is the latest one in the past with the same last two digits.
  private static func fullYear(_ digits: Substring, now: WallTime) -> Substring? {
    guard digits.utf8.count == 2, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let digits = Int(digits), let current = Int(now.rfc3339.prefix(4))
    else { return nil }
    let year = current - current % 100 + digits
    let full = year > current + 50 ? year - 100 : year
    return Substring(String(repeating: "0", count: max(0, 4 - String(full).count)) + String(full))
  }

  private static func time(
    year: Substring, month: Substring, day: Substring, clock: Substring
  ) -> WallTime? {
    guard let month = months.firstIndex(of: month) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return WallTime(rfc3339: "\(year)-\(number)-\(day)T\(clock)Z")
  }

  private static func isDay(_ word: Substring, in names: [Substring]) -> Bool { names.contains(word) }

  private static let days: [Substring] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays: [Substring] = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
