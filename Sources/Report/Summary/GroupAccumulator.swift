import Measurement
import Store

/// Adds up the notifications of one target and variant.
struct GroupAccumulator {
  private var counts = StateTally()
  private var duplicates = 0
  private var outOfOrder = 0
  private var onFreshConnections = 0
  private var scheduleLag: QuantileAccumulator
  private var service: MetricAccumulator
  private var accept: MetricAccumulator
  private var delivery: MetricAccumulator
  private var deliveryErrors: DeliveryErrorAccumulator

  /// What it takes of rollups.
  static let figures = Set(RollupFigure.allCases)

  init(room: QuantileAccumulator.Room) {
    scheduleLag = QuantileAccumulator(room: room)
    service = MetricAccumulator(room: room)
    accept = MetricAccumulator(room: room)
    delivery = MetricAccumulator(room: room)
    deliveryErrors = DeliveryErrorAccumulator(room: room)
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
    if let value = row.value(of: .delivery) {
      delivery.record(value, row.deliveryRange, isFresh: isFresh)
      deliveryErrors.record(value, error: row.deliveryError)
    }
  }

  mutating func add(_ total: RollupTotal) {
    counts += total.counts
    duplicates += total.duplicates
    outOfOrder += total.outOfOrder
    onFreshConnections += total.freshConnections
    scheduleLag.merge(total.latencies(of: .scheduleLag))
    service.merge(total.latencies(of: .service), fresh: total.latencies(of: .freshService))
    accept.merge(total.latencies(of: .accept), fresh: total.latencies(of: .freshAccept))
    let deliveries = total.deliveries
    delivery.merge(deliveries, fresh: total.freshDeliveries)
    deliveryErrors.merge(
      deliveries: deliveries.values.count, bounded: total.latencies(of: .deliveryError),
      limits: total.latencies(of: .deliveryLimit))
  }

  func summary(variant: String, expectsReceipts: Bool) -> GroupSummary {
    var metrics = [
      service.summary(.service, of: counts), accept.summary(.accept, of: counts),
    ]
    if expectsReceipts || delivery.count > 0 {
      metrics.append(
        delivery.summary(.delivery, of: counts, limits: deliveryErrors.limits))
    }
    return GroupSummary(
      variant: variant, counts: counts, duplicates: duplicates, outOfOrder: outOfOrder,
      onFreshConnections: onFreshConnections,
      scheduleLag: ValueSummary(scheduleLag, of: counts), metrics: metrics,
      deliveryErrors: deliveryErrors.summary(of: counts))
  }
}
