import Measurement
import Store

/// Counts a variant's latencies in buckets, and the deliveries that are but upper limits apart.
struct HistogramTally {
  private var latencies = Metric.allCases.map { _ in LatencyHistogram() }
  private var limits = LatencyHistogram()

  /// What it takes of rollups.
  static let figures: Set<RollupFigure> = [.service, .accept, .delivery, .deliveryLimit]

  mutating func add(_ row: borrowing SampleRow) {
    for (index, metric) in Metric.allCases.enumerated() {
      if let value = row.value(of: metric) { latencies[index].record(value) }
    }
    if row.deliveryCertainty == .limit, let value = row.deliveryLatency { limits.record(value) }
  }

  mutating func add(_ total: RollupTotal) {
    for (index, figure) in [RollupFigure.service, .accept, .delivery].enumerated() {
      latencies[index].merge(total.latencies(of: figure))
    }
    limits.merge(total.latencies(of: .deliveryLimit))
  }

  func forEachRow(_ body: (HistogramTable.Row) throws -> Void) rethrows {
    let limited = Dictionary(limits.buckets.map { ($0.lower, $0.count) }) { first, _ in first }
    for (metric, histogram) in zip(Metric.allCases, latencies) {
      for bucket in histogram.buckets where bucket.count > 0 {
        try body(
          HistogramTable.Row(
            metric: metric, lower: bucket.lower, upper: bucket.upper, count: bucket.count,
            limits: metric == .delivery ? limited[bucket.lower] ?? 0 : nil))
      }
    }
  }
}
