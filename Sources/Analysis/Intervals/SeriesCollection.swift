import Findings
import Measurement
import Store

/// Collects the latencies of one figure, single ones and those of rollups, until a window is cut from them.
public struct LatencyCollection: Sendable {
  private var samples: ContiguousArray<TimedLatency> = []
  private var bins: [LatencyBin] = []
  public private(set) var count = 0

  public init() {}

  /// Whether all values are known one by one, and not in the buckets of rollups.
  public var isExact: Bool { bins.isEmpty }

  /// - Parameter latency: µs.
  public mutating func record(_ latency: Int64, plannedAt: WallTime) {
    samples.append(TimedLatency(plannedAt: plannedAt, latency: latency))
    count += 1
  }

  public mutating func add(_ latencies: PackedLatencies, plannedFrom start: WallTime) {
    guard !latencies.isEmpty else { return }
    bins.append(LatencyBin(start: start, latencies: latencies))
    count += latencies.count
  }

  /// The values of the time in which the series was sent.
  public func window(_ sent: SentTime) -> WindowLatencies {
    let length = BinLength(sent)
    guard !isExact else {
      return WindowLatencies(sent, collected: samples, at: { length.start(of: $0, in: sent) })
    }
    return WindowLatencies(
      sent,
      bins: allBins.map {
        LatencyBin(start: length.start(of: $0.start, in: sent), latencies: $0.latencies)
      })
  }

  /// What the values before a window say about dependence in it; `nil` when they are too few.
  func history(_ plan: HistoryPlan, excluding excluded: [Range<WallTime>]) -> LatencyHistory? {
    isExact
      ? LatencyHistory(
        before: plan.end, windowLength: plan.windowLength, samples: samples, excluding: excluded)
      : LatencyHistory(before: plan.end, windowLength: plan.windowLength, bins: allBins, excluding: excluded)
  }

  /// Single values are put into buckets like the others: their order is known no better than to a bucket.
  private var allBins: [LatencyBin] {
    bins + samples.map { LatencyBin(start: $0.plannedAt, latencies: PackedLatencies([$0.latency])) }
  }
}

/// Collects how many notifications have a property, of how many.
public struct ShareCollection: Sendable {
  private var bins: ContiguousArray<ShareBin> = []

  public init() {}

  /// - Parameters:
  ///   - start: when it was planned, or where the stretch begins that they were planned in.
  public mutating func add(_ events: Int, of count: Int, plannedFrom start: WallTime) {
    guard count > 0 else { return }
    // Ten milliseconds are shorter than any block of a window that has more than a few values.
    if let last = bins.indices.last, start >= bins[last].start,
      start.microseconds - bins[last].start.microseconds < 10_000
    {
      bins[last].events += events
      bins[last].count += count
    } else {
      bins.append(ShareBin(start: start, events: events, count: count))
    }
  }

  /// The shares of the time in which the series was sent, in bins of one length; bins without notifications are left out.
  public func window(_ sent: SentTime) -> WindowShares {
    let length = BinLength(sent)
    return WindowShares(
      sent,
      bins: bins.lazy.map {
        ShareBin(start: length.start(of: $0.start, in: sent), events: $0.events, count: $0.count)
      })
  }

  func history(_ plan: HistoryPlan, excluding excluded: [Range<WallTime>]) -> ShareHistory? {
    ShareHistory(before: plan.end, windowLength: plan.windowLength, bins: bins, excluding: excluded)
  }
}
