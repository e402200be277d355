import Measurement
import Store

/// Adds up the rows of one target and variant.
struct GroupTally {
  private var counts = StateTally()
  private var duplicates = 0
  private var outOfOrder = 0
  private var onFreshConnections = 0
  private var service: QuantileAccumulator
  private var accept: QuantileAccumulator
  private var delivery: QuantileAccumulator

  init(room: QuantileAccumulator.Room) {
    service = QuantileAccumulator(room: room)
    accept = QuantileAccumulator(room: room)
    delivery = QuantileAccumulator(room: room)
  }

  mutating func add(_ row: borrowing SampleRow) {
    counts.add(row)
    duplicates += row.duplicates
    if row.isOutOfOrder { outOfOrder += 1 }
    if row.isFreshConnection ?? false { onFreshConnections += 1 }
    if let value = row.value(of: .service) { service.record(value) }
    if let value = row.value(of: .accept) { accept.record(value) }
    if let value = row.value(of: .delivery) { delivery.record(value) }
  }

  func summary(variant: String, expectsReceipts: Bool) -> GroupSummary {
    var metrics = [
      MetricSummary(.service, service, planned: counts.planned),
      MetricSummary(.accept, accept, planned: counts.planned),
    ]
    if expectsReceipts || delivery.count > 0 {
      metrics.append(MetricSummary(.delivery, delivery, planned: counts.planned))
    }
    return GroupSummary(
      variant: variant, counts: counts, duplicates: duplicates, outOfOrder: outOfOrder,
      onFreshConnections: onFreshConnections, metrics: metrics)
  }
}
