import Measurement

/// What one target shows in an episode, beside its baseline: how its latencies and shares changed, as z values.
struct TargetEvidence {
  let target: EpisodeTarget
  private(set) var failed = 0.0
  private(set) var refused = 0.0
  private(set) var refusals = Refusals()
  private(set) var failures: [FailureReason: Int] = [:]
  private(set) var lost = 0.0
  private(set) var lossShares = (before: 0.0, now: 0.0)
  private(set) var failureShares = (before: 0.0, now: 0.0)
  private(set) var unseen = 0.0
  private(set) var unseenShares = (before: 0.0, now: 0.0)
  private(set) var fresh = 0.0
  private(set) var heldBack = 0.0
  private(set) var heldShares = (before: 0.0, now: 0.0)
  private(set) var lag = LatencyChange()
  private(set) var service = LatencyChange()
  /// The change of the lag over open connections only.
  private(set) var openLag = LatencyChange()
  private(set) var openService = LatencyChange()
  private(set) var transit = LatencyChange()
  /// The change of the time from received to shown.
  private(set) var display = LatencyChange()
  /// The change of the provider's answer, lag included.
  private(set) var accept = LatencyChange()
  /// Whether most of what counts as lost came, but too late.
  private(set) var isMostlyLate = false
  /// Whether receipts come before the answer, so that ``transit`` is sent → received and contains the path.
  private(set) var isEarly = false
  private(set) var bunches = (before: 0.0, now: 0.0)
  /// The share that the device received while it dozed, of those of which it said whether it did.
  private(set) var idle = (before: 0.0, now: 0.0)
  /// The legs of the latency that the finding is about, else of delivery.
  private(set) var contributions: LegContributions?

  /// Whether a leg carries a quarter of the rise, or there is no rise to speak of. A queue of ours behind slow answers
  /// counts for them.
  func carries(_ leg: Leg) -> Bool {
    guard let contributions, contributions.rise >= 0.05 else { return true }
    let queue = leg == .service && openLag.z >= 4 ? contributions.share(.lag) : 0
    return contributions.share(leg) + queue >= 0.25
  }

  /// Whether the rise of ``transit`` is that of the service time, which it shares the path with.
  var isTransitExplained: Bool {
    isEarly && openService.z >= 2 && transit.difference <= 1.5 * openService.difference
  }

  /// - Parameters:
  ///   - metric: what the finding is about; `nil` where there is none.
  ///   - quantile: the finding's.
  init(
    _ target: EpisodeTarget, _ episode: Episode, of metric: SeriesMetric? = nil, at quantile: Double? = nil
  ) {
    let quantiles = TestedQuantiles(quantile)
    self.target = target
    let sides = EpisodeSides(target, episode)
    measureShares(sides)
    measureLatencies(sides, at: quantiles)
    bunches = (Self.bunches(sides.before), Self.bunches(sides.now))
    let own = metric.flatMap { metric in
      quantile.flatMap { LegContributions(target, episode, explaining: metric, $0) }
    }
    contributions = own ?? LegContributions(target, episode, isTail: quantiles.isTail)
  }

  private mutating func measureShares(_ sides: EpisodeSides) {
    let failures = sides.share { $0.state == .failed }
    failed = failures.z
    failureShares = (failures.before, failures.now)
    refused = sides.share(\.isRefused).z
    let held = sides.share(\.isHeldBack)
    heldBack = held.z
    heldShares = (held.before, held.now)
    fresh = sides.share(\.isFresh).z
    let losses = sides.share(\.isLost, among: { $0.isAccepted })
    lost = losses.z
    lossShares = (losses.before, losses.now)
    let notShown = sides.share(
      { $0.display != .shown }, among: { $0.display != nil && $0.display != .awaited })
    unseen = notShown.z
    unseenShares = (notShown.before, notShown.now)
    let dozing = sides.share({ $0.context?[.idle] == "true" }, among: { $0.context?[.idle] != nil })
    idle = (dozing.before, dozing.now)
    let now = sides.now
    isMostlyLate = now.count { $0.state == .late } * 2 > now.count { $0.isAccepted && $0.isLost }
    for sample in now where sample.isRefused { refusals.add(sample) }
    for sample in now where sample.state == .failed {
      if let reason = sample.reason.flatMap(FailureReason.init) { self.failures[reason, default: 0] += 1 }
    }
  }

  private mutating func measureLatencies(_ sides: EpisodeSides, at quantiles: TestedQuantiles) {
    func change(_ value: (EpisodeSample) -> Int64?) -> LatencyChange { sides.change(at: quantiles, value) }
    accept = change { sample in
      sample.isAccepted ? sample.lag.flatMap { lag in sample.service.map { lag + $0 } } : nil
    }
    lag = change { $0.isAccepted ? $0.lag : nil }
    service = change { $0.isAccepted ? $0.service : nil }
    openLag = change { $0.isAccepted && !$0.isFresh ? $0.lag : nil }
    openService = change { $0.isAccepted && !$0.isFresh ? $0.service : nil }
    display = change(\.displayTime)
    let comesEarly = Self.areEarly(target.samples)
    isEarly = comesEarly
    transit = change { sample in
      guard let delivery = sample.delivery, let lag = sample.lag else { return nil }
      return comesEarly ? delivery - lag : sample.service.map { delivery - lag - $0 }
    }
  }

  /// Whether more than one in twenty receipts comes before the answer.
  private static func areEarly(_ samples: [EpisodeSample]) -> Bool {
    let early = samples.count { sample in
      guard let delivery = sample.delivery, let lag = sample.lag, let service = sample.service else {
        return false
      }
      return delivery < lag + service
    }
    return early * 20 > samples.count { $0.delivery != nil }
  }

  /// The share of receipts that come in bunches.
  private static func bunches(_ samples: [EpisodeSample]) -> Double {
    let deliveries = samples.compactMap { sample -> (planned: Double, received: Double)? in
      sample.delivery.map {
        let planned = Double(sample.plannedAt.microseconds) / 1e6
        return (planned, planned + Double($0) / 1e6)
      }
    }
    guard let first = samples.first, let last = samples.last, samples.count > 1 else { return 0 }
    let length = Double(last.plannedAt.microseconds - first.plannedAt.microseconds) / 1e6
    return EpisodeStatistics.bunches(deliveries, interval: length / Double(samples.count - 1))
  }
}

/// A target's notifications in an episode and in its baseline.
private struct EpisodeSides {
  let now: [EpisodeSample]
  let before: [EpisodeSample]

  init(_ target: EpisodeTarget, _ episode: Episode) {
    now = target.samples.filter { episode.window.contains($0.plannedAt) }
    before = target.samples.filter { episode.baseline.contains($0.plannedAt) }
  }

  /// The change of a share, as a z value, and the share on both sides.
  func share(
    _ holds: (EpisodeSample) -> Bool, among: (EpisodeSample) -> Bool = { _ in true }
  ) -> (z: Double, before: Double, now: Double) {
    let all = (before.count(where: among), now.count(where: among))
    let events = (before.count { among($0) && holds($0) }, now.count { among($0) && holds($0) })
    return (
      EpisodeStatistics.shareChange(events: events.0, of: all.0, now: events.1, of: all.1),
      Double(events.0) / Double(max(1, all.0)), Double(events.1) / Double(max(1, all.1))
    )
  }

  /// The change of a latency, µs.
  func change(at quantiles: TestedQuantiles, _ value: (EpisodeSample) -> Int64?) -> LatencyChange {
    func values(_ samples: [EpisodeSample]) -> [(time: Double, value: Double)] {
      samples.compactMap { sample in
        value(sample).map { (Double(sample.plannedAt.microseconds) / 1e6, Double($0)) }
      }
    }
    return EpisodeStatistics.change(before: values(before), now: values(now), at: quantiles)
  }
}
