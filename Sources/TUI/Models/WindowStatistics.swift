import Measurement
import Store

/// Counts and values of the notifications planned in one window.
struct WindowStatistics: Sendable {
  let counts: StateCounts
  let metric: Metric
  /// µs, in no particular order.
  private(set) var values: [Int64]
  /// Values that are only known as sums, ascending.
  private(set) var sums: ContiguousArray<DensityBucket>
  /// Number of delivery latencies that are no larger than their error bound.
  let withinError: Int
  /// Only the newest of the window's notifications were read: there are too many.
  let isTruncated: Bool
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
    let density = snapshot.density?.sums(of: targets, metric: metric, from: window.start, to: window.end)
    sums = density?.buckets ?? []
    var counts = density?.counts ?? StateCounts()
    for state in NotificationState.allCases { counts[state] += states[state.rawValue] }
    counts.sent += sweep.sent
    counts.acceptedByProvider += sweep.accepted
    self.counts = counts
    self.metric = metric
    withinError = sweep.withinError
    isTruncated = snapshot.lacksOldest(of: targets, from: window.start)
    let hasAges = sweep.oldest > 0
    let least = [sweep.count > 0 ? sweep.smallest : hasAges ? 1_000 : nil, sums.first?.lower]
    smallest = least.compactMap { $0 }.min()
    let most = [sweep.count > 0 || hasAges ? max(sweep.largest, sweep.oldest) : nil, sums.last?.upper]
    largest = most.compactMap { $0 }.max()
  }

  /// The same with round trips of PINGs in place of the values, because one PING is that of many notifications.
  /// - Parameter pings: none where the store has none.
  func counting(_ pings: [Int64]) -> WindowStatistics {
    guard metric == .path, !pings.isEmpty else { return self }
    var facts = self
    (facts.values, facts.sums) = (pings, [])
    return facts
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
        if metric == .delivery, point.isInexactDelivery, point.isWithinError { withinError += 1 }
        smallest = min(smallest, value)
        largest = max(largest, value)
      } else if let now, point.state == .inFlight {
        oldest = max(oldest, now - point.plannedMonotonic)
      }
    }
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
