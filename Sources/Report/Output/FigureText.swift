import Measurement
import Store

/// Figures as text, with three significant digits.
enum FigureText {
  /// A latency in µs: `850 µs`, `1.23 ms`, `12.3 s`.
  static func latency(_ microseconds: Int64) -> String {
    let (value, unit) = scaled(microseconds)
    return "\(value) \(unit)"
  }

  /// A latency with its interval; the unit is written once where it is the same: `1.23 ms (1.10–1.42)`.
  static func latency(_ value: Int64, from low: Int64, to high: Int64) -> String {
    let units = Set([value, low, high].map { scaled($0).unit })
    if units.count == 1 { return "\(latency(value)) (\(scaled(low).value)–\(scaled(high).value))" }
    return "\(latency(value)) (\(latency(low))–\(latency(high)))"
  }

  /// A quantile with its interval, or the number of values that it needs.
  static func estimate(_ estimate: QuantileEstimate) -> String {
    switch estimate {
    case .known(let value, let low, let high): latency(value, from: low, to: high)
    case .tooFew(let needs): "n too small (needs \(needs))"
    }
  }

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

  private static func scaled(_ microseconds: Int64) -> (value: String, unit: String) {
    let magnitude = Double(microseconds.magnitude)
    if magnitude < 1000 { return ("\(microseconds)", "µs") }
    let (value, unit) =
      magnitude < 999_500 ? (Double(microseconds) / 1e3, "ms") : (Double(microseconds) / 1e6, "s")
    let size = abs(value)
    return (decimal(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0), unit)
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
