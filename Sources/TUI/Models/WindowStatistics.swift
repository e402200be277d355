import Measurement

/// What the notifications planned in one window have in common: counts and the values to take quantiles of.
struct WindowStatistics: Sendable {
  let counts: Tally
  let metric: Metric
  /// µs, in no particular order.
  let values: [Int64]
  /// Of each value the shortest and the longest that it can really have been, where not all are exact; in the order of
  /// ``values``.
  private let ends: (lows: [Int64], highs: [Int64])?
  /// Those that are only known as sums, ascending.
  let sums: ContiguousArray<DensityBucket>
  /// How many of the delivery latencies are no larger than the bound of their own error.
  let withinError: Int
  let smallest: Int64?
  /// The age of pending ones included: where they are drawn has to be on the axis.
  let largest: Int64?

  /// Reads all shown tracks between the window's ends.
  init(snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric, includesPending: Bool) {
    let stretches = targets.filter(snapshot.tracks.indices.contains).map { target in
      (
        track: snapshot.tracks[target],
        range: snapshot.tracks[target].range(from: window.start, to: window.end)
      )
    }
    var sweep = Sweep(metric: metric, now: includesPending ? snapshot.monotonicNow : nil)
    var counts = Array(repeating: Int32(0), count: Tally.places)
    // As many as there can be; what has no value leaves its place to the next.
    values = Array(unsafeUninitializedCapacity: stretches.reduce(0) { $0 + $1.range.count }) {
      buffer, count in
      counts.withUnsafeMutableBufferPointer { counts in
        for stretch in stretches {
          stretch.track.forEachRun(in: stretch.range) { run in
            for point in run { sweep.take(point, buffer, counts) }
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
    self.counts = Tally(counts) + (density?.counts ?? Tally())
    self.metric = metric
    withinError = sweep.withinError
    let hasAges = sweep.oldest > 0
    let least = [sweep.count > 0 ? sweep.smallest : hasAges ? 1_000 : nil, sums.first?.lower]
    smallest = least.compactMap { $0 }.min()
    let most = [sweep.count > 0 || hasAges ? max(sweep.largest, sweep.oldest) : nil, sums.last?.upper]
    largest = most.compactMap { $0 }.max()
  }

  /// The values with the ranges of what is not exact.
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

  var isEmpty: Bool { counts.total == 0 }

  /// How many have a value.
  var valueCount: Int { values.count + sums.reduce(0) { $0 + Int($1.count) } }

  /// One pass over the points.
  private struct Sweep {
    let metric: Metric
    /// What ages are counted from.
    let now: Int64?
    var count = 0
    var withinError = 0
    var hasInexact = false
    var smallest = Int64.max
    var largest = Int64.min
    var oldest = Int64.min

    init(metric: Metric, now: Int64?) {
      self.metric = metric
      self.now = now
    }

    @inline(__always)
    mutating func take(
      _ point: PlotPoint, _ buffer: UnsafeMutableBufferPointer<Int64>,
      _ counts: UnsafeMutableBufferPointer<Int32>
    ) {
      // There is a place for each raw value.
      counts[point.state.rawValue] &+= 1
      if point.isSent { counts[Tally.sentPlace] &+= 1 }
      if point.rawValue(of: .accept) != PlotPoint.absent { counts[Tally.acceptedPlace] &+= 1 }
      let raw = point.rawValue(of: metric)
      if raw != PlotPoint.absent {
        // A corrected latency may come out below nothing.
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
