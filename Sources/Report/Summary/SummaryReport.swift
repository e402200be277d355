import Analysis
import Findings
import Measurement
import Store

/// Summary of runs: quantiles with intervals, states and rates, by target and variant.
public struct SummaryReport: Sendable, Equatable {
  /// One run of the selection.
  public struct Run: Sendable, Equatable {
    public let record: RunRecord
    /// The targets by name; one without rows has no groups.
    public let targets: [TargetSummary]
    /// The measurement error of the run itself; `nil` when not recorded.
    public let instrument: InstrumentRecord?
  }

  /// Oldest first.
  public let runs: [Run]
  /// How its intervals were computed.
  public let method: IntervalMethod
  let readAt: WallTime
  /// What the collector's objectives of the selected targets said last, whatever run and time are selected.
  public let objectives: [ObjectiveRecord]

  /// Reads the selection once, and what lies before it. Targets with many notifications are read from rollups, of which there
  /// are at most some thousand. Memory grows with runs and targets, unless every value is kept.
  ///
  /// - Parameters:
  ///   - isExact: take quantiles from all values (16 bytes each); otherwise from histograms of three significant digits
  ///     where a target has more than 100 000 notifications.
  ///   - method: how intervals are computed.
  ///   - now: tells whether a collector still writes.
  public init(
    _ reader: any SampleSource, _ selection: RowSelection = RowSelection(), isExact: Bool = false,
    method: IntervalMethod = .dependent, at now: WallTime = SystemClock().wallNow()
  ) throws {
    try self.init(reader, selection, depth: isExact ? .exact : .standard, method: method, at: now)
  }

  init(
    _ reader: any SampleSource, _ selection: RowSelection, depth: RollupThreshold,
    method: IntervalMethod = .dependent, at now: WallTime = SystemClock().wallNow()
  ) throws {
    var runs: [Run] = []
    try Self.forEachTarget(reader, selection, depth, method) { run, summary in
      if let last = runs.last, last.record.id == run.id {
        runs[runs.count - 1] = Run(
          record: last.record, targets: last.targets + [summary], instrument: last.instrument)
      } else {
        runs.append(Run(record: run, targets: [summary], instrument: try reader.instrument(of: run.id)))
      }
    }
    self.runs = runs
    self.method = method
    readAt = now
    objectives = try reader.objectives().filter { selection.targets?.contains($0.target) ?? true }
  }

  /// Calls `body` with each target as soon as its figures are read. A target without rows has no groups.
  static func forEachTarget(
    _ reader: any SampleSource, _ selection: RowSelection, _ depth: RollupThreshold, _ method: IntervalMethod,
    _ body: (RunRecord, TargetSummary) throws -> Void
  ) throws {
    let series = SeriesReader(reader)
    for entry in try TargetDirectory(reader, selection).entries {
      var accumulator = TargetAccumulator(entry, series)
      let planned = try series.window(of: [entry.target.id], since: selection.since, until: selection.until)
      // Those whose time has not come yet are counted.
      let start = selection.since ?? .distantPast
      let end = selection.until ?? .distantFuture
      var window = SeriesWindow(targets: [entry.target.id], time: start..<max(start, end))
      var history: [VariantID: SeriesHistory] = [:]
      try accumulator.read(window, of: planned?.time, depth)
      if let planned {
        if method == .dependent {
          history = try series.historiesByVariant(
            of: planned, sent: accumulator.sent(in: planned.time), metrics: Set(Metric.allCases),
            shares: GroupAccumulator.shares)
        }
        window.time = planned.time
      } else {
        window.time = start..<start
      }
      let summary = try accumulator.summary(method, in: window.time, history: history) { due in
        try reader.pace(of: entry.target.id, from: selection.since, to: selection.until, due: due)
      }
      try body(entry.run, summary)
    }
  }
}

/// Figures of one target over the selected rows.
public struct TargetSummary: Sendable, Equatable {
  public let record: TargetRecord
  /// Notifications planned, sent and missed per second; `nil` with less than two planned instants.
  public let rates: Rates?
  /// End of the time that was read from rollups; `nil` when all figures come from single notifications.
  public let rolledUpTo: WallTime?
  /// Single notifications planned before are deleted, so that the figures before it are of whole rollups; `nil` when none of
  /// the selection is deleted.
  public let prunedTo: WallTime?
  /// One for each variant with rows, in the order of the store's numbers.
  public let groups: [GroupSummary]

  /// Notifications a second.
  public struct Rates: Sendable, Equatable {
    /// The rate that the schedule came to.
    public let planned: Double
    /// Sent: the achieved rate.
    public let sent: Double
    public let missed: Double
  }

  public var counts: StateCounts { groups.reduce(into: StateCounts()) { $0 += $1.counts } }
}

/// Figures of the notifications of one target and variant.
public struct GroupSummary: Sendable, Equatable {
  /// Empty where a target has none.
  public let variant: String
  public let counts: StateCounts
  /// Receipts with the id of an earlier one.
  public let duplicates: Int
  /// Received after a later sequence number.
  public let outOfOrder: Int
  /// Requests that opened a connection and waited for it.
  public let onFreshConnections: Int
  /// Planned to sent, of all that were sent, in whatever state they ended.
  public let scheduleLag: ValueSummary
  /// `service` and `accept`, `path` of the target between them where there is any, and `delivery` where receipts are expected or came.
  public let metrics: [MetricSummary]
  /// Lost (where receipts are expected), failed, refused and in time.
  public let shares: [ShareSummary]
  /// `nil` when nothing was delivered.
  public let deliveryErrors: DeliveryErrorSummary?
}

/// Figures of a metric: over all notifications, and over those that opened a connection.
public struct MetricSummary: Sendable, Equatable {
  public typealias Figure = ValueSummary.Figure

  public let metric: Metric
  /// Whether its values are PINGs, each once, and not what notifications carry.
  public let countsPings: Bool
  public let all: ValueSummary
  /// The figures of requests that opened a connection; `nil` when none did.
  public let fresh: ValueSummary?

  public var share: ShareOfPlanned { all.share }
  /// µs; `nil` without values.
  public var minimum: Int64? { all.minimum }
  public var maximum: Int64? { all.maximum }
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public var isExact: Bool { all.isExact }
  public var figures: [Figure] { all.figures }
}

/// A share of the settled notifications with its interval.
public struct ShareSummary: Sendable, Equatable {
  public let share: SeriesShare
  public let interval: ShareInterval
  public let method: IntervalMethod
}

/// The quantiles of some intervals, and the share of due notifications that have a value.
public struct ValueSummary: Sendable, Equatable {
  /// A quantile and its interval.
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
    /// `nil` without values. For inexact deliveries, it reaches from the lower end given by the shortest possible latencies
    /// to the upper end given by the longest.
    public let interval: QuantileInterval?
    /// Whether values within its interval are only upper limits (``DeliveryCertainty/limit``).
    public let restsOnLimits: Bool
    public let method: IntervalMethod

    /// The quantile with both ends of its interval, or `tooFew`.
    public var estimate: QuantileEstimate {
      interval?.estimate(of: quantile) ?? .tooFew(needs: quantile.smallestCount)
    }

    /// The interval, where there are values enough for one end at least.
    public var known: QuantileInterval? { interval?.shown(for: quantile) }
    /// How many independent values would say as much; `nil` where values are taken for independent, and without any.
    public var effectiveCount: Double? { method == .dependent ? interval?.effectiveCount : nil }
    /// Whether earlier windows were considered; `nil` as ``effectiveCount``.
    public var usesHistory: Bool? { method == .dependent ? interval?.usesHistory : nil }
  }

  public let share: ShareOfPlanned
  /// µs; `nil` without values. From rollups, the lower end of its bucket.
  public let minimum: Int64?
  /// The largest value; from rollups, the upper end of its bucket.
  public let maximum: Int64?
  /// Bounds of the largest true value; both are ``maximum`` where all values are exact.
  public let maximumRange: ClosedRange<Int64>?
  /// Whether ``maximum`` may be only an upper limit.
  public let maximumIsLimit: Bool
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  /// - Parameters:
  ///   - metric: whose history counts; `nil` for what has none.
  ///   - limits: the values that are only upper limits.
  init(
    _ ranged: RangedLatencies<FigureAccumulator>, of counts: StateCounts,
    _ interval: TargetAccumulator.Interval, metric: Metric? = nil, limits: LatencyHistogram? = nil
  ) {
    let values = ranged.values
    share = ShareOfPlanned(
      counted: values.count, planned: counts.planned, stillToBeSent: counts[.planned])
    minimum = values.count > 0 ? values.minimum : nil
    maximum = values.count > 0 ? values.maximum : nil
    if values.count == 0 {
      maximumRange = nil
    } else if ranged.isExact {
      maximumRange = values.maximum...values.maximum
    } else {
      maximumRange =
        min(ranged.lows.maximumLowerEnd, values.maximum)...max(ranged.highs.maximum, values.maximum)
    }
    maximumIsLimit = values.count > 0 && limits?.hasValues(from: values.maximum, to: values.maximum) == true
    isExact = values.isExact
    let windows = ranged.map { $0.settled.window(interval.sent) }
    figures = Quantile.standard.map { quantile in
      let found =
        interval.method == .dependent
        ? windows.interval(of: quantile, history: metric.flatMap { interval.history.latencies[$0] })
        : windows.independentInterval(of: quantile)
      let reach = found?.shown(for: quantile).map { ($0.low ?? 0, $0.high ?? .max) }
      return Figure(
        quantile: quantile, interval: found,
        restsOnLimits: reach.map { limits?.hasValues(from: $0, to: $1) == true } ?? false,
        method: interval.method)
    }
  }
}

extension LatencyHistogram {
  /// Whether a non-empty bucket overlaps a range of values, both ends included.
  fileprivate func hasValues(from low: Int64, to high: Int64) -> Bool {
    buckets.contains { $0.upper >= low && $0.lower <= high }
  }
}

/// Errors of the delivery latencies of a group.
public struct DeliveryErrorSummary: Sendable, Equatable {
  /// Deliveries timed on one clock: no error.
  public let exact: Int
  /// The bounds of those whose bound is smaller than the latency, µs.
  public let bounded: ValueSummary
  /// Deliveries whose bound is at least as large as the latency: upper limits.
  public let limits: Int

  public var deliveries: Int { exact + bounded.share.counted + limits }
}
