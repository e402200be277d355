import Measurement

/// The formats in which metrics are written.
enum ExpositionFormat: Sendable, Equatable, CaseIterable {
  /// Prometheus' text format, version 0.0.4.
  case text
  /// OpenMetrics 1.0.0, with exemplars.
  case openMetrics
  /// Prometheus' protocol buffers, delimited, with native histograms.
  case protobuf

  var contentType: String {
    switch self {
    case .text: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    case .protobuf:
      "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
    }
  }

  /// The format that a client prefers (RFC 9110, section 12.5.1); the text format where it takes none of them.
  /// - Parameter accept: the values of the request's Accept headers.
  init(accept: [String]) {
    var best: (format: ExpositionFormat, weight: Double)?
    for range in accept.joined(separator: ",").split(separator: ",").prefix(32) {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let type = parts.first else { continue }
      var parameters: [String: String] = [:]
      for part in parts.dropFirst() {
        let pair = part.split(separator: "=", maxSplits: 1)
        if pair.count == 2 { parameters[String(pair[0])] = pair[1].filter { $0 != "\"" } }
      }
      guard let format = Self.format(type, parameters) else { continue }
      let weight = parameters["q"].flatMap { Double($0) } ?? 1
      if weight > 0, weight > best?.weight ?? 0 { best = (format, weight) }
    }
    self = best?.format ?? .text
  }

  private static func format(_ type: String, _ parameters: [String: String]) -> ExpositionFormat? {
    switch type {
    case "application/vnd.google.protobuf":
      parameters["proto"] == "io.prometheus.client.metricfamily" && parameters["encoding"] == "delimited"
        ? .protobuf : nil
    case "application/openmetrics-text":
      ["1.0.0", "0.0.1", nil].contains(parameters["version"]) ? .openMetrics : nil
    case "text/plain": ["0.0.4", nil].contains(parameters["version"]) ? .text : nil
    case "text/*", "*/*": .text
    default: nil
    }
  }

  /// - Parameter separatesBuckets: writes classic buckets as series beside native histograms. Prometheus takes one or the other
  ///   of a histogram that has both, and how it is told to take both differs between its versions.
  func encode(_ families: [MetricFamily], separatesBuckets: Bool = false) -> [UInt8] {
    switch self {
    case .text: TextExposition(isOpenMetrics: false).encode(families)
    case .openMetrics: TextExposition(isOpenMetrics: true).encode(families)
    case .protobuf: ProtobufExposition.encode(families, separatesBuckets: separatesBuckets)
    }
  }
}

/// Writes Prometheus' text format and OpenMetrics.
/// https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/specs/om/open_metrics_spec/
private struct TextExposition {
  let isOpenMetrics: Bool
  private var output: [UInt8] = []

  init(isOpenMetrics: Bool) { self.isOpenMetrics = isOpenMetrics }

  func encode(_ families: [MetricFamily]) -> [UInt8] {
    var this = self
    for family in families where !family.points.isEmpty { this.write(family) }
    if isOpenMetrics { this.write("# EOF\n") }
    return this.output
  }

  private mutating func write(_ text: String) { output += text.utf8 }

  private mutating func write(_ family: MetricFamily) {
    let isCounter = family.kind == .counter
    let name = isOpenMetrics && isCounter ? String(family.name.dropLast("_total".count)) : family.name
    write(
      "# HELP \(name) \(Self.escaped(family.help, quotes: isOpenMetrics))\n# TYPE \(name) \(family.kind)\n")
    if isOpenMetrics, let unit = family.unit { write("# UNIT \(name) \(unit)\n") }
    for point in family.points {
      switch point.value {
      case .number(let number):
        write("\(family.name)\(Self.braces(point.labels)) \(MetricNumber.text(number))\n")
      case .distribution(let distribution): write(distribution, family.name, point.labels)
      }
    }
  }

  private mutating func write(
    _ distribution: LatencyDistribution, _ name: String, _ labels: [MetricFamily.Label]
  ) {
    var cumulative: UInt64 = 0
    let before = labels.map(Self.pair).map { $0 + "," }.joined()
    for (index, count) in distribution.counts.enumerated() {
      cumulative += count
      let bounds = distribution.buckets.bounds
      let end =
        index < bounds.count
        ? isOpenMetrics ? MetricNumber.bound(bounds[index]) : MetricNumber.seconds(bounds[index]) : "+Inf"
      write("\(name)_bucket{\(before)\(MetricLabel.bucket.rawValue)=\"\(end)\"} \(cumulative)")
      if isOpenMetrics, let exemplar = distribution.exemplars[index] {
        write(
          " # {\(LatencyDistribution.Exemplar.label)=\"\(exemplar.notification)\"} \(MetricNumber.seconds(exemplar.value))"
            + " \(MetricNumber.seconds(exemplar.at.microseconds))")
      }
      write("\n")
    }
    let braces = Self.braces(labels)
    write("\(name)_sum\(braces) \(MetricNumber.seconds(distribution.sum))\n")
    write("\(name)_count\(braces) \(distribution.count)\n")
  }

  private static func braces(_ labels: [MetricFamily.Label]) -> String {
    labels.isEmpty ? "" : "{\(labels.map(pair).joined(separator: ","))}"
  }

  private static func pair(_ label: MetricFamily.Label) -> String {
    "\(label.name)=\"\(escaped(label.value, quotes: true))\""
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    guard text.contains(where: { $0 == "\\" || $0 == "\n" || $0 == "\"" }) else { return text }
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
