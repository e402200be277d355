import Analysis
import Findings
import Measurement
import Store

/// Accumulates the notifications of a target by variant.
struct TargetAccumulator {
  private let entry: TargetDirectory.Entry
  private var groups: [VariantID: GroupAccumulator] = [:]
  private var rolledUpTo: WallTime?
  private var roundTrips: RoundTrips?
  /// The end of the part of the window whose single notifications are deleted.
  private var prunedTo: WallTime?

  init(_ entry: TargetDirectory.Entry) { self.entry = entry }

  /// Reads the notifications of a target that were planned in a window.
  ///
  /// - Parameter time: the part of the window in which some were due; `nil` when none was.
  mutating func read(
    _ window: SeriesWindow, of time: Range<WallTime>?, _ series: SeriesReader, _ depth: RollupThreshold
  ) throws {
    let span = try time.flatMap { time in
      var due = window
      due.time = time
      return try series.span(of: due, depth.rows == .max ? .samples : .upTo(depth.rows))
    }
    let covered = try series.forEach(
      in: window, from: span, figures: GroupAccumulator.figures,
      rollup: { bin in
        // Whether a missed one was refused is not in a rollup.
        guard bin.isPruned || (bin.counts.open == 0 && bin.counts[.missed] == 0) else { return false }
        // The first rollup may begin before the first notification, where the window does.
        groups[bin.variant, default: GroupAccumulator()].add(
          time.map { bin.counted(from: $0.lowerBound) } ?? bin)
        return true
      }, row: { groups[$0.variant, default: GroupAccumulator()].add($0) })
    rolledUpTo = covered?.upperBound
    guard let time else { return }
    roundTrips = try series.roundTrips(in: SeriesWindow(targets: window.targets, time: time))
    if let pruned = try series.pruned().samples, time.lowerBound < pruned {
      prunedTo = min(pruned, time.upperBound)
    }
  }

  /// - Parameters:
  ///   - window: of planned time.
  ///   - pace: returns the planned rate for a number of due notifications.
  ///   - history: what earlier windows say, by variant.
  func summary(
    _ method: IntervalMethod, in window: Range<WallTime>, history: [VariantID: SeriesHistory],
    pace: (Int) throws -> PlannedPace?
  ) rethrows -> TargetSummary {
    let expectsReceipts = entry.target.receiptDeadline != nil
    let known = entry.target.variants.compactMap { variant in
      groups[variant.id]?.summary(
        variant: variant.name, expectsReceipts: expectsReceipts, roundTrips,
        Interval(method: method, window: window, history: history[variant.id] ?? .none))
    }
    let counts = known.reduce(into: StateCounts()) { $0 += $1.counts }
    let due = counts.planned - counts[.planned]
    return TargetSummary(
      record: entry.target,
      rates: try due > 0 ? pace(due)?.perSecond.map { Self.rates(planned: $0, counts, due: due) } : nil,
      rolledUpTo: rolledUpTo, prunedTo: prunedTo, groups: known)
  }

  /// Sent and missed rates are shares of the due notifications.
  private static func rates(planned: Double, _ counts: StateCounts, due: Int) -> TargetSummary.Rates {
    TargetSummary.Rates(
      planned: planned, sent: planned * Double(counts.sent) / Double(due),
      missed: planned * Double(counts[.missed]) / Double(due))
  }

  /// What intervals are computed with.
  struct Interval {
    let method: IntervalMethod
    let window: Range<WallTime>
    let history: SeriesHistory
  }
}

/// Accumulates the notifications of one target and variant.
struct GroupAccumulator {
  private var counts = StateCounts()
  private var duplicates = 0
  private var outOfOrder = 0
  private var onFreshConnections = 0
  private var scheduleLag = FigureAccumulator()
  private var service = MetricAccumulator()
  private var accept = MetricAccumulator()
  private var delivery = MetricAccumulator()
  private var path = MetricAccumulator()
  /// When the first notification was planned that carries a round trip, at the latest.
  private var firstPath: WallTime?
  private var deliveryErrors = DeliveryErrorAccumulator()
  private var shares = SeriesShares(Self.shares)

  /// The shares that it counts.
  static let shares = SeriesShare.watched.union([.inTime])
  /// The rollup figures that it reads.
  static let figures = Set(RollupFigure.allCases)

  mutating func add(_ row: borrowing SampleRow) {
    let (plannedAt, isSettled) = (row.plannedAt, row.state.isSettled)
    counts.add(row.state, isSent: row.scheduleLag != nil, isAccepted: row.acceptLatency != nil)
    shares.add(row)
    duplicates += row.duplicates
    let isFresh = row.isFreshConnection ?? false
    if row.isOutOfOrder { outOfOrder += 1 }
    if isFresh { onFreshConnections += 1 }
    func add(_ metric: inout MetricAccumulator, _ value: Int64?, _ range: DeliveryRange? = nil) {
      guard let value else { return }
      metric.combine(RangedLatencies(value, range), fresh: isFresh ? RangedLatencies(value, range) : nil) {
        $0.record($1, plannedAt: plannedAt, isSettled: isSettled)
      }
    }
    if let value = row.scheduleLag { scheduleLag.record(value, plannedAt: plannedAt, isSettled: isSettled) }
    add(&service, row.value(of: .service))
    add(&accept, row.value(of: .accept))
    if let value = row.value(of: .path) {
      add(&path, value)
      firstPath = min(firstPath ?? plannedAt, plannedAt)
    }
    if let value = row.value(of: .delivery) {
      add(&delivery, value, row.deliveryRange)
      deliveryErrors.record(value, error: row.deliveryError, plannedAt: plannedAt, isSettled: isSettled)
    }
  }

  mutating func add(_ bin: RollupBin) {
    let start = bin.plannedFrom
    counts += bin.counts
    shares.add(bin)
    duplicates += bin.duplicates
    outOfOrder += bin.outOfOrder
    onFreshConnections += bin.freshConnections
    scheduleLag.add(bin.latencies(of: .scheduleLag), plannedFrom: start)
    func add(
      _ metric: inout MetricAccumulator, _ all: RangedLatencies<PackedLatencies>,
      fresh: RangedLatencies<PackedLatencies>
    ) {
      metric.combine(all, fresh: fresh) { $0.add($1, plannedFrom: start) }
    }
    add(
      &service, RangedLatencies(bin.latencies(of: .service)),
      fresh: RangedLatencies(bin.latencies(of: .freshService)))
    add(
      &accept, RangedLatencies(bin.latencies(of: .accept)),
      fresh: RangedLatencies(bin.latencies(of: .freshAccept)))
    let carried = bin.latencies(of: .path)
    add(&path, RangedLatencies(carried), fresh: RangedLatencies(bin.latencies(of: .freshPath)))
    if !carried.isEmpty { firstPath = min(firstPath ?? bin.end, bin.end) }
    add(&delivery, bin.deliveries, fresh: bin.freshDeliveries)
    deliveryErrors.add(
      deliveries: bin.latencies(of: .delivery).count, bounded: bin.latencies(of: .deliveryError),
      limits: bin.latencies(of: .deliveryLimit), plannedFrom: start)
  }

  /// - Parameter roundTrips: of the target in the same window.
  func summary(
    variant: String, expectsReceipts: Bool, _ roundTrips: RoundTrips?,
    _ interval: TargetAccumulator.Interval
  ) -> GroupSummary {
    var metrics = [service.summary(.service, of: counts, interval)]
    // Beside the service time, which it is a part of.
    if let roundTrips, roundTrips.covers(carriedSince: firstPath) {
      metrics.append(MetricAccumulator(roundTrips).summary(.path, of: counts, interval, countsPings: true))
    } else if path.count > 0 {
      metrics.append(path.summary(.path, of: counts, interval))
    }
    metrics.append(accept.summary(.accept, of: counts, interval))
    if expectsReceipts || delivery.count > 0 {
      metrics.append(delivery.summary(.delivery, of: counts, interval, limits: deliveryErrors.limits))
    }
    let known: [SeriesShare] = (expectsReceipts ? [.lost] : []) + [.failed, .refused, .inTime]
    return GroupSummary(
      variant: variant, counts: counts, duplicates: duplicates, outOfOrder: outOfOrder,
      onFreshConnections: onFreshConnections,
      scheduleLag: ValueSummary(RangedLatencies(scheduleLag), of: counts, interval), metrics: metrics,
      shares: known.compactMap { share in
        shares.interval(of: share, in: interval.window, interval.method, history: interval.history).map {
          ShareSummary(share: share, interval: $0, method: interval.method)
        }
      }, deliveryErrors: deliveryErrors.summary(of: counts, interval))
  }
}

/// Accumulates the values of one interval: of all notifications their number, smallest and largest, and of the settled ones
/// what quantiles are computed from.
struct FigureAccumulator {
  private(set) var settled = LatencyCollection()
  private(set) var count = 0
  private(set) var minimum = Int64.max
  private(set) var maximum = Int64.min
  /// Lower bound of the largest value: the lower end of its bucket, where ``maximum`` is the upper end.
  private(set) var maximumLowerEnd = Int64.min

  /// Whether all values are known one by one, and not in the buckets of rollups.
  var isExact: Bool { settled.isExact }

  mutating func record(_ value: Int64, plannedAt: WallTime, isSettled: Bool) {
    count += 1
    minimum = min(minimum, value)
    maximum = max(maximum, value)
    maximumLowerEnd = max(maximumLowerEnd, value)
    if isSettled { settled.record(value, plannedAt: plannedAt) }
  }

  /// Adds the counts of a rollup whose notifications are all settled.
  mutating func add(_ packed: PackedLatencies, plannedFrom start: WallTime) {
    guard !packed.isEmpty else { return }
    settled.add(packed, plannedFrom: start)
    for bucket in packed {
      count += bucket.count
      minimum = min(minimum, bucket.lower)
      maximum = max(maximum, bucket.upper)
      maximumLowerEnd = max(maximumLowerEnd, bucket.lower)
    }
  }
}

/// Accumulates the values of a metric: all of them, and those of requests that opened a connection.
struct MetricAccumulator {
  private var all = RangedLatencies(FigureAccumulator())
  private var fresh = RangedLatencies(FigureAccumulator())

  init() {}

  /// Of each PING once.
  init(_ roundTrips: RoundTrips) {
    var values = FigureAccumulator()
    roundTrips.forEach({ values.record($0.latency, plannedAt: $0.plannedAt, isSettled: true) }) {
      values.add($0.latencies, plannedFrom: $0.start)
    }
    all = RangedLatencies(values)
  }

  var count: Int { all.values.count }

  mutating func combine<Other>(
    _ values: RangedLatencies<Other>, fresh values2: RangedLatencies<Other>?,
    _ change: (inout FigureAccumulator, Other) -> Void
  ) {
    all.combine(values, change)
    if let values2 { fresh.combine(values2, change) }
  }

  /// - Parameters:
  ///   - limits: the values that are only upper limits.
  ///   - countsPings: whether its values are PINGs and not notifications.
  func summary(
    _ metric: Metric, of counts: StateCounts, _ interval: TargetAccumulator.Interval,
    limits: LatencyHistogram? = nil, countsPings: Bool = false
  ) -> MetricSummary {
    MetricSummary(
      metric: metric, countsPings: countsPings,
      all: ValueSummary(all, of: counts, interval, metric: metric, limits: limits),
      fresh: fresh.values.count > 0 ? ValueSummary(fresh, of: counts, interval, limits: limits) : nil)
  }
}

/// Counts deliveries by the certainty of their latencies.
struct DeliveryErrorAccumulator {
  private var deliveries = 0
  private var bounded = FigureAccumulator()
  /// The latencies that are only upper limits.
  private(set) var limits: LatencyHistogram?

  mutating func record(_ latency: Int64, error: Int64?, plannedAt: WallTime, isSettled: Bool) {
    deliveries += 1
    switch DeliveryCertainty(latency: latency, error: error) {
    case .exact: break
    case .bounded: bounded.record(error ?? 0, plannedAt: plannedAt, isSettled: isSettled)
    case .limit: limits = limits.orEmpty { $0.record(latency) }
    }
  }

  mutating func add(
    deliveries count: Int, bounded errors: PackedLatencies, limits packed: PackedLatencies,
    plannedFrom start: WallTime
  ) {
    deliveries += count
    bounded.add(errors, plannedFrom: start)
    if !packed.isEmpty { limits = limits.orEmpty { $0.merge(packed) } }
  }

  /// - Returns: `nil` when nothing was delivered.
  func summary(of counts: StateCounts, _ interval: TargetAccumulator.Interval) -> DeliveryErrorSummary? {
    guard deliveries > 0 else { return nil }
    let limited = limits?.count ?? 0
    return DeliveryErrorSummary(
      exact: deliveries - bounded.count - limited,
      bounded: ValueSummary(RangedLatencies(bounded), of: counts, interval), limits: limited)
  }
}

extension LatencyHistogram? {
  fileprivate func orEmpty(_ change: (inout LatencyHistogram) -> Void) -> LatencyHistogram {
    var histogram = self ?? LatencyHistogram()
    change(&histogram)
    return histogram
  }
}
