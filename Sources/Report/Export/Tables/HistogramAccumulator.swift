import Measurement
import Store

/// Counts a variant's latencies in buckets; those of requests that opened a connection, and the deliveries that are but
/// upper limits, once more apart.
struct HistogramAccumulator {
  private var latencies = Metric.allCases.map { _ in LatencyHistogram() }
  private var fresh = Metric.allCases.map { _ in LatencyHistogram() }
  private var limits = LatencyHistogram()

  /// What it takes of rollups.
  static let figures = Set(RollupFigure.allCases).subtracting([
    .scheduleLag, .deliveryError, .deliveryLow, .deliveryHigh, .freshDeliveryLow, .freshDeliveryHigh,
  ])

  mutating func add(_ row: borrowing SampleRow) {
    let isFresh = row.isFreshConnection ?? false
    for (index, metric) in Metric.allCases.enumerated() {
      guard let value = row.value(of: metric) else { continue }
      latencies[index].record(value)
      if isFresh { fresh[index].record(value) }
    }
    if row.deliveryCertainty == .limit, let value = row.deliveryLatency { limits.record(value) }
  }

  mutating func add(_ total: RollupTotal) {
    for (index, figure) in [RollupFigure.service, .accept, .delivery].enumerated() {
      latencies[index].merge(total.latencies(of: figure))
    }
    for (index, figure) in [RollupFigure.freshService, .freshAccept, .freshDelivery].enumerated() {
      fresh[index].merge(total.latencies(of: figure))
    }
    limits.merge(total.latencies(of: .deliveryLimit))
  }

  func forEachRow(_ body: (HistogramTable.Row) throws -> Void) rethrows {
    let limited = Self.counts(limits)
    for (index, metric) in Metric.allCases.enumerated() {
      let opened = Self.counts(fresh[index])
      for bucket in latencies[index].buckets where bucket.count > 0 {
        try body(
          HistogramTable.Row(
            metric: metric, lower: bucket.lower, upper: bucket.upper, count: bucket.count,
            limits: metric == .delivery ? limited[bucket.lower] ?? 0 : nil, fresh: opened[bucket.lower] ?? 0))
      }
    }
  }

  /// By the lower end of the bucket.
  private static func counts(_ histogram: LatencyHistogram) -> [Int64: Int] {
    Dictionary(histogram.buckets.map { ($0.lower, $0.count) }) { first, _ in first }
  }
}
