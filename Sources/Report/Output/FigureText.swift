import Findings
import Measurement
import Store

/// Figures as text, with three significant digits.
enum FigureText {
  /// A latency with its interval; the unit is written once where it is the same: `1.23 ms (1.10 to 1.42)`.
  static func latency(_ value: Int64, from low: Int64, to high: Int64) -> String {
    let units = Set([value, low, high].map { LatencyText.parts($0).unit })
    if units.count == 1 {
      return
        "\(LatencyText.text(value)) (\(LatencyText.parts(low).number) to \(LatencyText.parts(high).number))"
    }
    return "\(LatencyText.text(value)) (\(LatencyText.text(low)) to \(LatencyText.text(high)))"
  }

  /// An interval; the unit is written once where it is the same: `1.10 to 1.42 ms`.
  static func span(from low: Int64, to high: Int64) -> String {
    let (low, high) = (LatencyText.parts(low), LatencyText.parts(high))
    return low.unit == high.unit
      ? "\(low.number) to \(high.number) \(high.unit)"
      : "\(low.number) \(low.unit) to \(high.number) \(high.unit)"
  }

  /// A quantile with its interval: `1.23 ms (1.10 to 1.42)`; with an open end `≥ 1.3 s`; with two `n too small`.
  static func quantile(_ value: Int64, low: Int64?, high: Int64?) -> String {
    switch (low, high) {
    case (let low?, let high?): latency(value, from: low, to: high)
    case (let low?, nil): "≥ \(LatencyText.text(low))"
    case (nil, let high?): "≤ \(LatencyText.text(high))"
    case (nil, nil): "n too small"
    }
  }

  /// The same, or the number of values that it takes.
  static func estimate(_ estimate: QuantileEstimate) -> String {
    switch estimate {
    case .known(let value, let low, let high): latency(value, from: low, to: high)
    case .tooFew(let needs): "n too small (needs \(CountText.grouped(needs)))"
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
    return "n \(CountText.effective(effective)) of \(CountText.grouped(interval.count))"
  }

  /// How many independent values an interval is worth, with where that is known from: `effective n 38 of 3600`.
  static func weight(_ effective: Double, of count: Int, usesHistory: Bool, isIndependent: Bool) -> String {
    if isIndependent { return "n \(CountText.grouped(count)), taken for independent" }
    return "effective n \(count == 0 ? "0" : CountText.effective(effective)) of \(CountText.grouped(count))"
      + (usesHistory || count == 0 ? "" : ", from this window alone")
  }

  /// A share with its interval: `99.8 % (99.1 to 99.97)`; `–` when nothing was counted.
  ///
  /// - Parameter isWeighed: whether the effective count stands there, too: `2.4 % (1.1 to 4.6, n 180)`.
  static func share(_ interval: ShareInterval, isWeighed: Bool = false) -> String {
    guard let share = interval.share else { return "–" }
    return "\(PercentText.fine(share)) (\(span(interval))"
      + (isWeighed ? ", n \(CountText.effective(interval.effectiveCount)))" : ")")
  }

  /// The interval of a share: `99.1 to 99.97`.
  static func span(_ interval: ShareInterval) -> String {
    "\(PercentText.fineNumber(interval.low)) to \(PercentText.fineNumber(interval.high))"
  }

  /// A count for a page: nothing in it is divided by a line break.
  static func grouped(_ number: Int) -> String { unbroken(CountText.grouped(number)) }

  /// A figure for a cell of a page: nothing in it is divided by a line break.
  static func unbroken(_ figure: String) -> String { figure.replacing(" ", with: "\u{A0}") }
}
