import Measurement
import Store

/// Adds up the rows of one target and variant.
struct GroupTally {
  private var counts = StateTally()
  private var duplicates = 0
  private var outOfOrder = 0
  private var onFreshConnections = 0
  private var scheduleLag: QuantileAccumulator
  private var service: MetricTally
  private var accept: MetricTally
  private var delivery: MetricTally

  init(room: QuantileAccumulator.Room) {
    scheduleLag = QuantileAccumulator(room: room)
    service = MetricTally(room: room)
    accept = MetricTally(room: room)
    delivery = MetricTally(room: room)
  }

  mutating func add(_ row: borrowing SampleRow) {
    counts.add(row)
    duplicates += row.duplicates
    let isFresh = row.isFreshConnection ?? false
    if row.isOutOfOrder { outOfOrder += 1 }
    if isFresh { onFreshConnections += 1 }
    if let value = row.scheduleLag { scheduleLag.record(value) }
    if let value = row.value(of: .service) { service.record(value, isFresh: isFresh) }
    if let value = row.value(of: .accept) { accept.record(value, isFresh: isFresh) }
    if let value = row.value(of: .delivery) { delivery.record(value, isFresh: isFresh) }
  }

  func summary(variant: String, expectsReceipts: Bool) -> GroupSummary {
    var metrics = [
      service.summary(.service, planned: counts.planned), accept.summary(.accept, planned: counts.planned),
    ]
    if expectsReceipts || delivery.count > 0 {
      metrics.append(delivery.summary(.delivery, planned: counts.planned))
    }
    return GroupSummary(
      variant: variant, counts: counts, duplicates: duplicates, outOfOrder: outOfOrder,
      onFreshConnections: onFreshConnections,
      scheduleLag: ValueSummary(scheduleLag, planned: counts.planned), metrics: metrics)
  }
}
