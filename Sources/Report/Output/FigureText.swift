import Configuration
import Findings
import Measurement
import Store

/// Figures as text, with three significant digits.
enum FigureText {
  /// A latency in µs: `850 µs`, `1.23 ms`, `12.3 s`.
  static func latency(_ microseconds: Int64) -> String { LatencyText.text(microseconds) }

  /// A latency with its interval; the unit is written once where it is the same: `1.23 ms (1.10–1.42)`.
  static func latency(_ value: Int64, from low: Int64, to high: Int64) -> String {
    let units = Set([value, low, high].map { LatencyText.parts($0).unit })
    if units.count == 1 {
      return "\(latency(value)) (\(LatencyText.parts(low).number)–\(LatencyText.parts(high).number))"
    }
    return "\(latency(value)) (\(latency(low))–\(latency(high)))"
  }

  /// An interval; the unit is written once where it is the same: `1.10–1.42 ms`.
  static func span(from low: Int64, to high: Int64) -> String {
    let (low, high) = (LatencyText.parts(low), LatencyText.parts(high))
    return low.unit == high.unit
      ? "\(low.number)–\(high.number) \(high.unit)" : "\(low.number) \(low.unit)–\(high.number) \(high.unit)"
  }

  /// A quantile with its interval: `1.23 ms (1.10–1.42)`; with an open end `≥ 1.3 s`; with two `n too small`.
  static func quantile(_ value: Int64, low: Int64?, high: Int64?) -> String {
    switch (low, high) {
    case (let low?, let high?): latency(value, from: low, to: high)
    case (let low?, nil): "≥ \(latency(low))"
    case (nil, let high?): "≤ \(latency(high))"
    case (nil, nil): "n too small"
    }
  }

  /// The same, or the number of values that it takes.
  static func estimate(_ estimate: QuantileEstimate) -> String {
    switch estimate {
    case .known(let value, let low, let high): latency(value, from: low, to: high)
    case .tooFew(let needs): "n too small (needs \(needs))"
    }
  }

  /// The same of a summary.
  static func figure(_ figure: ValueSummary.Figure) -> String {
    guard let interval = figure.known else { return estimate(figure.estimate) }
    return quantile(interval.value, low: interval.low, high: interval.high)
  }

  /// The effective count of an interval, `n 38 of 3600`; empty where it has none.
  static func effective(_ figure: ValueSummary.Figure) -> String {
    guard let interval = figure.known, let effective = figure.effectiveCount else { return "" }
    return "n \(count(effective)) of \(interval.count)"
  }

  /// How many independent values an interval is worth, with where that is known from: `effective n 38 of 3600`.
  static func weight(_ effective: Double, of count: Int, usesHistory: Bool, isIndependent: Bool) -> String {
    if isIndependent { return "n \(count), taken for independent" }
    return "effective n \(count == 0 ? "0" : Self.count(effective)) of \(count)"
      + (usesHistory || count == 0 ? "" : ", from this window alone")
  }

  /// An effective count: whole, and at least 1.
  static func count(_ effective: Double) -> String { decimal(max(1, effective), 0) }

  /// A share with its interval: `99.8 % (99.1–99.97)`; `–` when nothing was counted.
  ///
  /// - Parameter isWeighed: whether the effective count stands there, too: `2.4 % (1.1–4.6, n 180)`.
  static func share(_ interval: ShareInterval, isWeighed: Bool = false) -> String {
    guard let share = interval.share else { return "–" }
    return "\(percent(share)) % (\(percent(interval.low))–\(percent(interval.high))"
      + (isWeighed ? ", n \(count(interval.effectiveCount)))" : ")")
  }

  /// A share in percent, with enough decimals to tell it from 0 and from 100: `99.97`.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    guard value > 0, value < 100 else { return decimal(value, 0) }
    let rest = min(value, 100 - value)
    return decimal(value, rest >= 0.95 ? 1 : rest >= 0.095 ? 2 : 3)
  }

  /// A share that a person chose, without decimals that it does not have: `10 %`, `99.9 %`.
  static func given(_ share: Double) -> String { "\(ShareText.format(share).dropLast()) %" }

  /// A rate: `4/s`, `0.0667/s`, `999/s`.
  static func rate(_ perSecond: Double) -> String {
    var decimals = 2
    var scale = abs(perSecond)
    while scale > 0, scale < 1, decimals < 6 {
      scale *= 10
      decimals += 1
    }
    let text = decimal(perSecond, decimals)
    guard text.contains(".") else { return text + "/s" }
    let digits = text.reversed().drop { $0 == "0" }
    return String((digits.first == "." ? digits.dropFirst() : digits).reversed()) + "/s"
  }

  /// Some of a count: `97.5 %`; 100 % and 0 % only when it is exactly that.
  static func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    if part == 0 || part == whole { return part == 0 ? "0 %" : "100 %" }
    let tenths = min(999, max(1, (Double(part) / Double(whole) * 1000).rounded()))
    return decimal(tenths / 10, 1) + " %"
  }

  /// A whole number in groups of three from five digits on, with narrow spaces that do not break: 4711, 47 110.
  static func grouped(_ number: Int) -> String {
    let digits = String(number)
    guard digits.count > 4 else { return digits }
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result += "\u{202F}" }
      result.append(digit)
    }
    return result
  }

  /// A figure for a cell of a page: nothing in it is divided by a line break.
  static func unbroken(_ figure: String) -> String { figure.replacing(" ", with: "\u{A0}") }

  /// A number with a fixed count of decimals, rounded.
  static func decimal(_ value: Double, _ decimals: Int) -> String {
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    guard abs(value) < 1e12 else { return "\(value)" }
    let rounded = Int64((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && rounded > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(rounded)" }
    let fraction = String(rounded % scale)
    return "\(sign)\(rounded / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
