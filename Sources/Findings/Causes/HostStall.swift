import Measurement

/// Signs that this host stood still while notifications were due: those that waited left in the same moment, whatever their
/// provider.
///
/// A queue behind slow answers lets them go one by one, as the answers of their own provider come; only what all providers
/// share on this side holds all of them back, and lets all of them go at once. So a stall is told from a slow uplink even
/// where answers that came meanwhile were looked at late and service times rose with it.
struct HostStall: Sendable, Hashable {
  /// The share of the waiting notifications that left in such a bunch, at the provider where it is smallest.
  let share: Double
  /// How many notifications waited.
  let waiting: Int

  /// Whether it explains what waited.
  var isClear: Bool { share >= 0.5 }

  /// The longest time between two that leave together, µs.
  private static let gap: Int64 = 3_000

  /// A notification that waited: longer than its target's p90 of the baseline by a tenth and 2 ms.
  private struct Waiting {
    var planned: Int64
    var sent: Int64
    var provider: String
  }

  init(_ episode: Episode) {
    var waiting: [Waiting] = []
    for target in episode.targets {
      let usual = target.samples.compactMap { sample in
        episode.baseline.contains(sample.plannedAt) && !sample.isFresh ? sample.lag.map(Double.init) : nil
      }
      guard usual.count >= 20 else { continue }
      let longest = Int64(EpisodeStatistics.quantile(usual, 0.9) * 1.1) + 2_000
      for sample in target.samples where episode.window.contains(sample.plannedAt) && !sample.isFresh {
        guard let lag = sample.lag, lag > longest else { continue }
        let planned = sample.plannedAt.microseconds
        waiting.append(Waiting(planned: planned, sent: planned + lag, provider: target.provider))
      }
    }
    waiting.sort { ($0.sent, $0.planned) < ($1.sent, $1.planned) }
    var bunched: [String: Int] = [:]
    var begin = 0
    while begin < waiting.count {
      var end = begin + 1
      while end < waiting.count, waiting[end].sent - waiting[end - 1].sent <= Self.gap { end += 1 }
      for one in Self.bunch(waiting[begin..<end]) { bunched[one.provider, default: 0] += 1 }
      begin = end
    }
    self.waiting = waiting.count
    let counts = Dictionary(grouping: waiting, by: \.provider).mapValues(\.count)
    // A stall of this host holds all providers' notifications back.
    let providers = Set(episode.targets.map(\.provider))
    guard providers.count >= 2, providers.allSatisfy({ counts[$0] ?? 0 >= 3 }) else {
      share = 0
      return
    }
    share = counts.map { Double(bunched[$0.key] ?? 0) / Double($0.value) }.min() ?? 0
  }

  /// All of those that left one after the other, if they are three or more of several providers and were planned over a
  /// longer time than they took to leave; otherwise none.
  private static func bunch(_ together: ArraySlice<Waiting>) -> ArraySlice<Waiting> {
    guard let first = together.first, let last = together.last, together.count >= 3,
      Set(together.map(\.provider)).count >= 2, let earliest = together.map(\.planned).min(),
      let latest = together.map(\.planned).max(), latest - earliest >= 4 * max(last.sent - first.sent, 1_000)
    else { return [] }
    return together
  }
}
