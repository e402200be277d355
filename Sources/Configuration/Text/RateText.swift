import Measurement

/// Rates as people write them: `4/s`, `30/min`, `0.5/h`.
public enum RateText {
  static let remedy = "write a number, a slash and a unit (s, min, h, d), like 4/s or 30/min"

  /// What a rate per second may be: one in a hundred days to a hundred thousand a second.
  public static let range = (1.0 / (100 * 86_400))...100_000.0

  /// Whole numbers are kept exactly: `1/min` never drifts.
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
