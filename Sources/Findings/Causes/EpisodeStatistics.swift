import Glibc
import Measurement

/// How much a latency rose from baseline to episode.
struct LatencyChange: Sendable, Hashable {
  /// The largest over the quantiles that were tested, with dependence allowed for; 0 with too few values.
  var z = 0.0
  /// The quantile whose `z` is the largest.
  var quantile = 0.5
  /// The value at that quantile, µs: in the baseline and in the episode.
  var before = 0.0
  var after = 0.0
  /// The values at the quantile that the finding is about, µs.
  var statedBefore = 0.0
  var statedAfter = 0.0
  /// Values of the episode; 0 where there were too few on a side.
  var count = 0

  var difference: Double { after - before }

  /// Whether nothing of it rose: neither at a tested quantile nor, by a tenth and 2 ms, at the finding's own.
  var isUnchanged: Bool { z < 2 && statedAfter <= statedBefore * 1.1 + 2_000 }
}

/// The quantiles at which an episode is compared with its baseline: p50 and p90, and p99 of a finding that is at p99 alone.
struct TestedQuantiles: Sendable, Hashable {
  let tested: [Double]
  /// The finding's own.
  let stated: Double

  static let usual = TestedQuantiles(nil)

  /// - Parameter subject: the finding's quantile; `nil` of a share.
  init(_ subject: Double?) {
    stated = subject ?? 0.5
    tested = stated > 0.9 ? [0.5, 0.9, stated] : [0.5, 0.9]
  }

  var isTail: Bool { stated > 0.9 }

  /// The fewest values on a side that say something of a quantile above p90.
  static let fewestOfTail = 300
}

/// Tests of an episode against its baseline.
enum EpisodeStatistics {
  /// The value at a quantile's rank.
  static func quantile(_ values: [Double], _ quantile: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let rank = Int((quantile * Double(values.count)).rounded(.up)) - 1
    return values.sorted()[min(values.count - 1, max(0, rank))]
  }

  /// A rise of p50 or p90, or of a finding's p99, by 10 % and 2 ms or more. The design effect is that of stretches of the baseline as long as the
  /// episode, half and a quarter of it.
  static func change(
    before: [(time: Double, value: Double)], now: [(time: Double, value: Double)],
    at quantiles: TestedQuantiles = .usual
  ) -> LatencyChange {
    var best = LatencyChange()
    guard now.count >= 4, before.count >= 20, let first = before.first?.time, let last = before.last?.time,
      let start = now.first?.time, let end = now.last?.time
    else { return best }
    let length = max(end - start + 1, min(60, (last - first) / 12))
    let old = before.map(\.value).sorted()
    let new = now.map(\.value).sorted()
    func at(_ sorted: [Double], _ quantile: Double) -> Double {
      sorted[min(sorted.count - 1, max(0, Int((quantile * Double(sorted.count)).rounded(.up)) - 1))]
    }
    best.count = now.count
    best.statedBefore = at(old, quantiles.stated)
    best.statedAfter = at(new, quantiles.stated)
    (best.before, best.after) = (at(old, 0.5), at(new, 0.5))
    for p in quantiles.tested {
      if p > 0.9, min(before.count, now.count) < TestedQuantiles.fewestOfTail { continue }
      let level = at(old, p)
      let above = before.map { $0.value > level }
      let kB = Double(above.count { $0 })
      let share = kB / Double(before.count)
      var effect = 1.0
      for width in [length, length / 2, length / 4] {
        let stretches = Int((last - first) / width)
        guard stretches >= 5 else { continue }
        var counts = [Double](repeating: 0, count: stretches)
        var exceeding = counts
        for (index, value) in before.enumerated() {
          let place = min(Int((value.time - first) / width), stretches - 1)
          counts[place] += 1
          if above[index] { exceeding[place] += 1 }
        }
        let squares = zip(exceeding, counts).reduce(0) { $0 + ($1.0 - $1.1 * share) * ($1.0 - $1.1 * share) }
        let mean = Double(before.count) / Double(stretches)
        effect = max(effect, squares / Double(stretches - 1) / max(mean * share * (1 - share), 1e-9))
      }
      let k = Double(now.count { $0.value > level * 1.1 + 2000 })
      let z = Likelihood.signedRoot(
        k / effect, Double(now.count) / effect, kB / effect, Double(before.count) / effect)
      if z > best.z {
        best.z = z
        best.quantile = p
        best.before = level
        best.after = at(new, p)
      }
    }
    return best
  }

  /// A rise of a share by a point or more; its design effect is at least 1.5.
  static func shareChange(events: Int, of count: Int, now: Int, of nowCount: Int) -> Double {
    let effect = 1.5
    let share = min(0.9, Double(events) / Double(max(1, count)) + 0.01)
    return Likelihood.signedRoot(
      Double(now) / effect, Double(nowCount) / effect, share * Double(count) / effect, Double(count) / effect)
  }

  /// The share of notifications that came in bunches: three or more within `gap` seconds of one another though planned
  /// over more than twice that.
  static func bunches(_ deliveries: [(planned: Double, received: Double)], interval: Double) -> Double {
    guard deliveries.count >= 6 else { return 0 }
    let gap = min(1, interval / 4)
    let sorted = deliveries.sorted { $0.received < $1.received }
    var bunched = 0
    var group: [(planned: Double, received: Double)] = []
    func size() -> Int {
      guard group.count >= 3, let least = group.map(\.planned).min(), let most = group.map(\.planned).max(),
        most - least > 2 * gap
      else { return 0 }
      return group.count
    }
    for delivery in sorted {
      if let last = group.last, delivery.received - last.received > gap {
        bunched += size()
        group = []
      }
      group.append(delivery)
    }
    return Double(bunched + size()) / Double(deliveries.count)
  }
}
