import Glibc
import Measurement

/// What earlier windows of one length say about dependence that a single window cannot show: the design effect of whole
/// windows, by share.
///
/// It grows with the number of values in a window, so what is kept is (D − 1) per value.
public struct LatencyHistory: Sendable, Hashable, Codable {
  /// The windows that it takes.
  public static let fewestWindows = 12
  /// Older values do not count.
  public static let longest: Duration = .seconds(14 * 86_400)

  private static let targets = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999]
  private var logits: [Double] = []
  private var excess: [Double] = []

  /// - Parameters:
  ///   - end: where the window begins that this is the history of.
  ///   - length: of that window.
  ///   - bins: at most 14 days before `end`, in any order.
  ///   - excluded: stretches of closed findings; windows that they touch are left out.
  /// - Returns: `nil` when fewer than 12 windows with values remain.
  public init?(
    before end: WallTime, windowLength length: Duration, bins: some Sequence<LatencyBin>,
    excluding excluded: [Range<WallTime>] = []
  ) {
    var windows = PastWindows(before: end, length: length, excluding: excluded)
    var entries: [Entry] = []
    for bin in bins {
      let time = bin.start.microseconds
      guard let window = windows.window(of: time) else { continue }
      for bucket in bin.latencies {
        let middle = bucket.lower / 2 + bucket.upper / 2 + (bucket.lower & bucket.upper & 1)
        entries.append(Entry(time: time, window: window, latency: middle, count: bucket.count))
        windows.add(Double(bucket.count), to: window)
      }
    }
    self.init(windows, entries)
  }

  /// Creates the history from samples, as the other initializer does from bins.
  public init?(
    before end: WallTime, windowLength length: Duration, samples: some Sequence<TimedLatency>,
    excluding excluded: [Range<WallTime>] = []
  ) {
    var windows = PastWindows(before: end, length: length, excluding: excluded)
    var entries: [Entry] = []
    for sample in samples {
      let time = sample.plannedAt.microseconds
      guard let window = windows.window(of: time) else { continue }
      entries.append(Entry(time: time, window: window, latency: sample.latency, count: 1))
      windows.add(1, to: window)
    }
    self.init(windows, entries)
  }

  private struct Entry {
    var time: Int64
    var window: Int32
    var count: Int32
    /// ln µs.
    var value: Double

    init(time: Int64, window: Int, latency: Int64, count: Int) {
      self.time = time
      self.window = Int32(window)
      self.count = Int32(clamping: count)
      value = log(Double(max(1, latency)))
    }
  }

  private init?(_ windows: PastWindows, _ entries: [Entry]) {
    let used = windows.used
    guard used.count >= Self.fewestWindows else { return nil }
    let profile = Self.profile(entries)
    // Buckets of 0.1 %, of values relative to their hour.
    let floor = -20.0
    let perUnit = 1000.0
    let places = entries.map { entry in
      min(44_999, max(0, Int32((entry.value - profile.offset(at: entry.time) - floor) * perUnit)))
    }
    var totals = [Double](repeating: 0, count: 45_000)
    for (entry, place) in zip(entries, places) { totals[Int(place)] += Double(entry.count) }
    let total = totals.reduce(0, +)
    var levels: [(bucket: Int, share: Double)] = []
    var seen = 0.0
    for (index, count) in totals.enumerated() where count > 0 {
      seen += count
      while levels.count < Self.targets.count, seen >= Self.targets[levels.count] * total {
        levels.append((index, seen / total))
      }
    }
    let counted = used.reduce(0) { $0 + windows.counts[$1] }
    let typical = counted / Double(used.count)
    for level in levels {
      guard level.share < 1, logits.last.map({ $0 < Self.logit(level.share) }) ?? true else { continue }
      var below = [Double](repeating: 0, count: windows.counts.count)
      let bucket = Int32(level.bucket)
      for (entry, place) in zip(entries, places) where place <= bucket {
        below[Int(entry.window)] += Double(entry.count)
      }
      let surpluses = used.map { below[$0] - windows.counts[$0] * level.share }
      let effect = DesignEffect.ofSurpluses(surpluses, count: counted, share: level.share)
      logits.append(Self.logit(level.share))
      excess.append((effect - 1) / typical)
    }
  }

  /// The design effect at a share, for a window of `count` values.
  func designEffect(share: Double, count: Int) -> Double {
    guard let first = logits.first, let last = logits.last else { return 1 }
    let place = min(max(Self.logit(min(max(share, 1e-4), 1 - 1e-4)), first), last)
    let next = max(1, logits.firstIndex { $0 >= place } ?? 1)
    guard next < logits.count else { return 1 + excess[0] * Double(count) }
    let part = (place - logits[next - 1]) / (logits[next] - logits[next - 1])
    return 1 + (excess[next - 1] * (1 - part) + excess[next] * part) * Double(count)
  }

  private static func logit(_ share: Double) -> Double { log(share / (1 - share)) }

  private static func profile(_ entries: [Entry]) -> DailyProfile {
    guard let first = entries.lazy.map(\.time).min(), let last = entries.lazy.map(\.time).max(),
      last - first > 86_400_000_000
    else { return .flat }
    var hours: [Int: [Entry]] = [:]
    for entry in entries { hours[Int(entry.time / 3_600_000_000), default: []].append(entry) }
    return DailyProfile(
      hourlyMedians: hours.mapValues { entries in
        var rest = (entries.reduce(0) { $0 + Int($1.count) } + 1) / 2
        for entry in entries.sorted(by: { $0.value < $1.value }) {
          rest -= Int(entry.count)
          if rest <= 0 { return entry.value }
        }
        return 0
      })
  }
}

/// What earlier windows of one length say about the dependence of a share's events, as ``LatencyHistory`` does of latencies.
public struct ShareHistory: Sendable, Hashable, Codable {
  private var excess: Double

  /// - Returns: `nil` when fewer than 12 windows with values remain.
  public init?(
    before end: WallTime, windowLength length: Duration, bins: some Sequence<ShareBin>,
    excluding excluded: [Range<WallTime>] = []
  ) {
    var windows = PastWindows(before: end, length: length, excluding: excluded)
    var events: [Int: Double] = [:]
    for bin in bins {
      guard let window = windows.window(of: bin.start.microseconds) else { continue }
      windows.add(Double(bin.count), to: window)
      events[window, default: 0] += Double(bin.events)
    }
    let used = windows.used
    guard used.count >= LatencyHistory.fewestWindows else { return nil }
    let total = used.reduce(0) { $0 + windows.counts[$1] }
    let share = used.reduce(0) { $0 + events[$1, default: 0] } / total
    excess = 0
    guard share > 0, share < 1 else { return }
    let effect = DesignEffect.ofSurpluses(
      used.map { events[$0, default: 0] - windows.counts[$0] * share }, count: total, share: share)
    excess = (effect - 1) / (total / Double(used.count))
  }

  func designEffect(count: Int) -> Double { 1 + excess * Double(count) }
}

/// Windows of one length, side by side, the last one's end given. Takes memory for the windows since the earliest value, not
/// for all that could lie in ``LatencyHistory/longest``: a short window has a million of those.
private struct PastWindows {
  private let end: Int64
  private let length: Int64
  /// The number of windows that lie in ``LatencyHistory/longest``.
  private let limit: Int64
  /// Windows that are left out: ranges that do not overlap, ascending, the latest window first.
  private let excluded: [ClosedRange<Int64>]
  private var earliest = Int64.max
  /// The number of values in each window, the latest first, up to the earliest one that has any.
  private(set) var counts: [Double] = []

  init(before end: WallTime, length: Duration, excluding: [Range<WallTime>]) {
    let (end, length) = (end.microseconds, max(1, length.microseconds))
    (self.end, self.length) = (end, length)
    limit = LatencyHistory.longest.microseconds / length
    let touched = excluding.compactMap { stretch -> ClosedRange<Int64>? in
      guard stretch.lowerBound.microseconds < end, !stretch.isEmpty else { return nil }
      let first = (end - min(stretch.upperBound.microseconds, end)) / length
      return first...((end - stretch.lowerBound.microseconds - 1) / length)
    }
    var merged: [ClosedRange<Int64>] = []
    for range in touched.sorted(by: { $0.lowerBound < $1.lowerBound }) { merged.appendMerging(range) }
    excluded = merged
  }

  private func isExcluded(_ index: Int64) -> Bool {
    let place = excluded.partitioningIndex { $0.upperBound >= index }
    return place < excluded.count && excluded[place].contains(index)
  }

  mutating func window(of time: Int64) -> Int? {
    guard time < end else { return nil }
    earliest = min(earliest, time)
    let index = (end - 1 - time) / length
    return index < limit && !isExcluded(index) ? Int(index) : nil
  }

  mutating func add(_ values: Double, to window: Int) {
    if window >= counts.count {
      counts.append(contentsOf: repeatElement(0, count: window + 1 - counts.count))
    }
    counts[window] += values
  }

  /// Those with values, without one that was recorded only in part because recording began in it.
  var used: [Int] {
    counts.indices.filter { counts[$0] > 0 && earliest <= end - Int64($0 + 1) * length + length / 32 }
  }
}
