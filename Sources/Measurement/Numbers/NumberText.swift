/// Shares in percent, in one of three precisions.
public enum PercentText {
  /// A share that a person chose, with the decimals that it has: `10 %`, `99.9 %`.
  public static func given(_ share: Double) -> String { givenNumber(share) + " %" }

  /// ``given(_:)`` without the unit.
  public static func givenNumber(_ share: Double) -> String {
    let percent = (share * 1e11).rounded() / 1e9
    return percent == percent.rounded() ? FixedPoint.text(percent, decimals: 0) : "\(percent)"
  }

  /// A part of a count, in tenths: `97.5 %`, `<0.1 %`. Only none and all are `0 %` and `100 %`; nothing of nothing is `–`.
  public static func brief(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    if part == 0 || part == whole { return part == 0 ? "0 %" : "100 %" }
    let tenths = (Double(part) / Double(whole) * 1_000).rounded()
    if tenths < 1 || tenths > 999 { return tenths < 1 ? "<0.1 %" : ">99.9 %" }
    return FixedPoint.text(tenths / 10, decimals: 1) + " %"
  }

  /// An estimated share, with enough decimals to tell it from none and from all: `6.1 %`, `0.50 %`, `99.970 %`.
  public static func fine(_ share: Double) -> String { fineNumber(share) + " %" }

  /// ``fine(_:)`` without the unit, for the ends of intervals.
  public static func fineNumber(_ share: Double) -> String {
    let percent = share * 100
    var (rest, decimals) = (min(percent, 100 - percent), 1)
    guard rest > 0 else { return FixedPoint.text(percent, decimals: 0) }
    while rest < 0.95, decimals < 5 { (rest, decimals) = (rest * 10, decimals + 1) }
    return FixedPoint.text(percent, decimals: decimals)
  }

  /// A difference of two shares: `+0.30 points`.
  public static func points(_ difference: Double) -> String { pointsNumber(difference) + " points" }

  /// ``points(_:)`` without the unit; `…` of an end of an interval that is open.
  public static func pointsNumber(_ difference: Double) -> String {
    guard difference.isFinite else { return "…" }
    let text = FixedPoint.text(difference * 100, decimals: 2)
    return difference > 0 && text != "0.00" ? "+\(text)" : text
  }
}

/// Rates as text: three significant digits, without zeros at the end.
public enum FrequencyText {
  /// `4/s`, `3.98/s`, `0.5/s`, `12 500/s`; what happens less often than every ten seconds is told by the minute, the hour or
  /// the day: `4/min`, `1/h`.
  public static func text(_ perSecond: Double) -> String {
    let (number, unit) = parts(perSecond)
    return "\(number)/\(unit.sign)"
  }

  /// The same in a sentence, where it has to be said of what: `20 notifications a second`, `1 notification an hour`.
  public static func sentence(_ perSecond: Double) -> String {
    let (number, unit) = parts(perSecond)
    return "\(number) \(number == "1" ? "notification" : "notifications") \(unit.words)"
  }

  private typealias Unit = (sign: String, words: String, seconds: Double)
  private static let units: [Unit] = [
    ("s", "a second", 1), ("min", "a minute", 60), ("h", "an hour", 3_600), ("d", "a day", 86_400),
  ]

  /// A number and the unit of time that it is of.
  private static func parts(_ perSecond: Double) -> (number: String, unit: Unit) {
    guard perSecond > 0 else { return ("0", units[0]) }
    let unit = units.first { perSecond * $0.seconds >= 0.099_95 } ?? units[units.count - 1]
    let value = perSecond * unit.seconds
    guard value < 999.5 else { return (CountText.grouped(Int64(min(value, 1e15).rounded())), unit) }
    let text = FixedPoint.text(
      value, decimals: value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    guard text.contains(".") else { return (text, unit) }
    let kept = text.reversed().drop { $0 == "0" }
    return (String((kept.first == "." ? kept.dropFirst() : kept).reversed()), unit)
  }
}

/// Counts as text.
public enum CountText {
  /// A number with its noun: `1 run`, `2 runs`, `0 runs`, `12 500 runs`.
  ///
  /// - Parameter plural: by default the singular with an s.
  public static func text(_ count: some BinaryInteger, _ singular: String, plural: String? = nil) -> String {
    "\(grouped(count)) \(count == 1 ? singular : plural ?? singular + "s")"
  }

  /// Spaces between groups of three digits, from five digits on: 4711, 47 110.
  public static func grouped(_ value: some BinaryInteger) -> String {
    let digits = String(value.magnitude)
    guard digits.count > 4 else { return String(value) }
    var result = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result.append(" ") }
      result.append(digit)
    }
    return result
  }

  /// A difference with its sign: `+12`.
  public static func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + grouped(value) }

  /// An effective count: whole, and at least 1.
  public static func effective(_ count: Double) -> String { grouped(Int(min(max(1, count), 1e15).rounded())) }
}

/// Ordinal numbers.
public enum OrdinalText {
  /// `2nd`, `11th`.
  public static func text(_ count: Int) -> String {
    let ending =
      switch (count % 100, count % 10) {
      case (11...13, _): "th"
      case (_, 1): "st"
      case (_, 2): "nd"
      case (_, 3): "rd"
      default: "th"
      }
    return "\(count)\(ending)"
  }
}

/// Sizes in bytes as text.
public enum SizeText {
  /// `950 B`, `1.2 kB`, `12.3 MB`.
  public static func text(_ bytes: Int64) -> String {
    for (unit, scale) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where Double(bytes) >= scale * 0.99995 {
      return FixedPoint.text(Double(bytes) / scale, decimals: 1) + " \(unit)"
    }
    return "\(bytes) B"
  }
}

/// Spans of time as people say them.
public enum LengthText {
  /// Rounded, in one or two units: `250 ms`, `1.5 s`, `75 s`, `2 min 30 s`, `20 min`, `3 h 5 min`, `2 d 4 h`.
  ///
  /// - Parameter microseconds: none is negative.
  public static func text(_ microseconds: Int64) -> String {
    let length = max(0, microseconds)
    func rounded(to unit: Int64) -> Int64 { length / unit + (length % unit >= unit / 2 ? 1 : 0) }
    let (milliseconds, tenths, seconds) = (rounded(to: 1_000), rounded(to: 100_000), rounded(to: 1_000_000))
    if length > 0, milliseconds < 1_000 { return "\(max(1, milliseconds)) ms" }
    if tenths < 100, tenths % 10 > 0 { return "\(tenths / 10).\(tenths % 10) s" }
    if seconds == 60 { return "1 min" }
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 600 { return text(seconds, "min", 60, "s") }
    let minutes = rounded(to: 60_000_000)
    if minutes == 60 { return "1 h" }
    if minutes < 120 { return "\(minutes) min" }
    return minutes < 2_880 ? text(minutes, "h", 60, "min") : text(rounded(to: 3_600_000_000), "d", 24, "h")
  }

  /// The text of a duration.
  public static func text(_ duration: Duration) -> String { text(duration.microseconds) }

  /// A length that a person chose, without rounding, in the largest unit that divides it: `2 s`, `1500 ms`, `90 s`, `30 d`.
  public static func given(_ microseconds: Int64) -> String {
    let units: [(String, Int64)] = [
      ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1_000),
    ]
    let unit = units.first { microseconds != 0 && microseconds % $0.1 == 0 }
    return unit.map { "\(microseconds / $0.1) \($0.0)" } ?? (microseconds == 0 ? "0 s" : "\(microseconds) µs")
  }

  /// The same of a duration.
  public static func given(_ duration: Duration) -> String { given(duration.microseconds) }

  /// The larger unit, and the smaller one where there is any of it.
  private static func text(_ count: Int64, _ unit: String, _ parts: Int64, _ part: String) -> String {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: parts)
    return rest == 0 ? "\(whole) \(unit)" : "\(whole) \(unit) \(rest) \(part)"
  }
}

/// Decimal numbers by integer arithmetic: no locale, exact rounding.
public enum FixedPoint {
  /// `value / scale` with `decimals` places, rounded half away from zero. `scale` is a power of ten.
  public static func text(_ value: Int64, scale: Int64, decimals: Int) -> String {
    var power: UInt64 = 1
    for _ in 0..<decimals { power *= 10 }
    let scale = UInt64(scale)
    // Split first: the product of a whole value and the power could overflow, that of the remainder cannot.
    var whole = value.magnitude / scale
    var fraction = ((value.magnitude % scale) * power + scale / 2) / scale
    if fraction >= power {
      whole += 1
      fraction -= power
    }
    let sign = value < 0 && (whole > 0 || fraction > 0) ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole)." + padded(Int64(fraction), width: decimals)
  }

  /// The value with `decimals` places, rounded half away from zero; in Swift's format where it is too large for that.
  public static func text(_ value: Double, decimals: Int) -> String {
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    guard abs(value) < 1e12 else { return "\(value)" }
    return text(Int64((value * Double(scale)).rounded()), scale: scale, decimals: decimals)
  }

  /// The value with zeros in front, up to `width` digits.
  public static func padded(_ value: Int64, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Text whose numbers stay on one line with their units.
public enum UnbrokenText {
  private static let units: Set<Substring> = ["%", "µs", "ms", "s", "min", "h", "d"]

  /// Puts U+00A0 between a number and its unit. Of text for people only: files and programs keep spaces.
  public static func make(_ text: String) -> String {
    var made = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let unit = word.prefix { $0.isLetter || $0 == "%" }
      let isUnit = units.contains(unit) && made.last?.isNumber == true
      if !made.isEmpty || word.startIndex > text.startIndex { made += isUnit ? "\u{A0}" : " " }
      made += word
    }
    return made
  }
}

/// Text in lines of a width.
public enum WrappedText {
  /// Breaks a text at spaces, but not between a number and its unit.
  ///
  /// - Parameters:
  ///   - first: columns of the first line.
  ///   - rest: columns of the others.
  ///   - measure: the columns of a text.
  ///   - head: the part of a word that is too long for a line; empty to leave it whole.
  /// - Returns: one line at least.
  public static func lines(
    _ text: String, first: Int, rest: Int, measure: (String) -> Int = CharacterWidth.columns,
    head: (String) -> String = { _ in "" }
  ) -> [String] {
    var lines: [String] = []
    var line = ""
    for part in UnbrokenText.make(text).split(separator: " ", omittingEmptySubsequences: false) {
      let columns = lines.isEmpty ? first : rest
      var word = String(part).replacing("\u{A0}", with: " ")
      if !line.isEmpty, measure("\(line) \(word)") <= columns {
        line += " \(word)"
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while measure(word) > columns {
        let head = head(word)
        if head.isEmpty { break }
        lines.append(head)
        word = String(word.dropFirst(head.count))
      }
      line = word
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }
}
