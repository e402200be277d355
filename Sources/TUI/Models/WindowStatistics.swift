import Measurement
import Store

/// Counts and values of the notifications planned in one window.
struct WindowStatistics: Sendable {
  let counts: StateCounts
  let metric: Metric
  /// µs, in no particular order.
  let values: [Int64]
  /// Lower and upper bounds of each value, where not all are exact; in the order of ``values``.
  private let ends: (lows: [Int64], highs: [Int64])?
  /// Values that are only known as sums, ascending.
  let sums: ContiguousArray<DensityBucket>
  /// Number of delivery latencies that are no larger than their error bound.
  let withinError: Int
  let smallest: Int64?
  /// Includes the ages of pending ones, because they are drawn.
  let largest: Int64?

  /// Reads all displayed tracks within the window.
  init(snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric, includesPending: Bool) {
    let stretches = targets.filter(snapshot.tracks.indices.contains).map { target in
      (
        track: snapshot.tracks[target],
        range: snapshot.tracks[target].range(from: window.start, to: window.end)
      )
    }
    var sweep = Sweep(metric: metric, now: includesPending ? snapshot.monotonicNow : nil)
    var states = Array(repeating: 0, count: NotificationState.allCases.count)
    // Upper limit of the number of values.
    values = Array(unsafeUninitializedCapacity: stretches.reduce(0) { $0 + $1.range.count }) {
      buffer, count in
      states.withUnsafeMutableBufferPointer { states in
        for stretch in stretches {
          stretch.track.forEachRun(in: stretch.range) { run in
            for point in run { sweep.take(point, buffer, states) }
          }
        }
      }
      count = sweep.count
    }
    ends =
      sweep.hasInexact
      ? Self.ends(of: stretches.map { ($0.track, $0.range) }, count: values.count) : nil
    let density = snapshot.density?.sums(of: targets, metric: metric, from: window.start, to: window.end)
    sums = density?.buckets ?? []
    var counts = density?.counts ?? StateCounts()
    for state in NotificationState.allCases { counts[state] += states[state.rawValue] }
    counts.sent += sweep.sent
    counts.acceptedByProvider += sweep.accepted
    self.counts = counts
    self.metric = metric
    withinError = sweep.withinError
    let hasAges = sweep.oldest > 0
    let least = [sweep.count > 0 ? sweep.smallest : hasAges ? 1_000 : nil, sums.first?.lower]
    smallest = least.compactMap { $0 }.min()
    let most = [sweep.count > 0 || hasAges ? max(sweep.largest, sweep.oldest) : nil, sums.last?.upper]
    largest = most.compactMap { $0 }.max()
  }

  /// The values with their bounds.
  var ranged: RangedLatencies<[Int64]> {
    guard let ends else { return RangedLatencies(values) }
    return RangedLatencies(values, lows: ends.lows, highs: ends.highs)
  }

  private static func ends(
    of stretches: [(track: PointTrack, range: Range<Int>)], count: Int
  ) -> (lows: [Int64], highs: [Int64]) {
    var ends: (lows: [Int64], highs: [Int64]) = ([], [])
    ends.lows.reserveCapacity(count)
    ends.highs.reserveCapacity(count)
    for stretch in stretches {
      stretch.track.forEachRun(in: stretch.range) { run in
        for point in run {
          guard let range = point.deliveryRange else { continue }
          ends.lows.append(range.low)
          ends.highs.append(range.high)
        }
      }
    }
    return ends
  }

  var isEmpty: Bool { counts.planned == 0 }

  /// Number of values.
  var valueCount: Int { values.count + sums.reduce(0) { $0 + Int($1.count) } }

  /// One pass over the points.
  private struct Sweep {
    let metric: Metric
    /// Monotonic time that ages count up to, µs.
    let now: Int64?
    var count = 0
    var sent = 0
    var accepted = 0
    var withinError = 0
    var hasInexact = false
    var smallest = Int64.max
    var largest = Int64.min
    var oldest = Int64.min

    @inline(__always)
    mutating func take(
      _ point: SamplePoint, _ buffer: UnsafeMutableBufferPointer<Int64>,
      _ states: UnsafeMutableBufferPointer<Int>
    ) {
      // `states` has an element for each raw value.
      states[point.state.rawValue] &+= 1
      if point.isSent { sent &+= 1 }
      if point.rawValue(of: .accept) != SamplePoint.absent { accepted &+= 1 }
      let raw = point.rawValue(of: metric)
      if raw != SamplePoint.absent {
        // A clock correction may make a latency negative.
        let value = max(0, raw)
        buffer[count] = value
        count += 1
        if metric == .delivery, point.isInexactDelivery {
          hasInexact = true
          if point.isWithinError { withinError += 1 }
        }
        smallest = min(smallest, value)
        largest = max(largest, value)
      } else if let now, point.state == .inFlight {
        oldest = max(oldest, now - point.plannedMonotonic)
      }
    }
  }
}

/// The quantiles of one metric in one window.
struct WindowSummary: Sendable, Equatable {
  let metric: Metric
  let count: Int
  /// The source of the figures where not all values are in memory.
  let histogram: RangedLatencies<LatencyHistogram>?
  private let estimates: [Quantile: QuantileEstimate]

  /// The quantiles of panels and titles.
  static let quantiles: [Quantile] = [.p50, .p90, .p99, .p999]

  /// - Parameter values: µs, in any order.
  init(metric: Metric, values: [Int64]) { self.init(metric: metric, ranged: RangedLatencies(values)) }

  /// - Parameter ranged: values in any order, with their bounds; µs.
  init(metric: Metric, ranged: RangedLatencies<[Int64]>) {
    self.metric = metric
    count = ranged.values.count
    histogram = nil
    // All values are in memory, so the figures are exact.
    let exact = ranged.map { ExactQuantiles(RadixSort.sorted($0)) }
    var estimates: [Quantile: QuantileEstimate] = [:]
    for quantile in Self.quantiles { estimates[quantile] = exact.estimate { $0.estimate(quantile) } }
    self.estimates = estimates
  }

  /// Quantiles of a window of which a part may only be known as sums.
  init(_ facts: WindowStatistics, _ snapshot: Snapshot, window: TimeWindow, targets: [Int]) {
    guard !facts.sums.isEmpty else {
      self.init(metric: facts.metric, ranged: facts.ranged)
      return
    }
    // For a window that was not read, as in a replay, from the buckets of the plot.
    var histogram =
      snapshot.density?.histogram(of: facts.metric, targets: targets, in: window)
      ?? snapshot.density?.coarseHistogram(
        of: facts.metric, targets: targets, from: window.start, to: window.end)
      ?? RangedLatencies()
    histogram.combine(facts.ranged) { sum, values in for value in values { sum.record(value) } }
    self.init(metric: facts.metric, histogram: histogram)
  }

  private init(metric: Metric, histogram: RangedLatencies<LatencyHistogram>) {
    self.metric = metric
    self.histogram = histogram
    count = histogram.count
    estimates = Dictionary(uniqueKeysWithValues: Self.quantiles.map { ($0, histogram.estimate($0)) })
  }

  subscript(quantile: Quantile) -> QuantileEstimate {
    estimates[quantile] ?? .tooFew(needs: quantile.smallestCount)
  }
}

extension QuantileEstimate {
  /// `812 ms`, or `n too small (needs 368)`: never a number from too few notifications.
  var text: String {
    switch self {
    case .known(let value, _, _): LatencyText.text(value)
    case .tooFew(let needs): "n too small (needs \(FixedPoint.grouped(needs)))"
    }
  }

  /// `812 ms`, or `needs 368` where `n` is shown nearby.
  var shortText: String {
    switch self {
    case .known: text
    case .tooFew(let needs): "needs \(FixedPoint.grouped(needs))"
    }
  }

  /// `[780, 840] ms`: the 95 % interval.
  var interval: String? {
    guard case .known(_, let low, let high) = self else { return nil }
    return LatencyText.interval(low, high)
  }

  /// µs.
  var value: Int64? {
    guard case .known(let value, _, _) = self else { return nil }
    return value
  }
}

extension Metric {
  /// What is timed, and from when, for the title of the plot.
  var title: String {
    switch self {
    case .delivery: "delivery latency, from planned send"
    case .accept: "accept latency, from planned send"
    case .service: "service time, from the actual send"
    case .path: "path, round trip of PING"
    }
  }

  var shortTitle: String {
    switch self {
    case .delivery: "delivery latency"
    case .accept: "accept latency"
    case .service: "service time"
    case .path: "path (PING)"
    }
  }

  /// The order in which a key goes through them.
  var next: Metric {
    switch self {
    case .delivery: .accept
    case .accept: .service
    case .service: .path
    case .path: .delivery
    }
  }
}

/// Sorts latencies several times faster than by comparison, because it is done between two frames.
enum RadixSort {
  /// Ascending. Radix sort by 11 bits, least significant digit first.
  /// - Parameter values: none negative.
  static func sorted(_ values: [Int64]) -> [Int64] {
    guard values.count > 64, let largest = values.max(), values.allSatisfy({ $0 >= 0 }) else {
      return values.sorted()
    }
    var source = values
    var target = values
    var shift = 0
    while shift < 64 - largest.leadingZeroBitCount {
      pass(source, into: &target, shift: shift)
      swap(&source, &target)
      shift += bits
    }
    return source
  }

  private static let bits = 11

  private static func pass(_ source: [Int64], into target: inout [Int64], shift: Int) {
    let mask = 1 << bits - 1
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << bits) { places in
      places.initialize(repeating: 0)
      source.withUnsafeBufferPointer { source in
        target.withUnsafeMutableBufferPointer { target in
          for value in source { places[Int(truncatingIfNeeded: value >> Int64(shift)) & mask] += 1 }
          var next = 0
          for digit in 0...mask {
            let count = places[digit]
            places[digit] = next
            next += count
          }
          for value in source {
            let digit = Int(truncatingIfNeeded: value >> Int64(shift)) & mask
            target[places[digit]] = value
            places[digit] += 1
          }
        }
      }
    }
  }
}
