import Measurement

/// What became of the notifications of one target and variant that were planned in one span of time.
public struct RollupRow: Sendable, Equatable {
  /// A whole number of spans since 1970.
  public var start: WallTime
  public var span: RollupSpan
  public var target: TargetID
  public var variant: VariantID
  public var counts: StateCounts
  private let service: PackedLatencies
  private let accept: PackedLatencies
  private let deliveries: RangedLatencies<PackedLatencies>

  init(key: RollupKey, content: RollupContent) {
    start = WallTime(microseconds: key.start * 1_000_000)
    span = key.span
    target = key.target
    variant = key.variant
    counts = content.counts
    service = content.figures[.service]
    accept = content.figures[.accept]
    deliveries = RangedLatencies(
      counted: content.figures[.delivery], lows: content.figures[.deliveryLow],
      highs: content.figures[.deliveryHigh])
  }

  /// The end of the span, excluded.
  public var end: WallTime { start.advanced(byMicroseconds: span.microseconds) }

  /// The latencies, counted in the buckets of a ``LatencyHistogram``; `nil` when there are none, or they were not read.
  public func histogram(of metric: Metric) -> PackedLatencies? {
    let packed =
      switch metric {
      case .service: service
      case .accept: accept
      case .delivery: deliveries.values
      }
    return packed.isEmpty ? nil : packed
  }

  /// The same with the ranges of what is not exact.
  public func ranged(_ metric: Metric) -> RangedLatencies<PackedLatencies>? {
    guard metric == .delivery, !deliveries.isExact else {
      return histogram(of: metric).map { RangedLatencies($0) }
    }
    return deliveries
  }
}
