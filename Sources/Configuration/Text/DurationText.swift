import Measurement

/// Parses and formats durations: a number and a unit, `250ms`, `1.5s`, `10m`, `7d`, `2w`, or several in descending units,
/// `1m30s`.
public enum DurationText {
  static let remedy = "write a number and a unit (us, ms, s, m, h, d, w, y), like 250ms, 30s, 1m30s, 7d"

  /// Parses a duration of at most 100 000 days, without sign and exponent, rounded to nanoseconds.
  public static func parse(_ text: String) throws(ValueTextError) -> Duration {
    var rest = Substring(text)
    var nanoseconds = 0.0
    var smallest = Double.infinity
    repeat {
      guard let (number, tail) = DecimalText.split(String(rest)) else {
        throw ValueTextError(text, "is not a duration", remedy: remedy)
      }
      let unit = tail.prefix { !$0.isNumber && $0 != "." }
      guard let scale = self.nanoseconds(of: unit), scale < smallest else {
        throw ValueTextError(text, "is not a duration", remedy: remedy)
      }
      nanoseconds += number * scale
      smallest = scale
      rest = tail.dropFirst(unit.count)
    } while !rest.isEmpty
    guard nanoseconds <= 100_000 * 86_400e9 else {
      throw ValueTextError(text, "is too long a duration", remedy: "the longest is 100000d")
    }
    return .nanoseconds(Int64(nanoseconds.rounded()))
  }

  /// The exact duration in its largest unit without a fraction, like `1500ms` or `2h`.
  public static func format(_ duration: Duration) -> String {
    let nanoseconds = duration.nanoseconds
    guard nanoseconds != 0 else { return "0s" }
    let units: [(String, Int64)] = [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
      ("ms", 1_000_000), ("us", 1000),
    ]
    for (unit, scale) in units where nanoseconds % scale == 0 { return "\(nanoseconds / scale)\(unit)" }
    return "\(nanoseconds)ns"
  }

  static func nanoseconds(of unit: Substring) -> Double? {
    switch unit {
    case "ns": 1
    case "us", "µs", "μs": 1e3
    case "ms": 1e6
    case "s": 1e9
    case "m", "min": 60e9
    case "h": 3600e9
    case "d": 86_400e9
    case "w": 7 * 86_400e9
    case "y": 365 * 86_400e9
    default: nil
    }
  }
}

/// Parses rates: `4/s`, `30/min`, `0.5/h`.
public enum RateText {
  static let remedy = "write a number, a slash and a unit (s, min, h, d), like 4/s or 30/min"

  /// Valid rates per second: one in 100 days to 100 000/s.
  public static let range = (1.0 / (100 * 86_400))...100_000.0

  /// Whole numbers remain exact, so that `1/min` does not drift.
  public static func parse(_ text: String) throws(ValueTextError) -> ArrivalRate {
    guard let (number, rest) = DecimalText.split(text), rest.first == "/",
      let unit = DurationText.nanoseconds(of: rest.dropFirst()), unit >= 1e9
    else { throw ValueTextError(text, "is not a rate", remedy: remedy) }
    let perSecond = number * 1e9 / unit
    let whole = Int64(exactly: number).flatMap { ArrivalRate($0, per: .nanoseconds(Int64(unit))) }
    guard range.contains(perSecond), let rate = whole ?? ArrivalRate(perSecond: perSecond) else {
      throw ValueTextError(
        text, "is out of range", remedy: "a rate lies between one in 100 days and 100000/s")
    }
    return rate
  }
}

/// Parses times: RFC 3339, a date, or relative to now.
public enum TimeText {
  /// Parses `2026-03-01T12:00:00Z`, `2026-03-01 12:00`, `2026-03-01` (midnight), `now`, or a duration before now like
  /// `-1h`. UTC when no zone is given.
  public static func parse(_ text: String, now: WallTime) throws(ValueTextError) -> WallTime {
    if text == "now" { return now }
    if text.hasPrefix("-"), let back = try? DurationText.parse(String(text.dropFirst())) {
      return now - back
    }
    // Completes times without seconds or zone.
    let minutes = text.prefix(16)
    for candidate in [
      text, text + "Z", text + ":00Z", String(minutes) + ":00" + String(text.dropFirst(16)),
      text + "T00:00:00Z",
    ] {
      if let time = WallTime(rfc3339: candidate) { return time }
    }
    throw ValueTextError(
      text, "is not a time",
      remedy:
        "write RFC 3339 like 2026-03-01T12:00:00Z, a date like 2026-03-01 (UTC), or how long ago, like -1h")
  }
}

/// Parses decimal numbers: digits and at most one point. `Double(_:)` would also accept `nan`, `0x1p3` and `1e400`.
enum DecimalText {
  /// Splits `1.5ms` into 1.5 and `ms`; `nil` without a leading decimal number of at most 18 digits.
  static func split(_ text: String) -> (number: Double, unit: Substring)? {
    let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
    guard digits.count <= 18, digits.first?.isNumber == true, digits.last?.isNumber == true,
      digits.count(where: { $0 == "." }) <= 1, let number = Double(digits)
    else { return nil }
    return (number, text[digits.endIndex...])
  }

  /// Parses a decimal number with an optional minus sign.
  static func number(_ text: String) -> Double? {
    let isNegative = text.hasPrefix("-")
    guard let (number, unit) = split(isNegative ? String(text.dropFirst()) : text), unit.isEmpty else {
      return nil
    }
    return isNegative ? -number : number
  }
}

/// A text that is not a valid duration, rate, time, address or the like.
public struct ValueTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text, escaped and shortened for messages.
  public let text: String
  /// What is wrong: a predicate whose subject is the text.
  public let problem: String
  public let remedy: String

  init(_ text: String, _ problem: String, remedy: String) {
    self.text = text.visibleText
    self.problem = problem
    self.remedy = remedy
  }

  public var message: String { "\"\(text)\" \(problem)" }

  public var description: String { "\(message); \(remedy)" }
}

extension String {
  /// The first 80 characters in one line, with control and bidirectional characters escaped, since messages reach
  /// terminals.
  var visibleText: String { visibleText(atMost: 80) }

  /// The same for a path, of which the end matters: at most 1024 characters.
  public var visiblePath: String { visibleText(atMost: 1024) }

  /// The first characters in one line, with control and bidirectional characters escaped; `…` stands for the rest.
  func visibleText(atMost limit: Int) -> String {
    let head = unicodeScalars.prefix(limit)
    let text = EscapedText.make(String(String.UnicodeScalarView(head)))
    return head.endIndex < unicodeScalars.endIndex ? text + "…" : text
  }

  /// ``visibleText`` in double quotes.
  var quoted: String { "\"\(visibleText)\"" }

  /// Whether it is letters, digits and underscores, and no digit first.
  var isIdentifier: Bool {
    guard let first = utf8.first, !ASCII.isDigit(first) else { return false }
    return utf8.allSatisfy { ASCII.isBase64URL($0) && $0 != UInt8(ascii: "-") }
  }
}

/// Suggests corrections of typing mistakes.
public enum NearestWord {
  /// The first candidate with the fewest edits from `word`, up to a third of its letters, at least one.
  public static func suggestion(for word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(64))
    let limit = max(1, typed.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let distance = edits(from: typed, to: Array(candidate.lowercased().unicodeScalars))
      if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors.
  static func edits(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
        row[j + 1] = min(last[j + 1] + 1, row[j] + 1, substitution)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }

  /// Remedy for `word` where one of `candidates` is valid.
  static func remedy(for word: String, among candidates: [String], noun: String) -> String {
    let list = "\(noun): " + candidates.joined(separator: ", ")
    guard let suggestion = suggestion(for: word, among: candidates) else { return list }
    return "did you mean \"\(suggestion)\"? (\(list))"
  }
}
