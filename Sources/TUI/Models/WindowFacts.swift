import Measurement

/// What the notifications planned in one window have in common: counts and the values to take quantiles of.
struct WindowFacts: Sendable {
  let counts: Tally
  let metric: Metric
  /// µs, in no particular order.
  let values: [Int64]
  let smallest: Int64?
  /// The age of pending ones included: where they are drawn has to be on the axis.
  let largest: Int64?

  /// Reads all shown tracks between the window's ends.
  init(snapshot: Snapshot, window: TimeWindow, targets: [Int], metric: Metric, includesPending: Bool) {
    var counts = Tally()
    var values: [Int64] = []
    var smallest = Int64.max
    var largest = Int64.min
    var ages = Int64.min
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      let range = track.range(from: window.start, to: window.end)
      values.reserveCapacity(values.count + range.count)
      track.forEachRun(in: range) { run in
        for point in run {
          counts[point.state] += 1
          let raw = point.rawValue(of: metric)
          if raw != PlotPoint.absent {
            // A corrected latency may come out below nothing.
            let value = max(0, raw)
            values.append(value)
            smallest = min(smallest, value)
            largest = max(largest, value)
          } else if includesPending, point.state == .inFlight, let now = snapshot.monotonicNow {
            ages = max(ages, now - point.plannedMonotonic)
          }
        }
      }
    }
    self.counts = counts
    self.metric = metric
    self.values = values
    self.smallest = values.isEmpty ? (ages > 0 ? 1_000 : nil) : smallest
    self.largest = max(largest, ages) >= 0 ? max(largest, ages) : nil
  }

  var isEmpty: Bool { counts.total == 0 }
}
