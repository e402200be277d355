import Measurement

/// How many notifications went out in each of the last seconds.
struct RateHistory: Sendable, Equatable {
  /// Oldest first; the second that is still running is left out.
  let perSecond: [Int]

  static let seconds = 30

  init(snapshot: Snapshot, targets: [Int]) {
    let end = snapshot.edge.microseconds.flooringQuotient(1_000_000) * 1_000_000
    let start = end - Int64(Self.seconds) * 1_000_000
    var counts = Array(repeating: 0, count: Self.seconds)
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      let range = track.range(from: WallTime(microseconds: start), to: WallTime(microseconds: end))
      track.forEachRun(in: range) { run in
        for point in run where point.isSent {
          let index = Int((point.plannedAt - start) / 1_000_000)
          if counts.indices.contains(index) { counts[index] += 1 }
        }
      }
    }
    perSecond = counts
  }

  /// Notifications a second over the last `seconds`.
  func average(seconds: Int) -> Double {
    let last = perSecond.suffix(seconds)
    return last.isEmpty ? 0 : Double(last.reduce(0, +)) / Double(last.count)
  }
}
