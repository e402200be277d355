public import Findings
public import Measurement
public import Store

/// What ended in a stretch of a target's planned time. Only settled notifications count.
public struct StatusWindow: Sendable, Equatable {
  /// The planned times; the end is excluded.
  public var time: Range<WallTime>
  public var counts: StateCounts
  /// The share that has a value within the target's limit; without a limit, that was accepted.
  public var inTime: ShareInterval?
  public var lost: ShareInterval?
  public var failed: ShareInterval?
  /// The share of what was delivered that was not shown, where the device reports what it shows.
  public var unseen: ShareInterval?
  /// Refused, or not sent because of that.
  public var refused: ShareInterval?
  public var median: QuantileInterval?
  public var p99: QuantileInterval?

  public init(time: Range<WallTime>, counts: StateCounts = StateCounts()) {
    (self.time, self.counts) = (time, counts)
  }

  /// - Parameter isCoarse: whether intervals of quantiles are not known, but their values are.
  init(_ statistics: SeriesStatistics, inTime: SeriesShare, metric: Metric, isCoarse: Bool = false) {
    func quantile(_ quantile: Quantile) -> QuantileInterval? {
      let interval = statistics.quantile(quantile, of: metric)
      return isCoarse
        ? interval.flatMap { $0.count < quantile.smallestCount ? nil : $0 } : interval?.shown(for: quantile)
    }
    self.init(time: statistics.window, counts: statistics.counts)
    self.inTime = statistics.share(inTime)
    lost = statistics.share(.lost)
    failed = statistics.share(.failed)
    unseen = statistics.counts.displayExpected > 0 ? statistics.share(.unseen) : nil
    refused = statistics.share(.refused)
    (median, p99) = (quantile(.p50), quantile(.p99))
  }

  var length: Duration { time.upperBound - time.lowerBound }

  /// The share that was missed for another reason than a refusal, as where this host was late or stood still, or too many had no
  /// answer. `nil` where reasons are not known.
  public var notSent: ShareInterval? {
    guard let refused, counts.settled > 0 else { return nil }
    let afterRefusals = refused.events - counts[.rejected]
    return ShareInterval(independent: max(0, counts[.missed] - afterRefusals), of: counts.settled)
  }

  /// What most of those are that have no value of a metric in time: failed or not sent, refused, lost, not shown, or late. `nil`
  /// where all have one.
  func worstPart(of metric: Metric) -> StatusWord? {
    let missing = counts.settled - (inTime?.events ?? 0)
    guard missing > 0 else { return nil }
    let unsent = counts[.failed] + (notSent?.events ?? 0)
    let refused = refused?.events ?? 0
    // Those that arrived after the receipt deadline may be in time for the metric.
    let lost = min(lost?.events ?? 0, max(0, missing - unsent - refused))
    let parts: [(word: StatusWord, count: Int)] = [
      (.failing, unsent), (.refused, refused),
      (.losing, metric.isAvailable(expectsReceipts: false) ? 0 : lost),
      (.unseen, metric == .shown ? unseen?.events ?? 0 : 0),
    ]
    let late = missing - parts.reduce(0) { $0 + $1.count }
    return parts.filter { $0.count > 0 && $0.count >= late }.max { $0.count < $1.count }?.word ?? .slower
  }
}

/// What is known of a target now: what ``TargetStatus`` is told from.
public struct TargetActivity: Sendable {
  /// Whether it is recorded.
  public enum Phase: Sendable, Equatable {
    case recorded
    /// Nothing is planned for it any more, though its run goes on.
    case removed(since: WallTime)
    /// Its collector does not write any more and has not ended its run.
    case gone(since: WallTime)
    case ended(at: WallTime)
  }

  public var name: String
  /// The run that it is of, where several are looked at: its name, or the value of a label.
  public var group: String?
  public var provider: String
  public var phase: Phase
  /// Notifications a second.
  public var askedRate: Double
  /// The metric of the breached objective of a share, else of the first; else delivery where receipts are expected, else the provider's
  /// answer.
  public var metric: Metric
  /// µs; `nil` where neither an objective nor a receipt deadline says one.
  public var limit: Int64?
  /// The end of what is recorded; `nil` where nothing has settled.
  public var last: StatusWindow?
  /// The time before ``last``, seven days at most; `nil` where there is too little.
  public var before: StatusWindow?
  /// Incidents that go on, or went on when recording stopped, each with its finding of this target.
  public var open: [(incident: FindingIncident, finding: FindingRecord)]
  /// Those that ended in ``last``.
  public var over: [(incident: FindingIncident, finding: FindingRecord)] = []
  /// The receipt deadline: what is lost is known so long after it was sent; `nil` where no receipts are expected.
  public var receiptDeadline: Duration?
  var expectsReceipts: Bool { receiptDeadline != nil }
  /// What comes on most days at the same hours.
  public var daily: [FindingRecord] = []
  /// A breached objective, one of silence first.
  public var breached: ObjectiveRecord?
  /// What is learned of its variants; `nil` where that is not known.
  public var detectors: [DetectorRecord]?
  /// The shortest outage that would be seen; `nil` where none would.
  public var shortestOutage: Duration?

  public init(
    name: String, provider: String, phase: Phase, askedRate: Double, metric: Metric, limit: Int64?
  ) {
    (self.name, self.provider, self.phase) = (name, provider, phase)
    (self.askedRate, self.metric, self.limit) = (askedRate, metric, limit)
    open = []
  }

  /// Whether it ended while its run goes on.
  var isRemoved: Bool { if case .removed = phase { true } else { false } }

  /// When recording stopped, where it did.
  var stoppedAt: WallTime? {
    switch phase {
    case .recorded: nil
    case .removed(let time), .gone(let time), .ended(let time): time
    }
  }
}
