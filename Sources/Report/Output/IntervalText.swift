import Configuration
import Findings
import Measurement

/// Figures with intervals as text.
enum IntervalText {
  /// A quantile: `1.23 ms (1.10–1.42)`; with an open end `≥ 1.3 s`; with two `n too small`.
  static func quantile(_ value: Int64, low: Int64?, high: Int64?) -> String {
    switch (low, high) {
    case (let low?, let high?): FigureText.latency(value, from: low, to: high)
    case (let low?, nil): "≥ \(FigureText.latency(low))"
    case (nil, let high?): "≤ \(FigureText.latency(high))"
    case (nil, nil): "n too small"
    }
  }

  /// A share: `99.8 % (99.1–99.97)`; `–` when nothing was counted.
  static func share(_ interval: ShareInterval) -> String {
    guard let share = interval.share else { return "–" }
    return "\(percent(share)) % (\(percent(interval.low))–\(percent(interval.high)))"
  }

  /// In percent, with enough decimals to tell it from 0 and from 100: `99.97`.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    guard value > 0, value < 100 else { return FigureText.decimal(value, 0) }
    let rest = min(value, 100 - value)
    return FigureText.decimal(value, rest >= 0.95 ? 1 : rest >= 0.095 ? 2 : 3)
  }

  /// A share that a person chose, without decimals that it does not have: `10 %`, `99.9 %`.
  static func given(_ share: Double) -> String { "\(ShareText.format(share).dropLast()) %" }

  /// How many independent values it is worth: `effective n 38 of 3600`, with where that is known from.
  static func count(_ effective: Double, of count: Int, usesHistory: Bool, isIndependent: Bool = false)
    -> String
  {
    if isIndependent { return "n \(count), taken for independent" }
    return "effective n \(FigureText.decimal(effective, 0)) of \(count)"
      + (usesHistory || count == 0 ? "" : ", from this window alone")
  }
}
