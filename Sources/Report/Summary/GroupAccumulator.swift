import Analysis
import Findings
import Measurement
import Store
import Threads

/// Accumulates the notifications of a target by variant.
struct TargetAccumulator {
  private let entry: TargetDirectory.Entry
  private var groups: [VariantID: GroupAccumulator] = [:]
  private var rolledUpTo: WallTime?
  private var roundTrips: RoundTrips?
  /// The end of the part of the window whose single notifications are deleted.
  private var prunedTo: WallTime?
  private let reader: SeriesReader

  init(_ entry: TargetDirectory.Entry, _ reader: SeriesReader) { (self.entry, self.reader) = (entry, reader) }

  /// Reads the notifications of a target that were planned in a window.
  ///
  /// - Parameter time: the part of the window in which some were due; `nil` when none was.
  mutating func read(
    _ window: SeriesWindow, of time: Range<WallTime>?, _ depth: RollupThreshold
  ) throws {
    let span = try time.flatMap { time in
      var due = window
      due.time = time
      return try reader.span(of: due, depth.rows == .max ? .samples : .upTo(depth.rows))
    }
    let covered = try reader.forEach(
      in: window, from: span, figures: GroupAccumulator.figures,
      rollup: { bin in
        // The first rollup may begin before the first notification, where the window does.
        groups[bin.variant, default: GroupAccumulator()].addIfComplete(
          time.map { bin.counted(from: $0.lowerBound) } ?? bin)
      },
      row: { groups[$0.variant, default: GroupAccumulator()].add($0) })
    rolledUpTo = covered?.upperBound
    guard let time else { return }
    for variant in groups.keys {
      let part = SeriesWindow(targets: window.targets, variants: [variant], time: time)
      if let finer = try groups[variant]?.finer(part, reader, depth, span) { groups[variant] = finer }
    }
    roundTrips = try reader.roundTrips(in: SeriesWindow(targets: window.targets, time: time))
    if let pruned = try reader.pruned().samples, time.lowerBound < pruned {
      prunedTo = min(pruned, time.upperBound)
    }
  }

  /// When each variant was sent.
  func sent(in window: Range<WallTime>) -> [VariantID: SentTime] {
    groups.mapValues { $0.sentTime(in: window) }
  }

  /// - Parameters:
  ///   - window: of planned time.
  ///   - pace: returns the planned rate for a number of due notifications.
  ///   - history: what earlier windows say, by variant.
  func summary(
    _ method: IntervalMethod, in window: Range<WallTime>, history: [VariantID: SeriesHistory],
    pace: (Int) throws -> PlannedPace?
  ) rethrows -> TargetSummary {
    let expectsReceipts = entry.target.expectsReceipts
    let known = entry.target.variants.compactMap { variant in
      groups[variant.id]?.summary(
        variant: variant.name, expectsReceipts: expectsReceipts, roundTrips, method, in: window,
        history[variant.id] ?? .none)
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
    let sent: SentTime
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
  private var shown = MetricAccumulator()
  private var path = MetricAccumulator()
  /// When the first notification was planned that carries a round trip, at the latest.
  private var firstPath: WallTime?
  private var deliveryErrors = DeliveryErrorAccumulator()
  private var shares = SeriesShares(Self.shares)
  /// When notifications were planned, settled or not.
  private var sent = SentTimeAccumulator()

  /// The shares that it counts.
  static let shares = SeriesShare.watched.union([.inTime])
  /// The rollup figures that it reads.
  static let figures = Set(RollupFigure.allCases)

  mutating func add(_ row: borrowing SampleRow) {
    let (plannedAt, isSettled) = (row.plannedAt, row.state.isSettled)
    sent.insert(plannedAt)
    counts.add(row)
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
      if let shown = row.shownLatency { add(&self.shown, shown, row.range(of: .shown)) }
      deliveryErrors.record(value, error: row.deliveryError, plannedAt: plannedAt, isSettled: isSettled)
    }
  }

  /// Adds a rollup, if it says all that is needed: whether a missed one was refused is not in it.
  /// - Returns: whether it did.
  mutating func addIfComplete(_ bin: RollupBin) -> Bool {
    guard bin.isPruned || (bin.counts.open == 0 && bin.counts[.missed] == 0) else { return false }
    add(bin)
    return true
  }

  private mutating func add(_ bin: RollupBin) {
    let start = bin.plannedFrom
    counts += bin.counts
    sent.insert(start..<bin.end, count: bin.counts.planned)
    shares.add(bin)
    duplicates += bin.duplicates
    outOfOrder += bin.outOfOrder
    onFreshConnections += bin.freshConnections
    scheduleLag.add(bin.latencies(of: .scheduleLag), plannedFrom: start)
    func add(_ accumulator: inout MetricAccumulator, _ metric: Metric) {
      accumulator.combine(bin.ranged(metric), fresh: bin.fresh(metric)) { $0.add($1, plannedFrom: start) }
    }
    add(&service, .service)
    add(&accept, .accept)
    add(&path, .path)
    if !bin.latencies(of: .path).isEmpty { firstPath = min(firstPath ?? bin.end, bin.end) }
    add(&delivery, .delivery)
    add(&shown, .shown)
    deliveryErrors.add(
      deliveries: bin.latencies(of: .delivery).count, bounded: bin.latencies(of: .deliveryError),
      limits: bin.latencies(of: .deliveryLimit), plannedFrom: start)
  }

  /// The part of a window in which it was sent.
  func sentTime(in window: Range<WallTime>) -> SentTime { sent.time(in: window) }

  /// The same of a part of the window, where it was sent in so short a one that the window's rollups are too coarse for it.
  ///
  /// - Parameters:
  ///   - window: of this group alone.
  ///   - span: of the rollups that were read; `nil` of notifications.
  /// - Returns: `nil` where nothing finer is to be read.
  func finer(_ window: SeriesWindow, _ reader: SeriesReader, _ depth: RollupThreshold, _ span: RollupSpan?)
    throws -> GroupAccumulator?
  {
    guard let part = SeriesReader.finer(window, sentTime(in: window.time), span) else { return nil }
    var finer = GroupAccumulator()
    try reader.forEach(
      in: part, from: try reader.span(of: part, depth.rows == .max ? .samples : .upTo(depth.rows)),
      figures: Self.figures, rollup: { finer.addIfComplete($0) }, row: { finer.add($0) })
    // Not where some have not been due yet, or were pruned meanwhile.
    return finer.counts == counts ? finer : nil
  }

  /// - Parameters:
  ///   - roundTrips: of the target in the same window.
  ///   - window: of planned time.
  func summary(
    variant: String, expectsReceipts: Bool, _ roundTrips: RoundTrips?, _ method: IntervalMethod,
    in window: Range<WallTime>, _ history: SeriesHistory
  ) -> GroupSummary {
    let interval = TargetAccumulator.Interval(
      method: method, sent: sentTime(in: window), history: history)
    // Sorting the values takes most of the time, and is done on all processors.
    var parts: [@Sendable () -> MetricSummary] = [{ service.summary(.service, of: counts, interval) }]
    // Beside the service time, which it is a part of.
    if let roundTrips, roundTrips.covers(carriedSince: firstPath) {
      // Connections, and so PINGs, are those of all variants.
      let answered = TargetAccumulator.Interval(
        method: method, sent: roundTrips.time(in: window), history: history)
      parts.append {
        MetricAccumulator(roundTrips).summary(.path, of: counts, answered, countsPings: true)
      }
    } else if path.count > 0 {
      parts.append { path.summary(.path, of: counts, interval) }
    }
    parts.append { accept.summary(.accept, of: counts, interval) }
    if expectsReceipts || delivery.count > 0 {
      parts.append { delivery.summary(.delivery, of: counts, interval, limits: deliveryErrors.limits) }
    }
    if shown.count > 0 { parts.append { shown.summary(.shown, of: counts, interval) } }
    let metrics = parts.concurrentMap { $0() }
    let known: [SeriesShare] =
      (expectsReceipts ? [.lost] : []) + (counts.displayExpected > 0 ? [.unseen] : [])
      + [.failed, .refused, .inTime]
    return GroupSummary(
      variant: variant, counts: counts, duplicates: duplicates, outOfOrder: outOfOrder,
      onFreshConnections: onFreshConnections,
      scheduleLag: ValueSummary(RangedLatencies(scheduleLag), of: counts, interval), metrics: metrics,
      shares: known.concurrentMap { share in
        shares.interval(of: share, in: interval.sent, interval.method, history: interval.history).map {
          ShareSummary(share: share, interval: $0, method: interval.method)
        }
      }.compactMap { $0 }, deliveryErrors: deliveryErrors.summary(of: counts, interval))
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

  /// Accumulates PING round trips, each once.
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
