import Findings
import Measurement
import Store

/// The round trips of PING in a window, each once.
///
/// A notification carries the newest round trip of its connection (`path_us`), so at a high rate many carry the same one.
/// Quantiles of the path are therefore taken from the PINGs themselves. They belong to connections, which all variants of a
/// target share. Where PINGs are no longer stored (retention), what notifications carry counts instead.
public struct RoundTrips: Sendable {
  /// Round trips one by one; where there are many of them, `bins` has them.
  private var latencies: [TimedLatency] = []
  private var bins: [LatencyBin] = []
  private var open: (start: WallTime, values: [Int64])?
  private let window: Range<WallTime>
  /// The length of the bins that more than ``most`` round trips are put into.
  private let span: RollupSpan
  private let most: Int
  /// When the first one was answered, also shortly before the window.
  private var firstAt: WallTime?
  /// When they were answered.
  private(set) var answered = SentTimeAccumulator()
  /// How many were answered in the window.
  public private(set) var count = 0

  /// The largest number of round trips that are kept one by one.
  static let most = 100_000
  /// A notification carries a round trip of at most 30 s before its answer, which itself may take a while.
  static let reach = Duration.minutes(1)

  init(_ window: Range<WallTime>, span: RollupSpan, most: Int = Self.most) {
    (self.window, self.span, self.most) = (window, span, most)
  }

  mutating func add(_ ping: PingAnswer) {
    firstAt = min(firstAt ?? ping.at, ping.at)
    guard window.contains(ping.at) else { return }
    count += 1
    answered.insert(ping.at)
    let value = TimedLatency(plannedAt: ping.at, latency: ping.roundTrip)
    guard count > most else { return latencies.append(value) }
    if !latencies.isEmpty {
      for value in latencies { bin(value) }
      latencies = []
    }
    bin(value)
  }

  private mutating func bin(_ value: TimedLatency) {
    let start = span.start(of: value.plannedAt)
    if open?.start != start {
      close()
      open = (start, [])
    }
    open?.values.append(value.latency)
  }

  /// Ends the last bin.
  mutating func close() {
    guard let bin = open else { return }
    bins.append(
      LatencyBin(start: max(window.lowerBound, bin.start), latencies: PackedLatencies(bin.values)))
    open = nil
  }

  /// Whether they stand for all that notifications carry: there are some, and they reach back to the first that does.
  ///
  /// - Parameter first: when the first notification was planned that carries a round trip; `nil` if none does.
  public func covers(carriedSince first: WallTime?) -> Bool {
    guard count > 0, let firstAt else { return false }
    return first.map { firstAt <= $0 + Self.reach } ?? true
  }

  /// Visits each, or the bins that they are in. The times are those of the answers.
  public func forEach(_ value: (TimedLatency) -> Void, bin: (LatencyBin) -> Void) {
    for latency in latencies { value(latency) }
    for one in bins { bin(one) }
  }

  /// The part of a window in which PINGs were answered.
  public func time(in window: Range<WallTime>) -> SentTime { answered.time(in: window) }

  var collection: LatencyCollection {
    var collection = LatencyCollection()
    forEach({ collection.record($0.latency, plannedAt: $0.plannedAt) }) {
      collection.add($0.latencies, plannedFrom: $0.start)
    }
    return collection
  }
}

extension SeriesReader {
  /// The PINGs that were answered in a window.
  ///
  /// - Throws: ``StoreError``.
  public func roundTrips(in window: SeriesWindow) throws -> RoundTrips {
    try roundTrips(
      of: window.targets,
      RoundTrips(window.time, span: BinLength(window: window.time).span ?? .second), in: window.time)
  }

  /// - Parameter empty: what takes them.
  func roundTrips(of targets: [TargetID], _ empty: RoundTrips, in time: Range<WallTime>) throws -> RoundTrips
  {
    var result = empty
    try forEachPing(of: targets, in: time.lowerBound - RoundTrips.reach..<time.upperBound) { result.add($0) }
    result.close()
    return result
  }
}
