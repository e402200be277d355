/// Stretches of time as people say them.
public enum LengthText {
  /// Rounded, in one or two units: `75 s`, `2 min 30 s`, `20 min`, `3 h 5 min`, `2 days 4 h`.
  ///
  /// - Parameter microseconds: none is negative; less than a second is given in ms.
  public static func text(_ microseconds: Int64) -> String {
    let length = max(0, microseconds)
    func rounded(to unit: Int64) -> Int64 { length / unit + (length % unit >= unit / 2 ? 1 : 0) }
    let (milliseconds, seconds) = (rounded(to: 1_000), rounded(to: 1_000_000))
    if length > 0, milliseconds < 1_000 { return "\(max(1, milliseconds)) ms" }
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 600 { return text("\(seconds / 60) min", seconds % 60, "s") }
    let minutes = rounded(to: 60_000_000)
    if minutes < 120 { return "\(minutes) min" }
    if minutes < 2_880 { return text("\(minutes / 60) h", minutes % 60, "min") }
    let hours = rounded(to: 3_600_000_000)
    return text(CountText.text(Int(hours / 24), "day"), hours % 24, "h")
  }

  /// The larger unit, and the smaller one where there is any of it.
  private static func text(_ whole: String, _ rest: Int64, _ unit: String) -> String {
    rest == 0 ? whole : "\(whole) \(rest) \(unit)"
  }
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
