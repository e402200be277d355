import Measurement
import Store

/// Accumulates the notifications of a target by variant.
struct TargetAccumulator {
  private let entry: TargetDirectory.Entry
  private let room: QuantileAccumulator.Room
  private var groups: [VariantID: GroupAccumulator] = [:]
  private var rolledUpTo: WallTime?

  init(_ entry: TargetDirectory.Entry, values: Int) {
    self.entry = entry
    room = QuantileAccumulator.Room(values)
  }

  var isEmpty: Bool { groups.isEmpty }

  mutating func add(_ row: borrowing SampleRow) {
    groups[row.variant, default: GroupAccumulator(room: room)].add(row)
  }

  mutating func add(_ totals: RollupTotals) {
    rolledUpTo = totals.to
    for total in totals.variants { groups[total.variant, default: GroupAccumulator(room: room)].add(total) }
  }

  /// - Parameter pace: returns the planned rate for a number of due notifications.
  func summary(pace: (Int) throws -> PlannedPace?) rethrows -> TargetSummary {
    let expectsReceipts = entry.target.receiptDeadline != nil
    let known = entry.target.variants.compactMap { variant in
      groups[variant.id]?.summary(variant: variant.name, expectsReceipts: expectsReceipts)
    }
    let counts = known.reduce(into: StateCounts()) { $0 += $1.counts }
    let due = counts.planned - counts[.planned]
    return TargetSummary(
      record: entry.target,
      rates: try due > 0 ? pace(due)?.perSecond.map { Self.rates(planned: $0, counts, due: due) } : nil,
      rolledUpTo: rolledUpTo, groups: known)
  }

  /// Sent and missed rates are shares of the due notifications.
  private static func rates(planned: Double, _ counts: StateCounts, due: Int) -> TargetSummary.Rates {
    TargetSummary.Rates(
      planned: planned, sent: planned * Double(counts.sent) / Double(due),
      missed: planned * Double(counts[.missed]) / Double(due))
  }
}

/// Accumulates the notifications of one target and variant.
struct GroupAccumulator {
  private var counts = StateCounts()
  private var duplicates = 0
  private var outOfOrder = 0
  private var onFreshConnections = 0
  private var scheduleLag: QuantileAccumulator
  private var service: MetricAccumulator
  private var accept: MetricAccumulator
  private var delivery: MetricAccumulator
  private var deliveryErrors: DeliveryErrorAccumulator

  /// The rollup figures that it reads.
  static let figures = Set(RollupFigure.allCases)

  init(room: QuantileAccumulator.Room) {
    scheduleLag = QuantileAccumulator(room: room)
    service = MetricAccumulator(room: room)
    accept = MetricAccumulator(room: room)
    delivery = MetricAccumulator(room: room)
    deliveryErrors = DeliveryErrorAccumulator(room: room)
  }

  mutating func add(_ row: borrowing SampleRow) {
    counts.add(row.state, isSent: row.scheduleLag != nil, isAccepted: row.acceptLatency != nil)
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

/// Accumulates the values of a metric: all of them, and those of requests that opened a connection.
struct MetricAccumulator {
  private var all: RangedLatencies<QuantileAccumulator>
  private var fresh: RangedLatencies<QuantileAccumulator>

  init(room: QuantileAccumulator.Room) {
    all = RangedLatencies(QuantileAccumulator(room: room))
    fresh = RangedLatencies(QuantileAccumulator(room: room))
  }

  var count: Int { all.values.count }

  /// - Parameter range: bounds of a delivery latency.
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
    // The first value with an error copies the values so far into lows and highs.
    if sum.isExact, !other.isExact { sum.values.reserve(copies: 2) }
    sum.combine(other, change)
  }

  /// - Parameter limits: the values that are only upper limits.
  func summary(_ metric: Metric, of counts: StateCounts, limits: LatencyHistogram? = nil) -> MetricSummary {
    MetricSummary(
      metric: metric, all: ValueSummary(all, of: counts, limits: limits),
      fresh: fresh.values.count > 0 ? ValueSummary(fresh, of: counts, limits: limits) : nil)
  }
}

/// Counts deliveries by the certainty of their latencies.
struct DeliveryErrorAccumulator {
  private var deliveries = 0
  private var bounded: QuantileAccumulator
  /// The latencies that are only upper limits.
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
  func summary(of counts: StateCounts) -> DeliveryErrorSummary? {
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
