import Measurement

/// All metrics of one name at an instant, as every exposition format writes them.
struct MetricFamily: Sendable {
  enum Kind: Sendable {
    case counter, gauge, histogram
  }

  enum Value: Sendable {
    /// The value of a counter or gauge.
    case number(Double)
    case distribution(LatencyDistribution)
  }

  struct Point: Sendable {
    /// The labels in the order in which they are written.
    var labels: [Label]
    var value: Value
  }

  struct Label: Sendable, Hashable {
    var name: String
    var value: String
  }

  /// The name, which ends in `_total` for a counter.
  var name: String
  var help: String
  var kind: Kind
  var points: [Point]

  /// The part of the name after its last underscore, where that is a unit.
  var unit: String? {
    let base = kind == .counter ? String(name.dropLast("_total".count)) : name
    return ["seconds", "bytes"].first { base.hasSuffix("_\($0)") }
  }

  init(_ kind: Kind, _ name: String, _ help: String, _ points: [Point]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.points = points
  }
}

/// Numbers as Prometheus' text formats have them.
enum MetricNumber {
  private static let microsecondsPerSecond = Duration.seconds(1).microseconds

  /// µs as seconds with a decimal point, as OpenMetrics wants a bucket's end: `2.0`.
  static func bound(_ microseconds: Int64) -> String {
    let text = seconds(microseconds)
    return text.contains(".") ? text : text + ".0"
  }

  /// µs as seconds, exactly: `0.0001`, `2`, `3600`.
  static func seconds(_ microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: microsecondsPerSecond)
    guard rest != 0 else { return String(whole) }
    var digits = String(abs(rest))
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return (microseconds < 0 && whole == 0 ? "-" : "") + "\(whole).\(digits)"
  }

  static func text(_ number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number > 0 ? "+Inf" : "-Inf" }
    return String(number)
  }
}

extension MetricFamily.Label {
  init(_ name: MetricLabel, _ value: String) { self.init(name: name.rawValue, value: value) }
}
