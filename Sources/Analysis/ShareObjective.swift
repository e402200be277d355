import Findings
import Measurement
import Store

/// A promise about a target: at least this share of what was planned has a value of a metric within a limit.
public struct ShareObjective: Sendable, Hashable {
  public var target: String
  public var metric: Metric
  /// µs.
  public var limit: Int64
  /// The least share that is promised, above 0 and below 1.
  public var share: Double

  public init(target: String, metric: Metric, limit: Int64, share: Double) {
    self.target = target
    self.metric = metric
    self.limit = limit
    self.share = share
  }
}

/// How much of a window kept an objective.
public struct ObjectiveShare: Sendable, Hashable {
  /// The interval as measured.
  public var interval: ShareInterval
  /// The ends of its interval, wider where deliveries are known within bounds only.
  public var low: Double
  public var high: Double

  public var good: Int { interval.events }
  public var valid: Int { interval.count }

  public init(_ interval: ShareInterval, low: Double? = nil, high: Double? = nil) {
    self.interval = interval
    self.low = low ?? interval.low
    self.high = high ?? interval.high
  }

  /// Nothing was counted.
  public static let none = ObjectiveShare(ShareInterval(independent: 0, of: 0))

  /// How many times the objective's budget (1 - share) is used up; `nil` when nothing was counted.
  public func burnRate(of required: Double) -> Double? {
    interval.share.map { (1 - $0) / (1 - required) }
  }
}

/// Two windows over which a budget must not be used up faster than by a factor (Google, "The Site Reliability Workbook",
/// chapter 5): the long one tells that it matters, the short one that it goes on.
public struct BurnRateRule: Sendable, Hashable {
  public var factor: Double
  public var long: Duration
  public var short: Duration

  public static let standard = [
    BurnRateRule(factor: 14.4, long: .seconds(3600), short: .seconds(300)),
    BurnRateRule(factor: 6, long: .seconds(6 * 3600), short: .seconds(1800)),
    BurnRateRule(factor: 1, long: .seconds(3 * 86_400), short: .seconds(6 * 3600)),
  ]

  /// Breached when the intervals of both windows show it; met when that of one shows the contrary; undecided in between, as
  /// with few notifications.
  public func decide(_ required: Double, long: ObjectiveShare, short: ObjectiveShare) -> GateDecision {
    let least = 1 - factor * (1 - required)
    // The budget is so large that it cannot be used up so fast.
    guard least > 0 else { return .met }
    if long.high < least, short.high < least { return .breached }
    return long.low >= least || short.low >= least ? .met : .undecided
  }
}

/// Counts how many notifications kept an objective, from rollups where there are any.
public struct ObjectiveReader {
  private let reader: StoreReader
  private let series: SeriesReader

  /// How much later than the limit a value that is not stored yet can be taken for missing.
  private static let margin = Duration.seconds(5)

  public init(_ reader: StoreReader) {
    self.reader = reader
    series = SeriesReader(reader)
  }

  /// The share over the window that ends now, full or not.
  ///
  /// A notification counts when it is settled, or when its limit is over: one that waits for a receipt with a deadline of
  /// days is not within two seconds any more.
  /// - Throws: ``StoreError``.
  public func share(of objective: ShareObjective, over length: Duration, at now: WallTime) throws
    -> ObjectiveShare
  {
    let start = now - length
    // Late changes concern runs that have ended, too.
    let targets = Set(
      try reader.seriesSpans(endingAfter: start).filter { $0.name == objective.target }.map(\.target))
    guard !targets.isEmpty,
      let window = try series.window(of: targets.sorted(), since: start, until: now)
    else { return .none }
    let overdue = now - .microseconds(objective.limit) - Self.margin
    var counts = ObjectiveCounts(objective, overdue: overdue)
    let figures = RollupFigure.ranged([objective.metric])
    try series.forEach(
      in: window, from: try series.span(of: window, .rollups), figures: figures,
      rollup: { counts.add($0) }, row: { counts.add($0) })
    return counts.share(in: window.time)
  }
}

/// The notifications of one window.
private struct ObjectiveCounts {
  private let objective: ShareObjective
  /// What was planned before it and has no value has none within the limit.
  private let overdue: WallTime
  private var kept = ShareBounds()
  private var sent = SentTimeAccumulator()

  init(_ objective: ShareObjective, overdue: WallTime) {
    self.objective = objective
    self.overdue = overdue
  }

  /// - Returns: whether the rollup says enough; otherwise its notifications are to be added.
  mutating func add(_ bin: RollupBin) -> Bool {
    guard bin.counts.open == 0 || bin.end < overdue && bin.counts[.planned] == 0 else {
      return false
    }
    let all = bin.counts.planned
    sent.insert(bin.start..<bin.end, count: all)
    kept.add(bin, within: objective.limit, objective.metric, of: all, plannedFrom: bin.start)
    return true
  }

  mutating func add(_ row: borrowing SampleRow) {
    let state = row.state
    guard state.isSettled || state == .inFlight && row.plannedAt < overdue else { return }
    sent.insert(row.plannedAt)
    kept.add(row, within: objective.limit, objective.metric, plannedAt: row.plannedAt)
  }

  func share(in window: Range<WallTime>) -> ObjectiveShare {
    let shares = kept.window(sent.time(in: window))
    let bounds = shares.interval(.dependent)
    return ObjectiveShare(shares.measured.interval(), low: bounds.low, high: bounds.high)
  }
}
