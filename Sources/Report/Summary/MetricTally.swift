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

  func summary(_ metric: Metric, planned: Int) -> MetricSummary {
    MetricSummary(
      metric: metric, all: ValueSummary(all, planned: planned),
      fresh: fresh.count > 0 ? ValueSummary(fresh, planned: planned) : nil)
  }
}
