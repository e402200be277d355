import Analysis
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

  /// A quantile with its interval, or the number of values that it needs.
  static func estimate(_ estimate: QuantileEstimate) -> String {
    switch estimate {
    case .known(let value, let low, let high): latency(value, from: low, to: high)
    case .tooFew(let needs): "n too small (needs \(needs))"
    }
  }

  /// A quantile with its interval, or that there are too few values: `1.23 ms (1.10–1.42)`, `≥ 1.10 ms` where the upper end
  /// is open.
  static func figure(_ figure: ValueSummary.Figure) -> String {
    guard let interval = figure.known else { return estimate(figure.estimate) }
    return switch (interval.low, interval.high) {
    case (let low?, let high?): latency(interval.value, from: low, to: high)
    case (let low?, nil): "≥ \(latency(low))"
    case (nil, let high?): "≤ \(latency(high))"
    case (nil, nil): estimate(figure.estimate)
    }
  }

  /// The effective count of an interval, `n 38 of 3600`; empty where it has none.
  static func effective(_ figure: ValueSummary.Figure) -> String {
    guard let interval = figure.known, let effective = figure.effectiveCount else { return "" }
    return "n \(count(effective)) of \(interval.count)"
  }

  /// A share with its interval and effective count: `2.4 % (1.1–4.6, n 180)`.
  static func share(_ interval: ShareInterval, _ method: IntervalMethod) -> String {
    func ends(_ value: Double) -> String { decimal(value * 100, value < 0.0995 ? 2 : 1) }
    let effective = method == .dependent ? ", n \(count(interval.effectiveCount))" : ""
    return
      "\(percent(interval.events, of: interval.count)) (\(ends(interval.low))–\(ends(interval.high))\(effective))"
  }

  /// An effective count: whole, and at least 1.
  static func count(_ effective: Double) -> String { decimal(max(1, effective), 0) }

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

  /// A share: `97.5 %`; 100 % and 0 % only when it is exactly that.
  static func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    if part == 0 || part == whole { return part == 0 ? "0 %" : "100 %" }
    let tenths = min(999, max(1, (Double(part) / Double(whole) * 1000).rounded()))
    return decimal(tenths / 10, 1) + " %"
  }

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

/// Times of a run as text.
enum RunText {
  /// To the second, UTC: `2026-03-01 12:00:00`.
  static func time(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// Length of the run, or that it is open: `1h 02m`, `10s`.
  static func length(_ run: RunRecord) -> String {
    guard let end = run.endedAt ?? run.lastHeartbeat else { return "" }
    // From wall times, so a clock step shows.
    let seconds = max(0, (end.microseconds - run.startedAt.microseconds) / 1_000_000)
    switch seconds {
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m \(padded(seconds % 60))s"
    default: return "\(seconds / 3600)h \(padded(seconds / 60 % 60))m"
    }
  }

  static func end(_ run: RunRecord) -> String { run.endReason?.rawValue ?? "open" }

  private static func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
