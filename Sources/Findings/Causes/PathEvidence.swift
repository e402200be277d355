import Measurement

/// What the round trips of PING to each provider show in an episode, beside its baseline.
struct PathEvidence {
  private struct Path {
    var before = 0
    var now = 0
    /// `nil` with too few round trips.
    var change: LatencyChange?
  }

  private let paths: [String: Path]

  /// The fewest round trips before the episode and in it that say whether the path changed.
  let fewest: (before: Int, now: Int)

  init(_ episode: Episode, at quantiles: TestedQuantiles = .usual) {
    let tail = TestedQuantiles.fewestOfTail
    let fewest = quantiles.isTail ? (before: tail, now: tail) : (before: 20, now: 4)
    self.fewest = fewest
    paths = episode.pings.mapValues { pings in
      func part(_ range: Range<WallTime>) -> [(time: Double, value: Double)] {
        pings.filter { range.contains($0.plannedAt) }.map {
          (Double($0.plannedAt.microseconds) / 1e6, Double($0.latency))
        }
      }
      let (before, now) = (part(episode.baseline), part(episode.window))
      return Path(
        before: before.count, now: now.count,
        change: before.count >= fewest.before && now.count >= fewest.now
          ? EpisodeStatistics.change(before: before, now: now, at: quantiles) : nil)
    }
  }

  /// `nil` where there are too few round trips.
  subscript(_ provider: String) -> LatencyChange? { paths[provider]?.change }

  /// What there is where it is too little: `9 round trips of PING with fcm before and 3 in it, which takes 20 and 4`, `no PING
  /// with fcm`; `nil` where it is enough.
  func lack(of provider: String) -> String? {
    let path = paths[provider] ?? Path()
    guard path.change == nil else { return nil }
    guard path.before + path.now > 0 else { return "no PING was answered by \(provider)" }
    return """
      \(CountText.text(path.before, "round trip")) of PING with \(provider) before it and \(path.now) in it, of the \(fewest.before) and \
      \(fewest.now) that it takes
      """
  }

  /// What to have more of for a verdict; `nil` where there are round trips enough with all of some providers.
  func demand(of providers: [String]) -> String? {
    let lacking = providers.filter { self[$0] == nil }
    guard !lacking.isEmpty else { return nil }
    let whom = lacking.count > 2 ? "these providers" : ListText.and(lacking)
    let isNew = lacking.allSatisfy { (paths[$0]?.before ?? 0) + (paths[$0]?.now ?? 0) == 0 }
    return isNew
      ? "round trips to \(whom) measured by the path probe, which needs HTTP/2"
      : "more round trips to \(whom) measured by the path probe, as a shorter path_probe makes, or a longer episode"
  }
}
