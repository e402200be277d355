import Measurement
import Store

/// What runs came to: quantiles with intervals, states and rates, by target and variant.
public struct SummaryReport: Sendable, Equatable {
  public struct Run: Sendable, Equatable {
    public let record: RunRecord
    /// By name; a target without rows has no groups.
    public let targets: [TargetSummary]
    /// The run's own error; `nil` when nothing is known of it.
    public let instrument: InstrumentRecord?
  }

  /// Oldest first.
  public let runs: [Run]

  /// Reads the selection once. Long targets are read from rollups, in some hundred rows however many notifications there
  /// are; memory grows with runs and targets, unless every value is kept.
  ///
  /// - Parameter isExact: take quantiles from all values (8 bytes each), however many there are; otherwise from
  ///   histograms of three significant digits where a target has more than a hundred thousand notifications.
  public init(_ reader: StoreReader, _ selection: RowSelection = RowSelection(), isExact: Bool = false) throws
  {
    try self.init(reader, selection, depth: isExact ? .exact : .standard)
  }

  init(_ reader: StoreReader, _ selection: RowSelection, depth: RollupThreshold) throws {
    var runs: [Run] = []
    try Self.forEachTarget(reader, selection, depth) { run, summary in
      if let last = runs.last, last.record.id == run.id {
        runs[runs.count - 1] = Run(
          record: last.record, targets: last.targets + [summary], instrument: last.instrument)
      } else {
        runs.append(Run(record: run, targets: [summary], instrument: try reader.instrument(of: run.id)))
      }
    }
    self.runs = runs
  }

  /// Hands on each target as soon as its figures are read; one without rows has no groups.
  static func forEachTarget(
    _ reader: StoreReader, _ selection: RowSelection, _ depth: RollupThreshold,
    _ body: (RunRecord, TargetSummary) throws -> Void
  ) throws {
    let figures = TargetFigures(reader: reader, selection: selection, depth: depth)
    for entry in try TargetDirectory(reader, selection).entries {
      var tally = TargetAccumulator(entry, values: depth.values)
      try figures.read(
        entry.target, GroupAccumulator.figures, totals: { tally.add($0) }, row: { tally.add($0) })
      let summary = try tally.summary { due in
        try reader.pace(of: entry.target.id, from: selection.since, to: selection.until, due: due)
      }
      try body(entry.run, summary)
    }
  }
}

/// A target's figures over the rows looked at.
public struct TargetSummary: Sendable, Equatable {
  public let record: TargetRecord
  /// How often notifications were planned, sent and missed, per second; `nil` with less than two planned instants.
  public let rates: Rates?
  /// Up to when its figures were read from rollups; `nil` when all come from the notifications one by one.
  public let rolledUpTo: WallTime?
  /// One for each variant that has rows, in the order the store numbers them.
  public let groups: [GroupSummary]

  public struct Rates: Sendable, Equatable {
    /// What the schedule really came to.
    public let planned: Double
    /// Sent: the achieved rate.
    public let sent: Double
    public let missed: Double
  }

  public var counts: StateCounts { groups.reduce(into: StateCounts()) { $0 += $1.counts } }
}

/// What became of the notifications of one target and variant.
public struct GroupSummary: Sendable, Equatable {
  /// Empty where a target has none.
  public let variant: String
  public let counts: StateCounts
  /// Further receipts with ids heard before.
  public let duplicates: Int
  /// Received after a later sequence number.
  public let outOfOrder: Int
  /// Requests that opened a connection, and waited for it.
  public let onFreshConnections: Int
  /// Planned to sent, of all that were sent, whatever became of them.
  public let scheduleLag: ValueSummary
  /// `service` and `accept`, and `delivery` where receipts are expected or came.
  public let metrics: [MetricSummary]
  /// `nil` when nothing was delivered.
  public let deliveryErrors: DeliveryErrorSummary?
}

/// A metric's figures: over all notifications, and over those that waited for a connection to be opened.
public struct MetricSummary: Sendable, Equatable {
  public typealias Figure = ValueSummary.Figure

  public let metric: Metric
  public let all: ValueSummary
  /// Of requests that opened a connection; `nil` when none did.
  public let fresh: ValueSummary?

  public var share: ShareOfPlanned { all.share }
  /// µs; `nil` without values.
  public var minimum: Int64? { all.minimum }
  public var maximum: Int64? { all.maximum }
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public var isExact: Bool { all.isExact }
  public var figures: [Figure] { all.figures }
}

/// The quantiles of some intervals, and what share of the planned notifications they speak for.
public struct ValueSummary: Sendable, Equatable {
  public struct Figure: Sendable, Equatable {
    public let quantile: Quantile
    /// Of deliveries that are not exact, the interval reaches from the lower end of what the shortest they can have been
    /// gives to the upper end of what the longest give.
    public let estimate: QuantileEstimate
    /// Whether there are values among those that it rests on, the ones within its interval, that are but upper limits
    /// (``DeliveryCertainty/limit``).
    public let restsOnLimits: Bool
  }

  public let share: ShareOfPlanned
  /// µs; `nil` without values. From rollups: the lower end of the bucket it lies in.
  public let minimum: Int64?
  /// From rollups: the upper end of the bucket it lies in.
  public let maximum: Int64?
  /// Between which ends the largest true value lies; both are ``maximum`` where all values are exact.
  public let maximumRange: ClosedRange<Int64>?
  /// Whether ``maximum`` may be but an upper limit.
  public let maximumIsLimit: Bool
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public let isExact: Bool
  public let figures: [Figure]

  /// - Parameter limits: where the values lie that are but upper limits.
  init(_ values: QuantileAccumulator, of counts: StateCounts, limits: LatencyHistogram? = nil) {
    self.init(RangedLatencies(values), of: counts, limits: limits)
  }

  /// - Parameter limits: where the values lie that are but upper limits.
  init(
    _ ranged: RangedLatencies<QuantileAccumulator>, of counts: StateCounts, limits: LatencyHistogram? = nil
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
    isExact = values.method == .exact
    let lows = ranged.isExact ? nil : ranged.lows.estimates(Quantile.standard)
    let highs = ranged.isExact ? nil : ranged.highs.estimates(Quantile.standard)
    figures = zip(Quantile.standard, values.estimates(Quantile.standard)).enumerated().map { index, known in
      let (quantile, measured) = known
      let estimate =
        if let lows, let highs { measured.spanning(from: lows[index], to: highs[index]) } else { measured }
      return Figure(
        quantile: quantile, estimate: estimate,
        restsOnLimits: estimate.known.map { limits?.hasValues(from: $0.low, to: $0.high) == true } ?? false)
    }
  }
}

extension LatencyHistogram {
  /// Whether a bucket with any values has a part in a stretch of values, both ends included.
  fileprivate func hasValues(from low: Int64, to high: Int64) -> Bool {
    buckets.contains { $0.upper >= low && $0.lower <= high }
  }
}

/// How well the delivery latencies of a group are known.
public struct DeliveryErrorSummary: Sendable, Equatable {
  /// Deliveries that were timed on one clock: no error.
  public let exact: Int
  /// The bounds of those whose bound is smaller than the latency, µs.
  public let bounded: ValueSummary
  /// Deliveries whose bound is as large as the latency: upper limits.
  public let limits: Int

  public var deliveries: Int { exact + bounded.share.counted + limits }
}
