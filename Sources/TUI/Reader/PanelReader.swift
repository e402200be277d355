import Analysis
import Findings
import Measurement
import Store

/// What the panels show beside the notifications of the window. Each part is read only while something shows it.
struct PanelOrder: Sendable, Equatable {
  /// The planned time that the table of targets is about; `nil` while the table is not shown.
  var targetWindow: Range<WallTime>?
  /// The metric of its quantiles; `nil` for the one that each target is judged by.
  var targetMetric: Metric?
  /// The table of the values of a key; `nil` while it is not shown.
  var values: ValueTableOrder?
  /// The notification of which everything is shown; `nil` for none.
  var notification: SampleID?
  /// Whether the panel of findings is shown, which says what would have been found.
  var wantsPower = false
}

/// What was read for the panels.
struct PanelContent: Sendable, Equatable {
  /// Those of the run, by their starts, without hidden and withdrawn ones.
  var findings: [FindingRecord] = []
  /// When reloads removed targets, by name: these are told of in the past, and not counted.
  var removed: [String: WallTime] = [:]
  /// What watches the run's targets for changes; `nil` where it is not known, and until it has been read.
  var detectors: [DetectorRecord]?
  /// The last one that was read; `nil` before.
  var targets: TargetTable?
  /// The table of values that was read last; `nil` before.
  var values: ValueTable?
  /// `nil` until it has been read.
  var notification: NotificationRecord?
}

/// Reads what the panels show. Figures of targets take time, so they are read at most once a second, and less often where
/// they take longer.
struct PanelReader {
  private let clock: any HostClock
  private let zone: LocalTime
  private var order = PanelOrder()
  private(set) var content = PanelContent()
  private var run: RunID?
  /// Revision up to which findings have been read.
  private var findingsCursor: Int64 = -1
  private var findingsDue = MonotonicTime.zero
  private var areFindingsStale = true
  private var detectorsDue = MonotonicTime.zero
  private var removed = RemovedTargets()
  private var removedDue = MonotonicTime.zero
  /// When the table of targets may be read again.
  private var targetsDue = MonotonicTime.zero
  /// The store has changed since the table was read.
  private var isTableStale = false
  /// The metric that the table was read for.
  private var tableMetric: Metric?
  /// When the table of values may be read again.
  private var valuesDue = MonotonicTime.zero
  /// The store has changed since the table of values was read.
  private var areValuesStale = false
  private var notificationDue = MonotonicTime.zero
  private var isNotificationStale = false

  /// How often findings and the open notification are looked at.
  private static let interval = Duration.seconds(1)
  /// How often detectors are looked at: a collector notes each minute what they would find.
  private static let detectorInterval = Duration.seconds(10)

  /// How often it is looked whether a reload removed targets.
  private static let removedInterval = Duration.seconds(5)

  /// - Parameter zone: of hours and weekdays that notifications are divided by.
  init(clock: any HostClock, zone: LocalTime = .utc) { (self.clock, self.zone) = (clock, zone) }

  mutating func ask(_ order: PanelOrder) { self.order = order }

  /// Reads what is due.
  /// - Parameter hasChanged: whether the store has, since the last call.
  mutating func read(
    _ reader: any DashboardSource, run: RunID, targets: [TargetRecord], hasChanged: Bool,
    at now: MonotonicTime
  ) throws {
    if run != self.run {
      let (clock, zone, order) = (clock, zone, order)
      self = PanelReader(clock: clock, zone: zone)
      (self.order, self.run) = (order, run)
    }
    if hasChanged {
      (areFindingsStale, isTableStale, areValuesStale, isNotificationStale) = (true, true, true, true)
    }
    try readFindings(reader, run, at: now)
    try readRemoved(reader, run, at: now)
    try readDetectors(reader, targets, at: now)
    try readTargets(reader, targets, at: now)
    try readValues(reader, targets, at: now)
    try readNotification(reader, run, targets, at: now)
  }

  private mutating func readFindings(_ reader: any DashboardSource, _ run: RunID, at now: MonotonicTime)
    throws
  {
    guard areFindingsStale, now >= findingsDue else { return }
    (areFindingsStale, findingsDue) = (false, now + Self.interval)
    let changed = try reader.findings(of: run, changedAfter: max(0, findingsCursor))
    guard findingsCursor < 0 || !changed.isEmpty else { return }
    findingsCursor = max(0, changed.last?.revision ?? findingsCursor)
    content.findings = try reader.findings(FindingSelection(run: run))
  }

  private mutating func readRemoved(_ reader: any DashboardSource, _ run: RunID, at now: MonotonicTime) throws
  {
    guard let store = reader as? StoreReader, now >= removedDue else { return }
    removedDue = now + Self.removedInterval
    removed = try store.removedTargets(of: run, known: removed)
    content.removed = removed.times
  }

  private mutating func readDetectors(
    _ reader: any DashboardSource, _ targets: [TargetRecord], at now: MonotonicTime
  ) throws {
    guard order.wantsPower, content.findings.allSatisfy(\.isDaily), let store = reader as? StoreReader,
      now >= detectorsDue
    else { return }
    detectorsDue = now + Self.detectorInterval
    let names = Set(targets.map(\.name))
    content.detectors = try WatchedSeries.all(store).map(\.detector).filter { names.contains($0.target) }
  }

  private mutating func readTargets(
    _ reader: any DashboardSource, _ targets: [TargetRecord], at now: MonotonicTime
  )
    throws
  {
    guard let window = order.targetWindow, !window.isEmpty else { return }
    let isOther = content.targets?.window != window || tableMetric != order.targetMetric
    guard isOther || isTableStale, now >= targetsDue else { return }
    content.targets = try TargetTable(reader, targets, window, order.targetMetric)
    (isTableStale, tableMetric) = (false, order.targetMetric)
    let end = clock.monotonicNow()
    targetsDue = end + max(Self.interval, (end - now) * 10)
  }

  private mutating func readValues(
    _ reader: any DashboardSource, _ targets: [TargetRecord], at now: MonotonicTime
  )
    throws
  {
    guard let wanted = order.values, !wanted.window.isEmpty else { return }
    let known = content.values?.order
    // What is read for the first time does not wait for the pause after what was read before.
    let isOther = known?.key != wanted.key || known?.targets != wanted.targets
    guard isOther || (known != wanted || areValuesStale) && now >= valuesDue else { return }
    let began = clock.monotonicNow()
    content.values = try ValueTable(reader, wanted, targets, zone: zone)
    areValuesStale = false
    let end = clock.monotonicNow()
    valuesDue = end + max(Self.interval, (end - began) * 10)
  }

  private mutating func readNotification(
    _ reader: any DashboardSource, _ run: RunID, _ targets: [TargetRecord], at now: MonotonicTime
  ) throws {
    guard let id = order.notification else {
      content.notification = nil
      return
    }
    let isKnown = content.notification?.sample.id == id
    guard !isKnown || isNotificationStale && now >= notificationDue else { return }
    (isNotificationStale, notificationDue) = (false, now + Self.interval)
    content.notification = try NotificationRecord(reader, id, run: run, targets: targets)
  }
}

/// Figures of the targets of a run in one window, with intervals that allow for dependence.
struct TargetTable: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    let target: TargetID
    /// The metric of the quantiles.
    let metric: Metric
    let counts: StateCounts
    /// `nil` without values.
    let median: QuantileInterval?
    let tail: QuantileInterval?
  }

  /// The window of planned time.
  let window: Range<WallTime>
  /// The rows in the run's order.
  let rows: [Row]

  init(window: Range<WallTime>, rows: [Row]) { (self.window, self.rows) = (window, rows) }

  /// Reads notifications, or rollups where there are many.
  /// - Parameter chosen: the metric of the quantiles; `nil` for the one that each target is judged by, which also replaces a
  ///   device's metric for targets without receipts.
  init(
    _ reader: any DashboardSource, _ targets: [TargetRecord], _ window: Range<WallTime>, _ chosen: Metric?
  ) throws {
    let series = SeriesReader(reader)
    self.window = window
    rows = try targets.map { target in
      let available = chosen.flatMap { $0.isAvailable(expectsReceipts: target.expectsReceipts) ? $0 : nil }
      let metric = available ?? target.judgedMetric
      let figures = try series.statistics(
        of: SeriesWindow(targets: [target.id], time: window), metrics: [metric], shares: [],
        depth: .upTo(20_000))
      return Row(
        target: target.id, metric: metric, counts: figures.counts,
        median: figures.quantile(.p50, of: metric), tail: figures.quantile(.p99, of: metric))
    }
  }
}

/// Everything that the store has about one notification.
struct NotificationRecord: Sendable, Equatable {
  let sample: Sample
  let target: String
  /// Empty if the target lists no values.
  let variant: String
  /// The kind of its provider; empty where the target is not known.
  let provider: String
  /// The time from planned; `nil` when no receipt is expected.
  let receiptDeadline: Duration?
  /// The first ones, in the order in which they were stored.
  let receipts: [Receipt]
  /// What happened to its target, or to the run, just before and while it was under way.
  let events: [Event]

  /// Receipts and events that are read.
  private static let most = 20
  /// Events this long before it was planned are read.
  private static let before = Duration.seconds(5)

  init(
    sample: Sample, target: String, variant: String = "", provider: String = "",
    receiptDeadline: Duration? = nil,
    receipts: [Receipt] = [], events: [Event] = []
  ) {
    (self.sample, self.target, self.variant, self.provider) = (sample, target, variant, provider)
    (self.receiptDeadline, self.receipts, self.events) = (receiptDeadline, receipts, events)
  }

  /// - Returns: `nil` when the store no longer has it.
  init?(_ reader: any DashboardSource, _ id: SampleID, run: RunID, targets: [TargetRecord]) throws {
    guard let sample = try reader.sample(id) else { return nil }
    let target = targets.first { $0.id == id.target }
    let life = [sample.acceptLatency, sample.deliveryLatency].compactMap { $0 }.max() ?? 0
    let from = sample.plannedAt - Self.before
    let until = sample.plannedAt + max(.microseconds(life), .seconds(1))
    let last = try reader.last(
      Event.self, of: run, through: RecordPlace(endOf: until), limit: 10 * Self.most)
    // In steps, and with their types: as one closure of four comparisons this took the compiler seconds.
    let events = last.rows.map(\.event).filter { (event: Event) -> Bool in
      guard event.at >= from else { return false }
      if let target = event.target, target != id.target { return false }
      guard let sequence = event.sequence else { return true }
      return sequence == id.sequence
    }
    self.init(
      sample: sample, target: target?.name ?? "",
      variant: target?.variants.first { $0.id == sample.variant }?.name ?? "",
      provider: target?.provider ?? "", receiptDeadline: target?.receiptDeadline.map { .microseconds($0) },
      receipts: try reader.receipts(of: id, atMost: Self.most), events: Array(events.suffix(Self.most)))
  }
}
