import Findings
import Measurement
import Store

/// What the settled notifications of a window say: quantiles and shares with 95 % intervals that allow for probes that
/// depend on each other (docs/measurement.md).
public struct SeriesStatistics: Sendable {
  /// The window of planned time.
  public let window: Range<WallTime>
  /// Counts of all notifications that were read, settled or not.
  public let counts: StateCounts
  private let latencies: [Metric: RangedLatencies<WindowLatencies>]
  private let shares: [SeriesShare: WindowShareBounds]
  /// What earlier windows say about dependence.
  public let history: SeriesHistory

  init(
    window: Range<WallTime>, counts: StateCounts, latencies: [Metric: RangedLatencies<WindowLatencies>],
    shares: [SeriesShare: WindowShareBounds], history: SeriesHistory
  ) {
    self.window = window
    self.counts = counts
    self.latencies = latencies
    self.shares = shares
    self.history = history
  }

  /// How many settled notifications have a value of a metric.
  public func count(of metric: Metric) -> Int { latencies[metric]?.values.count ?? 0 }

  /// Whether earlier windows of the same length say something about dependence; otherwise what is slower than this window
  /// is not known: "from this window alone".
  public func usesHistory(of metric: Metric) -> Bool { history.latencies[metric] != nil }

  /// A quantile with its interval; `nil` when there is no value of the metric, or it was not read.
  ///
  /// Deliveries that are not exact: the interval reaches from the lower end of the shortest latencies that they can have
  /// had to the upper end of the longest.
  public func quantile(_ quantile: Quantile, of metric: Metric) -> QuantileInterval? {
    latencies[metric]?.interval(of: quantile, history: history.latencies[metric])
  }

  /// A quantile's estimate by order statistics, which take probes for independent.
  public func independentQuantile(_ quantile: Quantile, of metric: Metric) -> QuantileEstimate {
    latencies[metric]?.estimate { $0.independentEstimate(of: quantile) }
      ?? .tooFew(needs: quantile.smallestCount)
  }

  /// A share with its interval; `nil` when it was not read.
  public func share(_ share: SeriesShare) -> ShareInterval? {
    shares[share]?.interval(.dependent, history: history.shares[share])
  }

  /// The same with an interval that takes probes for independent (Clopper and Pearson).
  public func independentShare(_ share: SeriesShare) -> ShareInterval? {
    shares[share]?.interval(.independent, history: nil)
  }
}

extension SeriesStatistics {
  /// The latencies of notifications in memory: the same as ``SeriesReader`` reads of them from a store. Shares need the
  /// rows themselves.
  ///
  /// - Parameters:
  ///   - window: of planned time; what was planned outside is left out.
  ///   - history: as ``SeriesReader/history(of:metrics:shares:)`` reads it.
  ///   - visit: calls its argument with each notification.
  public init(
    in window: Range<WallTime>, metrics: Set<Metric>, history: SeriesHistory = .none,
    _ visit: ((SamplePoint) -> Void) -> Void
  ) {
    var accumulator = SeriesAccumulator(metrics: metrics, shares: [])
    visit { point in
      if window.contains(WallTime(microseconds: point.plannedAt)) { accumulator.add(point) }
    }
    self = accumulator.statistics(in: window, history: history)
  }

  /// Round trips, each counted once, as values of ``Metric/path``.
  public init(in window: Range<WallTime>, pings: some Sequence<PingAnswer>) {
    var accumulator = SeriesAccumulator(metrics: [.path], shares: [])
    for ping in pings where window.contains(ping.at) {
      accumulator.record(max(0, ping.roundTrip), of: .path, at: ping.at)
    }
    self = accumulator.statistics(in: window, history: .none)
  }

  /// Whether all values of a metric are exact, and not known within ranges only.
  public func isExact(_ metric: Metric) -> Bool { latencies[metric]?.isExact ?? true }
}

/// What the windows before one say about dependence in it, by metric and share.
public struct SeriesHistory: Sendable, Hashable {
  public internal(set) var latencies: [Metric: LatencyHistory] = [:]
  public internal(set) var shares: [SeriesShare: ShareHistory] = [:]

  /// A history of which nothing is known.
  public static let none = SeriesHistory()

  public var isEmpty: Bool { latencies.isEmpty && shares.isEmpty }
}
