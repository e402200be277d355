import Measurement
import Store

/// Counts and values of the notifications planned in one window.
struct WindowStatistics: Sendable {
  let counts: StateCounts
  let metric: Metric
  /// µs, in no particular order, in several parts.
  private(set) var parts: [[Int64]]
  /// Values that are only known as sums, ascending.
  private(set) var sums: ContiguousArray<DensityBucket>
  /// Number of delivery latencies that are no larger than their error bound.
  let withinError: Int
  /// Only the newest of the window's notifications were read: there are too many.
  let isTruncated: Bool
  let smallest: Int64?
  /// Includes the ages of pending ones, because they are drawn.
  let largest: Int64?
  /// Whether some are in flight without a value, so that they look different as time passes.
  let hasPending: Bool
  /// The largest value, without the ages.
  private(set) var largestValue: Int64?

  /// Reads all displayed tracks within the window.
  init(snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric, includesPending: Bool) {
    var tiles = StatisticsTiles()
    self.init(
      TileSources(snapshot, targets: targets, window: window), of: snapshot, targets: targets, metric: metric,
      includesPending: includesPending, &tiles)
  }

  /// The same, from tiles that are kept between frames.
  init(
    _ sources: TileSources, of snapshot: Snapshot, targets: [Int], metric: Metric, includesPending: Bool,
    _ tiles: inout StatisticsTiles
  ) {
    let window = sources.window
    let (sum, parts) = tiles.statistics(of: sources, targets: targets, metric: metric)
    self.parts = parts
    let density = snapshot.density?.sums(of: targets, metric: metric, from: window.start, to: window.end)
    sums = density?.buckets ?? []
    counts = (density?.counts ?? StateCounts()) + sum.counts
    self.metric = metric
    withinError = sum.withinError
    isTruncated = snapshot.lacksOldest(of: targets, from: window.start)
    hasPending = sum.firstPending < .max
    var oldest: Int64?
    if includesPending, let now = snapshot.monotonicNow?.microseconds, sum.firstPending < now {
      oldest = now - sum.firstPending
    }
    let hasValues = sum.smallest <= sum.largest
    let least = [hasValues ? sum.smallest : oldest.map { _ in 1_000 }, sums.first?.lower]
    smallest = least.compactMap { $0 }.min()
    largestValue = [hasValues ? sum.largest : nil, sums.last?.upper].compactMap { $0 }.max()
    largest = [largestValue, oldest].compactMap { $0 }.max()
  }

  /// The same with round trips of PINGs in place of the values, because one PING is that of many notifications.
  /// - Parameter pings: none where the store has none.
  func counting(_ pings: [Int64]) -> WindowStatistics {
    guard metric == .path, !pings.isEmpty else { return self }
    var facts = self
    (facts.parts, facts.sums, facts.largestValue) = ([pings], [], pings.max())
    return facts
  }

  var isEmpty: Bool { counts.planned == 0 }

  /// Number of values.
  var valueCount: Int {
    parts.reduce(0) { $0 + $1.count } + sums.reduce(0) { $0 + Int($1.count) }
  }
}

/// Counts and values of each tile, for each metric on display.
struct StatisticsTiles {
  private var metrics: [Metric: MetricTiles] = [:]
  /// Used while a key is chosen.
  var values = ValueTiles()

  /// - Returns: what the window's tiles have together, and the values of each.
  fileprivate mutating func statistics(
    of sources: TileSources, targets: [Int], metric: Metric
  ) -> (sum: PointStatistics, parts: [[Int64]]) {
    metrics[metric, default: MetricTiles()].statistics(of: sources, targets: targets, metric: metric)
  }
}

private struct MetricTiles {
  private struct Key: Equatable {
    let scale: TimeScale
    let targets: [Int]
    /// The part of the window to which the values belong, if it is not the whole.
    var window: TimeWindow?
  }

  private typealias Cache = TileCache<Key, (PointStatistics, [Int64])>

  private var whole = Cache()
  private var edges = Cache()
  /// What was put together last, by tile.
  private var shown: (window: TimeWindow, targets: [Int])?
  private var statistics: [PointStatistics] = []
  private var parts: [[Int64]] = []

  mutating func statistics(
    of sources: TileSources, targets: [Int], metric: Metric
  ) -> (sum: PointStatistics, parts: [[Int64]]) {
    let window = sources.window
    whole.prepare(Key(scale: window.scale, targets: targets), for: sources.numbers)
    edges.prepare(Key(scale: window.scale, targets: targets, window: window), for: sources.numbers)
    let isSamePlace = shown.map { $0 == (window, targets) } ?? false
    if !isSamePlace {
      statistics = Array(repeating: PointStatistics(), count: sources.numbers.count)
      parts = Array(repeating: [], count: sources.numbers.count)
      shown = (window, targets)
    }
    for (place, number) in sources.numbers.enumerated() {
      let tile = TimeWindow(tile: number, scale: window.scale)
      let isWhole = tile.start >= window.start && tile.end <= window.end
      let isNew =
        isWhole
        ? whole.update(place, of: sources) { PointStatistics.make($0, of: metric, in: tile) }
        : edges.update(place, of: sources) { PointStatistics.make($0, of: metric, in: window) }
      guard isNew || !isSamePlace, let known = isWhole ? whole[number] : edges[number] else { continue }
      (statistics[place], parts[place]) = known
    }
    return (statistics.reduce(into: PointStatistics()) { $0.add($1) }, parts)
  }
}

/// Counts of some notifications, and the ends of their values.
private struct PointStatistics {
  private(set) var counts = StateCounts()
  private(set) var withinError = 0
  /// µs; the largest number without any value.
  private(set) var smallest = Int64.max
  /// µs; the smallest number without any value.
  private(set) var largest = Int64.min
  /// The earliest planned time of one that is in flight without a value, on the monotonic clock, µs; the largest number without
  /// any.
  private(set) var firstPending = Int64.max

  /// - Parameter window: points outside are left out.
  /// - Returns: with the values, µs.
  static func make(
    _ sources: [TileSource], of metric: Metric, in window: TimeWindow
  ) -> (PointStatistics, [Int64]) {
    var statistics = PointStatistics()
    let (start, end) = (window.start.microseconds, window.end.microseconds)
    var sweep = Sweep(metric: metric)
    var states = Array(repeating: 0, count: NotificationState.allCases.count)
    // Upper limit of the number of values.
    let room = sources.reduce(0) { $0 + $1.count }
    let values = [Int64](unsafeUninitializedCapacity: room) { buffer, count in
      states.withUnsafeMutableBufferPointer { states in
        for points in sources.lazy.flatMap(\.points) {
          points.withUnsafeBufferPointer { points in
            for point in points where point.plannedAt >= start && point.plannedAt < end {
              sweep.add(point, buffer, states)
            }
          }
        }
      }
      count = sweep.count
    }
    for state in NotificationState.allCases { statistics.counts[state] = states[state.rawValue] }
    (statistics.counts.sent, statistics.counts.acceptedByProvider) = (sweep.sent, sweep.accepted)
    (statistics.counts.displayExpected, statistics.counts.displayed, statistics.counts.displayAwaited) = (
      sweep.displayExpected, sweep.displayed, sweep.displayAwaited
    )
    statistics.withinError = sweep.withinError
    (statistics.smallest, statistics.largest) = (sweep.smallest, sweep.largest)
    statistics.firstPending = sweep.firstPending
    return (statistics, values)
  }

  mutating func add(_ other: PointStatistics) {
    counts = counts + other.counts
    withinError += other.withinError
    smallest = min(smallest, other.smallest)
    largest = max(largest, other.largest)
    firstPending = min(firstPending, other.firstPending)
  }

  /// One pass over the points.
  private struct Sweep {
    let metric: Metric
    var count = 0
    var sent = 0
    var accepted = 0
    /// Counted for the time until shown only, as the next two.
    var displayExpected = 0
    var displayed = 0
    var displayAwaited = 0
    var withinError = 0
    var smallest = Int64.max
    var largest = Int64.min
    var firstPending = Int64.max

    @inline(__always)
    mutating func add(
      _ point: SamplePoint, _ buffer: UnsafeMutableBufferPointer<Int64>,
      _ states: UnsafeMutableBufferPointer<Int>
    ) {
      // `states` has an element for each raw value.
      states[point.state.rawValue] &+= 1
      if point.isSent { sent &+= 1 }
      if point.rawValue(of: .accept) != SamplePoint.absent { accepted &+= 1 }
      if metric == .shown, let display = point.display {
        displayExpected &+= 1
        if display == .shown { displayed &+= 1 }
        if display == .awaited { displayAwaited &+= 1 }
      }
      let raw = point.rawValue(of: metric)
      if raw != SamplePoint.absent {
        // A clock correction may make a latency negative.
        let value = max(0, raw)
        buffer[count] = value
        count += 1
        if metric == .delivery, point.isInexactDelivery, point.isWithinError { withinError += 1 }
        smallest = min(smallest, value)
        largest = max(largest, value)
      } else if point.state == .inFlight {
        firstPending = min(firstPending, point.plannedMonotonic)
      }
    }
  }
}

extension Metric {
  /// What is timed, and from when, for the title of the plot.
  var title: String {
    switch self {
    case .delivery: "delivery latency, from planned send"
    case .shown: "time until shown, from planned send"
    case .accept: "accept latency, from planned send"
    case .service: "service time, from the actual send"
    case .path: "path, round trip of PING"
    }
  }

  var shortTitle: String {
    switch self {
    case .delivery: "delivery latency"
    case .shown: "time until shown"
    case .accept: "accept latency"
    case .service: "service time"
    case .path: "path (PING)"
    }
  }

  /// The order in which a key goes through them.
  /// - Parameter hasShown: whether a device reports when it shows notifications.
  func next(hasShown: Bool) -> Metric {
    switch self {
    case .delivery: hasShown ? .shown : .accept
    case .shown: .accept
    case .accept: .service
    case .service: .path
    case .path: .delivery
    }
  }
}
