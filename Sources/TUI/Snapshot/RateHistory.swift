import Measurement
import Store

/// Notifications sent in each of the last seconds.
struct RateHistory: Sendable, Equatable {
  /// Oldest first, without the current second.
  private(set) var perSecond = Array(repeating: 0, count: Self.seconds)

  static let seconds = 30

  /// - Parameter edge: of the run, which lies in the current second.
  init(of track: PointTrack, until edge: WallTime) {
    func index(secondsAgo count: Int, from first: Int) -> Int {
      track.firstIndex(notBefore: WallTime(seconds: edge.seconds - Int64(count)), from: first)
    }
    var first = index(secondsAgo: Self.seconds, from: 0)
    for place in perSecond.indices {
      let last = index(secondsAgo: Self.seconds - place - 1, from: first)
      track.forEachRun(in: first..<last) { run in
        perSecond[place] += run.reduce(0) { $0 &+ ($1.isSent ? 1 : 0) }
      }
      first = last
    }
  }

  /// Those of some targets together.
  init(snapshot: Snapshot, targets: [Int]) {
    for target in targets where snapshot.rates.indices.contains(target) {
      for (place, count) in snapshot.rates[target].perSecond.enumerated() { perSecond[place] += count }
    }
  }

  /// Notifications per second over the last `seconds`.
  func average(seconds: Int) -> Double {
    let last = perSecond.suffix(seconds)
    return last.isEmpty ? 0 : Double(last.reduce(0, +)) / Double(last.count)
  }
}
