import Measurement

/// Writes Prometheus' protocol buffers: the few messages of `io.prometheus.client` that a scrape needs, by hand, since a
/// library for all of protocol buffers would cost more than these lines.
/// https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto
enum ProtobufExposition {
  /// One message for each family, each with its length before it.
  /// - Parameter separatesBuckets: classic buckets are families of their own, in place of fields of the histogram.
  static func encode(_ families: [MetricFamily], separatesBuckets: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    for family in families where !family.points.isEmpty {
      var messages = [Self.message(family, hasBuckets: !separatesBuckets)]
      if separatesBuckets, family.kind == .histogram {
        messages += classicSeries(of: family).map { Self.message($0, hasBuckets: false) }
      }
      for message in messages {
        output.appendVarint(UInt64(message.count))
        output += message
      }
    }
    return output
  }

  /// What the text format has of a histogram: counters of buckets, sum and count.
  private static func classicSeries(of family: MetricFamily) -> [MetricFamily] {
    var (buckets, sums, counts): ([MetricFamily.Point], [MetricFamily.Point], [MetricFamily.Point]) = (
      [], [], []
    )
    for point in family.points {
      guard case .distribution(let distribution) = point.value else { continue }
      var cumulative: UInt64 = 0
      for (index, count) in distribution.counts.enumerated() {
        cumulative += count
        let bounds = distribution.buckets.bounds
        let end = index < bounds.count ? MetricNumber.bound(bounds[index]) : "+Inf"
        buckets.append(
          .init(
            labels: point.labels + [MetricFamily.Label(.bucket, end)], value: .number(Double(cumulative))))
      }
      sums.append(.init(labels: point.labels, value: .number(Double(distribution.sum) / 1e6)))
      counts.append(.init(labels: point.labels, value: .number(Double(distribution.count))))
    }
    return [("bucket", buckets), ("sum", sums), ("count", counts)].map { suffix, points in
      MetricFamily(.counter, "\(family.name)_\(suffix)", family.help, points)
    }
  }

  private static func message(_ family: MetricFamily, hasBuckets: Bool) -> [UInt8] {
    var message = ProtobufMessage()
    message.add(family.name, field: 1)
    message.add(family.help, field: 2)
    // COUNTER, GAUGE, HISTOGRAM
    let type: UInt64 =
      switch family.kind {
      case .counter: 0
      case .gauge: 1
      case .histogram: 4
      }
    message.add(type, field: 3)
    for point in family.points { message.add(Self.metric(point, family.kind, hasBuckets), field: 4) }
    if let unit = family.unit { message.add(unit, field: 5) }
    return message.bytes
  }

  private static func metric(
    _ point: MetricFamily.Point, _ kind: MetricFamily.Kind, _ hasBuckets: Bool
  ) -> ProtobufMessage {
    var metric = ProtobufMessage()
    for label in point.labels { metric.add(pair(label), field: 1) }
    switch point.value {
    case .number(let number):
      var value = ProtobufMessage()
      value.add(number, field: 1)
      metric.add(value, field: kind == .counter ? 3 : 2)
    case .distribution(let distribution): metric.add(histogram(distribution, hasBuckets), field: 7)
    }
    return metric
  }

  private static func pair(_ label: MetricFamily.Label) -> ProtobufMessage {
    var pair = ProtobufMessage()
    pair.add(label.name, field: 1)
    pair.add(label.value, field: 2)
    return pair
  }

  private static func histogram(_ distribution: LatencyDistribution, _ hasBuckets: Bool) -> ProtobufMessage {
    var message = ProtobufMessage()
    message.add(distribution.count, field: 1)
    message.add(Double(distribution.sum) / 1e6, field: 2)
    var cumulative: UInt64 = 0
    for (index, bound) in distribution.buckets.bounds.enumerated() where hasBuckets {
      cumulative += distribution.counts[index]
      var bucket = ProtobufMessage()
      bucket.add(cumulative, field: 1)
      bucket.add(Double(bound) / 1e6, field: 2)
      if let exemplar = distribution.exemplars[index] { bucket.add(Self.exemplar(exemplar), field: 3) }
      message.add(bucket, field: 3)
    }
    message.addSigned(Int64(NativeHistogram.schema), field: 5)
    message.add(NativeHistogram.zeroThreshold, field: 6)
    message.add(distribution.zeros, field: 7)
    let (spans, deltas) = NativeHistogram.spans(distribution.native)
    for span in spans {
      var part = ProtobufMessage()
      part.addSigned(Int64(span.offset), field: 1)
      part.add(UInt64(span.length), field: 2)
      message.add(part, field: 12)
    }
    // An empty span tells a native histogram without values from a classic one.
    if spans.isEmpty {
      var part = ProtobufMessage()
      part.addSigned(0, field: 1)
      part.add(UInt64(0), field: 2)
      message.add(part, field: 12)
    }
    for delta in deltas { message.addSigned(delta, field: 13) }
    for case let exemplar? in distribution.exemplars { message.add(Self.exemplar(exemplar), field: 16) }
    return message
  }

  private static func exemplar(_ exemplar: LatencyDistribution.Exemplar) -> ProtobufMessage {
    var message = ProtobufMessage()
    message.add(
      pair(
        MetricFamily.Label(name: LatencyDistribution.Exemplar.label, value: exemplar.notification.description)
      ), field: 1)
    message.add(Double(exemplar.value) / 1e6, field: 2)
    var timestamp = ProtobufMessage()
    let second = exemplar.at.floored(to: .seconds(1))
    timestamp.add(UInt64(max(0, second.seconds)), field: 1)
    timestamp.add(UInt64((exemplar.at - second).nanoseconds), field: 2)
    message.add(timestamp, field: 3)
    return message
  }
}

/// Fields of a message as protocol buffers encode them: https://protobuf.dev/programming-guides/encoding/
private struct ProtobufMessage {
  private(set) var bytes: [UInt8] = []

  private mutating func key(_ field: UInt64, _ wireType: UInt64) { bytes.appendVarint(field << 3 | wireType) }

  mutating func add(_ number: UInt64, field: UInt64) {
    key(field, 0)
    bytes.appendVarint(number)
  }

  /// A `sint`: small numbers of either sign are short.
  mutating func addSigned(_ number: Int64, field: UInt64) {
    add(UInt64(bitPattern: (number << 1) ^ (number >> 63)), field: field)
  }

  mutating func add(_ number: Double, field: UInt64) {
    key(field, 1)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
  }

  mutating func add(_ text: String, field: UInt64) {
    key(field, 2)
    bytes.appendVarint(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func add(_ message: ProtobufMessage, field: UInt64) {
    key(field, 2)
    bytes.appendVarint(UInt64(message.bytes.count))
    bytes += message.bytes
  }
}

extension [UInt8] {
  fileprivate mutating func appendVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
