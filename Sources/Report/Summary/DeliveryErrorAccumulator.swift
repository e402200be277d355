import Measurement
import Store

/// Counts deliveries by how well their latencies are known.
struct DeliveryErrorAccumulator {
  private var deliveries = 0
  private var bounded: QuantileAccumulator
  /// Where the latencies lie that are but limits.
  private(set) var limits: LatencyHistogram?

  init(room: QuantileAccumulator.Room) { bounded = QuantileAccumulator(room: room) }

  mutating func record(_ latency: Int64, error: Int64?) {
    deliveries += 1
    switch DeliveryCertainty(latency: latency, error: error) {
    case .exact: break
    case .bounded: bounded.record(error ?? 0)
    case .limit: limits = limits.orEmpty { $0.record(latency) }
    }
  }

  mutating func merge(deliveries count: Int, bounded errors: PackedLatencies, limits packed: PackedLatencies)
  {
    deliveries += count
    bounded.merge(errors)
    if !packed.isEmpty { limits = limits.orEmpty { $0.merge(packed) } }
  }

  /// - Returns: `nil` when nothing was delivered.
  func summary(of counts: StateTally) -> DeliveryErrorSummary? {
    guard deliveries > 0 else { return nil }
    let limited = limits?.count ?? 0
    return DeliveryErrorSummary(
      exact: deliveries - bounded.count - limited, bounded: ValueSummary(bounded, of: counts),
      limits: limited)
  }
}

extension LatencyHistogram? {
  fileprivate func orEmpty(_ change: (inout LatencyHistogram) -> Void) -> LatencyHistogram {
    var histogram = self ?? LatencyHistogram()
    change(&histogram)
    return histogram
  }
}
