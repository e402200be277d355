import Measurement

/// Parses shares: `99%`, `99.9%`, `0.999`.
public enum ShareText {
  /// A share above 0 and below 1.
  public static func parse(_ text: String) throws(ValueTextError) -> Double {
    guard let share = fraction(text) else {
      throw ValueTextError(text, "is not a share", remedy: "write a percentage, like 99% or 99.9%")
    }
    guard share > 0, share < 1 else {
      let percent =
        text.hasSuffix("%") || share <= 0 || share >= 100 ? "" : "; write \(text)% where percent are meant"
      throw ValueTextError(
        text, "is out of range",
        remedy: "a share lies between 0% and 100%, both excluded: no number of probes proves either\(percent)"
      )
    }
    return share
  }

  /// A number, or a percentage.
  fileprivate static func fraction(_ text: String) -> Double? {
    guard let (number, unit) = DecimalText.split(text), unit.isEmpty || unit == "%" else { return nil }
    // 99.9 / 100 is not 0.999 in binary: both forms give the same share.
    return (number * (unit.isEmpty ? 1e12 : 1e10)).rounded() / 1e12
  }

  /// The share as a file has it: `99.9%`.
  public static func format(_ share: Double) -> String {
    PercentText.givenNumber(share) + "%"
  }
}

/// Parses how large a change may be that counts as none: `10%`, `0%`, `150%`, `0.1`.
public enum ToleranceText {
  private static let largest = 100.0

  /// A factor less 1: 0.1 is 10 %.
  public static func parse(_ text: String) throws(ValueTextError) -> Double {
    guard let tolerance = ShareText.fraction(text) else {
      throw ValueTextError(text, "is not a tolerance", remedy: "write a percentage, like 10% or 0%")
    }
    guard tolerance <= largest else {
      throw ValueTextError(
        text, "is out of range", remedy: "write at most \(ShareText.format(largest)), like 10% or 150%")
    }
    return tolerance
  }
}

/// Parses quantiles: `p50`, `p99.9`.
public enum QuantileText {
  /// Reads `p` and a percentage above 0 and below 100.
  public static func parse(_ text: String) throws(ValueTextError) -> Quantile {
    guard text.first == "p", let (number, unit) = DecimalText.split(String(text.dropFirst())), unit.isEmpty,
      let quantile = Quantile(fraction: number / 100, label: text)
    else {
      throw ValueTextError(text, "is not a quantile", remedy: "write p and a percentage, like p50 or p99.9")
    }
    return Quantile.standard.first { $0.label == text } ?? quantile
  }
}
