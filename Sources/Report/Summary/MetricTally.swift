import Measurement

/// Gathers a metric's values twice: all of them, and those of requests that opened a connection.
struct MetricTally {
  private var all: QuantileAccumulator
  private var fresh: QuantileAccumulator

  init(room: QuantileAccumulator.Room) {
    all = QuantileAccumulator(room: room)
    fresh = QuantileAccumulator(room: room)
  }

  var count: Int { all.count }

  mutating func record(_ value: Int64, isFresh: Bool) {
    all.record(value)
    if isFresh { fresh.record(value) }
  }

  mutating func merge(_ packed: PackedLatencies, fresh packedFresh: PackedLatencies) {
    all.merge(packed)
    fresh.merge(packedFresh)
  }

  /// - Parameter limits: where the values lie that are but upper limits.
  func summary(_ metric: Metric, planned: Int, limits: LatencyHistogram? = nil) -> MetricSummary {
    MetricSummary(
      metric: metric, all: ValueSummary(all, planned: planned, limits: limits),
      fresh: fresh.count > 0 ? ValueSummary(fresh, planned: planned, limits: limits) : nil)
  }
}
