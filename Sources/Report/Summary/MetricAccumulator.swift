import Measurement

/// Gathers a metric's values twice: all of them, and those of requests that opened a connection.
struct MetricAccumulator {
  private var all: RangedLatencies<QuantileAccumulator>
  private var fresh: RangedLatencies<QuantileAccumulator>

  init(room: QuantileAccumulator.Room) {
    all = RangedLatencies(QuantileAccumulator(room: room))
    fresh = RangedLatencies(QuantileAccumulator(room: room))
  }

  var count: Int { all.values.count }

  /// - Parameter range: of a delivery.
  mutating func record(_ value: Int64, _ range: DeliveryRange? = nil, isFresh: Bool) {
    let value = RangedLatencies(value, range)
    Self.combine(&all, value) { $0.record($1) }
    if isFresh { Self.combine(&fresh, value) { $0.record($1) } }
  }

  mutating func merge(_ packed: PackedLatencies, fresh packedFresh: PackedLatencies) {
    merge(RangedLatencies(packed), fresh: RangedLatencies(packedFresh))
  }

  mutating func merge(
    _ packed: RangedLatencies<PackedLatencies>, fresh packedFresh: RangedLatencies<PackedLatencies>
  ) {
    Self.combine(&all, packed) { $0.merge($1) }
    Self.combine(&fresh, packedFresh) { $0.merge($1) }
  }

  private static func combine<Other>(
    _ sum: inout RangedLatencies<QuantileAccumulator>, _ other: RangedLatencies<Other>,
    _ change: (inout QuantileAccumulator, Other) -> Void
  ) {
    // The first value with an error makes lows and highs of all the values before it.
    if sum.isExact, !other.isExact { sum.values.reserve(copies: 2) }
    sum.combine(other, change)
  }

  /// - Parameter limits: where the values lie that are but upper limits.
  func summary(_ metric: Metric, of counts: StateTally, limits: LatencyHistogram? = nil) -> MetricSummary {
    MetricSummary(
      metric: metric, all: ValueSummary(all, of: counts, limits: limits),
      fresh: fresh.values.count > 0 ? ValueSummary(fresh, of: counts, limits: limits) : nil)
  }
}
