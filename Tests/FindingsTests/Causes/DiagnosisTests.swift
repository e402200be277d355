import FindingsTestKit
import Glibc
import Measurement
import Testing

@testable import Findings

@Suite struct DiagnosisTests {
  /// With less of a baseline than the benchmark's, which tries all causes.
  @Test(arguments: [
    CauseScenario.hostStall, .path, .queueBehindProvider, .providerLoss, .deviceAsleep, .connecting,
    .receipts,
    .uplinkFailures, .singleDevice, .nothing, .stopsShowing, .showsLate, .losesPermission,
  ])
  func namesTheScriptedCause(scenario: CauseScenario) throws {
    let instance = scenario.make(seed: 2, baseline: 1800)
    let verdicts = Diagnosis(instance.episode).verdicts
    let words = verdicts.map { "\($0.cause.rawValue) \($0.scope ?? ""): \($0.evidence)" }
    #expect(scenario.isRight(verdicts, instance) == true, "\(words)")
    for verdict in verdicts {
      #expect(!verdict.evidence.isEmpty && !verdict.targets.isEmpty)
      #expect(verdict.cause.isDecided == (verdict.wouldDecide == nil))
    }
  }

  @Test func saysTheEvidenceInWordsAndNumbers() throws {
    let instance = CauseScenario.providerDelivery.make(seed: 2, baseline: 2400)
    let verdict = try #require(Diagnosis(instance.episode).verdicts.first)
    #expect(verdict.evidence.hasPrefix("between provider and device: accept unchanged ("))
    #expect(verdict.evidence.hasSuffix("2 of 2 devices of \(instance.provider)"))
    #expect(verdict.evidence.contains(" → "))
    #expect(verdict.targets.allSatisfy { $0.hasPrefix(instance.provider) })
  }

  /// One device proves no provider, but one that is well with other providers narrows it down.
  @Test func aDeviceThatOtherProvidersReachIsEvidence() throws {
    let instance = CauseScenario.providerDelivery.make(seed: 2, baseline: 2400)
    func first(_ isKept: (EpisodeTarget) -> Bool) throws -> Verdict {
      var episode = instance.episode
      episode.targets.removeAll { !isKept($0) }
      return try #require(Diagnosis(episode).verdicts.first)
    }
    let slow = try #require(instance.episode.targets.first { $0.provider == instance.provider })
    let alone = try first { $0.name == slow.name || $0.device != slow.device && $0.provider != slow.provider }
    #expect(alone.cause == .undecided(.deliveryOrDevice))
    #expect(alone.facts?.isDeviceWellElsewhere == nil)
    #expect(alone.wouldDecide == "a second device of the provider or a second provider on the device")
    let shared = try first { $0.device == slow.device }
    #expect(shared.cause == .undecided(.deliveryOrDevice))
    #expect(shared.facts?.isDeviceWellElsewhere == true)
    #expect(shared.wouldDecide == "a second device of the provider")
  }

  /// A finding's first cause is the one that speaks of what has changed.
  @Test func whatCarriesTheRiseComesFirst() throws {
    let slow = CauseScenario.deviceSlow.make(seed: 3, baseline: 2400)
    var episode = slow.episode
    // The same device's notifications of one provider are also refused now and then.
    for target in episode.targets.indices where episode.targets[target].provider == "apns" {
      for index in episode.targets[target].samples.indices where index % 4 == 0 {
        guard episode.window.contains(episode.targets[target].samples[index].plannedAt) else { continue }
        episode.targets[target].samples[index].state = .rejected
        episode.targets[target].samples[index].status = 429
        episode.targets[target].samples[index].delivery = nil
      }
    }
    let mine = try #require(episode.targets.first { $0.device == slow.device })
    let delivery = Diagnosis(episode, of: .init(.delivery, of: mine.name)).verdicts
    #expect(delivery.map(\.cause) == [.device, .throttled])
    let refused = Diagnosis(episode, of: .init(.refused, of: "apns-I1")).verdicts
    #expect(refused.map(\.cause) == [.throttled, .device])
  }

  /// Some were not sent at all while the others went as usual: lag and service do not show it.
  @Test func saysWhatWasMissedWhileSendingWaited() throws {
    let held = CauseScenario.heldBack.make(seed: 2, baseline: 2400)
    let verdict = try #require(Diagnosis(held.episode).verdicts.first)
    #expect(verdict.cause == .host)
    #expect(verdict.evidence.hasPrefix("missed because sending was late 0 % → "), "\(verdict.evidence)")
    #expect(verdict.evidence.contains("schedule lag p") && verdict.evidence.contains("service p50"))
  }

  /// A few refusals, and then our own pause: two numbers, which are never told as one.
  @Test func tellsRefusalsFromWhatWasNotSentBecauseOfThem() throws {
    let errors = CauseScenario.providerErrors.make(seed: 2, baseline: 2400)
    var episode = errors.episode
    var (refused, notSent) = (0, 0)
    for target in episode.targets.indices where episode.targets[target].provider == errors.provider {
      for index in episode.targets[target].samples.indices {
        var sample = episode.targets[target].samples[index]
        guard episode.window.contains(sample.plannedAt) else { continue }
        if refused < 3 {
          (sample.state, sample.status, sample.reason) = (.rejected, 503, "Unavailable")
          refused += 1
        } else {
          (sample.state, sample.status, sample.reason) = (.missed, nil, MissedReason.backoff.rawValue)
          notSent += 1
        }
        episode.targets[target].samples[index] = sample
      }
    }
    let verdict = try #require(Diagnosis(episode).verdicts.first)
    #expect(verdict.cause == .providerErrors)
    #expect(
      verdict.evidence
        == "3 refused by \(errors.provider), all with a server error; \(notSent) not sent because of our back-off"
    )
    let counts = try #require(verdict.refusals)
    #expect(counts.map(\.target) == verdict.targets)
    #expect(counts.reduce(0) { $0 + $1.refused } == 3 && counts.reduce(0) { $0 + $1.notSent } == notSent)
  }

  @Test func saysHowManyRoundTripsThereAreAndHowManyItTakes() throws {
    let slow = CauseScenario.providerProcessing.make(seed: 2, baseline: 2400)
    var episode = slow.episode
    func undecided() throws -> Verdict {
      let verdict = try #require(Diagnosis(episode).verdicts.first)
      #expect(verdict.cause == .undecided(.pathOrProvider), "\(verdict)")
      return verdict
    }
    let all = episode.pings[slow.provider] ?? []
    let window = episode.window
    let few = Array(all.filter { window.contains($0.plannedAt) }.prefix(3))
    episode.pings[slow.provider] = all.filter { !window.contains($0.plannedAt) } + few
    let before = all.count { slow.episode.baseline.contains($0.plannedAt) }
    let lacking = try undecided()
    #expect(
      lacking.evidence.hasSuffix(
        "\(before) round trips of PING with \(slow.provider) before it and 3 in it, of the 20 and 4 that it takes"
      ),
      "\(lacking.evidence)")
    #expect(
      lacking.wouldDecide?.hasPrefix("more round trips to \(slow.provider) measured by the path probe")
        == true)
    episode.pings[slow.provider] = nil
    let none = try undecided()
    #expect(none.evidence.hasSuffix("no PING was answered by \(slow.provider)"))
    #expect(none.wouldDecide?.contains("path probe") == true)
  }

  // MARK: - A stall of this host

  /// Two providers with a device each, ten notifications a second, of which the last ten seconds are the episode.
  ///
  /// - Parameter change: gives lag and service, µs, for seconds since the episode began and a provider's number.
  private static func stalled(
    _ change: (Double, Int) -> (lag: Double, service: Double)
  ) -> Episode {
    let origin = WallTime(microseconds: 1_700_000_000_000_000)
    func at(_ seconds: Double) -> WallTime { origin.advanced(byMicroseconds: Int64(seconds * 1e6)) }
    let targets = [0, 1].map { (provider: Int) -> EpisodeTarget in
      var random = ProcessGenerator("stall", seed: provider)
      let samples = (0..<700).map { index -> EpisodeSample in
        let time = (Double(index) + random.unit()) / 10
        var (lag, service) = (300 * exp(0.3 * random.normal()), 8_000 * exp(0.3 * random.normal()))
        if time >= 60 {
          let more = change(time - 60, provider)
          lag += more.lag
          service += more.service
        }
        return EpisodeSample(
          plannedAt: at(time), state: .delivered, status: 200, lag: Int64(lag), service: Int64(service),
          delivery: Int64(lag + service + 40_000 * exp(0.3 * random.normal())))
      }
      return EpisodeTarget(
        name: "t\(provider)", provider: "p\(provider)", device: "d\(provider)", samples: samples)
    }
    let pings = Dictionary(
      uniqueKeysWithValues: [0, 1].map { provider in
        (
          "p\(provider)",
          (0..<700).map { index -> TimedLatency in
            let time = Double(index) / 10
            let more = time >= 60 ? change(time - 60, provider).service : 0
            return TimedLatency(plannedAt: at(time), latency: Int64(1_000 + more))
          }
        )
      })
    return Episode(window: at(60)..<at(70), baseline: at(0)..<at(60), targets: targets, pings: pings)
  }

  /// Stopped for 200 ms of each half second: what is due then leaves at once afterwards, and answers are read late.
  @Test func aStallIsNoSlowUplink() throws {
    let episode = Self.stalled { time, _ in
      let phase = time.truncatingRemainder(dividingBy: 0.5)
      return phase < 0.2 ? ((0.2 - phase) * 1e6, 60_000) : (0, phase > 0.45 ? 60_000 : 0)
    }
    #expect(HostStall(episode).isClear)
    let verdicts = Diagnosis(episode).verdicts
    #expect(verdicts.map(\.cause) == [.host], "\(verdicts)")
    #expect(verdicts.first?.evidence.contains("left in bunches") == true)
  }

  /// Slow answers of both providers with a queue behind each: they leave as answers come.
  @Test func aQueueBehindASlowUplinkIsNoStall() throws {
    let episode = Self.stalled { time, provider in
      (100_000 + 80_000 * abs(sin(7 * time + Double(provider))), 150_000 + 40_000 * sin(3 * time))
    }
    let stall = HostStall(episode)
    #expect(stall.waiting > 150 && !stall.isClear, "\(stall)")
    #expect(Diagnosis(episode).verdicts.map(\.cause) == [.uplink])
  }

  /// One provider's batches leave together, and the other's are not late.
  @Test func batchesOfOneProviderAreNoStall() {
    let episode = Self.stalled { time, provider in
      let phase = time.truncatingRemainder(dividingBy: 0.5)
      return provider == 0 ? ((0.5 - phase) * 1e6, 100_000) : (0, 0)
    }
    #expect(!HostStall(episode).isClear)
  }

  /// What one cause explains is taken away before the next is looked for.
  @Test func findsTwoCausesAtOnce() throws {
    let slow = CauseScenario.deviceSlow.make(seed: 3, baseline: 2400)
    var episode = slow.episode
    let refusing = "apns"
    for target in episode.targets.indices where episode.targets[target].provider == refusing {
      for index in episode.targets[target].samples.indices where index % 3 == 0 {
        guard episode.window.contains(episode.targets[target].samples[index].plannedAt) else { continue }
        episode.targets[target].samples[index].state = .rejected
        episode.targets[target].samples[index].status = 429
        episode.targets[target].samples[index].delivery = nil
      }
    }
    let verdicts = Diagnosis(episode).verdicts
    #expect(verdicts.map(\.cause) == [.throttled, .device])
    #expect(verdicts.map(\.scope) == [refusing, slow.device])
  }

  /// Receipts that come before the answer make one leg of path and transit, which the path's rise is not told twice by.
  @Test func aSlowPathIsNoSlowDeliveryWhereReceiptsComeFirst() throws {
    let slow = CauseScenario.path.make(seed: 2, baseline: 2400)
    var episode = slow.episode
    for target in episode.targets.indices {
      for index in episode.targets[target].samples.indices {
        let sample = episode.targets[target].samples[index]
        guard let lag = sample.lag, let service = sample.service, sample.delivery != nil else { continue }
        episode.targets[target].samples[index].delivery = lag + service - 1000
      }
    }
    let verdicts = Diagnosis(episode).verdicts
    #expect(verdicts.map(\.cause) == [.path])
    #expect(verdicts.map(\.scope) == [slow.provider])
  }

  /// Not only the one that opened it.
  @Test func whoeverWaitedForAConnectionIsFresh() {
    func isFresh(lag: Int64, age: Int64, opened: Bool = false) -> Bool {
      var sample = Sample(
        id: SampleID(rawValue: 0), variant: .none, plannedAt: WallTime(microseconds: 0), plannedMonotonic: 0)
      sample.scheduleLag = lag
      sample.connection = ConnectionUse(id: 1, age: age, isFresh: opened, streamsInFlight: 1)
      return EpisodeSample(sample).isFresh
    }
    #expect(isFresh(lag: 300, age: 0, opened: true))
    #expect(isFresh(lag: 250_000, age: 0), "planned a quarter of a second before the connection stood")
    #expect(isFresh(lag: 250_000, age: 200))
    #expect(!isFresh(lag: 250_000, age: 250), "in doubt")
    #expect(!isFresh(lag: 300, age: 0) && !isFresh(lag: 90_000, age: 5000))
  }

  @Test func withoutPingPathAndProviderAreNotTold() throws {
    let instance = CauseScenario.path.make(seed: 2, pings: false, baseline: 2400)
    let verdict = try #require(Diagnosis(instance.episode).verdicts.first)
    #expect(verdict.cause == .undecided(.pathOrProvider))
    #expect(try #require(verdict.wouldDecide).contains("path probe"))
  }

  /// Seconds of the finding that are looked at, and of the baseline from and to before its start.
  private static func stretches(
    _ seconds: Int64, before: [ClosedRange<Int64>], alarm: Int64 = 5, isProvisional: Bool = false
  ) -> [Int64]? {
    let start = WallTime(microseconds: 1_700_000_000_000_000)
    func at(_ seconds: Int64) -> WallTime { start.advanced(byMicroseconds: seconds * 1_000_000) }
    let found = Episode.stretches(
      of: start..<at(seconds), shortest: .seconds(alarm), isProvisional: isProvisional,
      undisturbed: before.map { at($0.lowerBound)..<at($0.upperBound) })
    return found.map { window, baseline in
      [window.upperBound, baseline.lowerBound, baseline.upperBound].map {
        ($0.microseconds - start.microseconds) / 1_000_000
      }
    }
  }

  @Test func baselinesAreTwelveTimesTheEpisodeWithinBounds() {
    #expect(Self.stretches(60, before: [-100_000...0]) == [60, -1800, 0])
    #expect(Self.stretches(600, before: [-100_000...0]) == [600, -7200, 0])
    #expect(Self.stretches(36_000, before: [-1_000_000...0]) == [36_000, -86_400, 0])
    #expect(Self.stretches(100_000, before: [-90_000...0]) == [100_000, -86_400, 0])
    #expect(Self.stretches(600, before: [-1300...0]) == [600, -1300, 0])
    #expect(Self.stretches(60, before: [-70...0], isProvisional: true) == [60, -70, 0])
  }

  @Test func whereLittleIsBeforeItTheBeginningOfAFindingIsLookedAt() {
    #expect(Self.stretches(600, before: [-1100...0]) == [550, -1100, 0])
    #expect(Self.stretches(60, before: [-50...0], isProvisional: true) == [50, -50, 0])
    // But no less of it than raised the alarm.
    #expect(Self.stretches(60, before: [-50...0], alarm: 55, isProvisional: true) == nil)
    #expect(Self.stretches(3, before: [-4...0], isProvisional: true) == [3, -4, 0])
    #expect(Self.stretches(60, before: []) == nil)
  }

  @Test func theLatestSufficientStretchBeforeOtherFindingsCounts() {
    let before: [ClosedRange<Int64>] = [-900 ... -700, -600 ... -300, -250 ... -10, -1...0]
    #expect(Self.stretches(60, before: before) == [60, -250, -10])
    #expect(Self.stretches(140, before: before) == [140, -600, -300])
    #expect(Self.stretches(1, before: before, isProvisional: true) == [1, -1, 0])
    #expect(Self.stretches(900, before: before) == [150, -600, -300])
  }

  @Test func bunchesAreThreeOrMoreReceivedTogetherThoughPlannedApart() {
    typealias Delivery = (planned: Double, received: Double)
    let steady = (0..<60).map { (index: Int) -> Delivery in (Double(index) * 5, Double(index) * 5 + 0.2) }
    #expect(EpisodeStatistics.bunches(steady, interval: 5) == 0)
    let asleep = (0..<60).map { (index: Int) -> Delivery in
      (Double(index) * 5, Double(index / 10 + 1) * 50 + Double(index) * 0.01)
    }
    #expect(EpisodeStatistics.bunches(asleep, interval: 5) == 1)
    // A burst that was planned as one is none.
    let burst = (0..<60).map { (index: Int) -> Delivery in (Double(index) * 0.01, Double(index) * 0.01 + 0.2)
    }
    #expect(EpisodeStatistics.bunches(burst, interval: 5) == 0)
  }
}

@Suite struct LegContributionsTests {
  /// The legs of an answer are those of its own rise at the quantile of the finding, whatever deliveries do.
  @Test(arguments: [0.5, 0.9]) func explainsTheMetricAndQuantileOfTheFinding(quantile: Double) throws {
    let instance = CauseScenario.providerProcessing.make(seed: 2, baseline: 2400)
    let target = try #require(instance.episode.targets.first { $0.provider == instance.provider })
    let found = try #require(
      LegContributions(target, instance.episode, explaining: .accept, quantile))
    #expect(found.metric == .accept && found.quantile == quantile)
    #expect(found.parts.map(\.leg) == [.lag, .service])
    func answers(_ range: Range<WallTime>) -> [Double] {
      target.samples.filter { range.contains($0.plannedAt) && $0.isAccepted }.compactMap { sample in
        sample.lag.flatMap { lag in sample.service.map { Double(lag + $0) } }
      }
    }
    let before = EpisodeStatistics.quantile(answers(instance.episode.baseline), quantile)
    let after = EpisodeStatistics.quantile(answers(instance.episode.window), quantile)
    #expect(found.before == before && abs(found.total - (after - before)) < 1)
    #expect(abs(found.parts.reduce(0) { $0 + $1.change } - found.total) < 1e-6 * after + 200)
    let exact = found.withIntervals(target, instance.episode, seed: 1)
    #expect(exact.totalInterval?.contains(found.total) == true)
    #expect(LegContributions(target, instance.episode, explaining: .refused, quantile) == nil)
  }

  private static func contributions(
    _ scenario: CauseScenario, seed: Int, strength: Double = 1
  ) throws -> (LegContributions, EpisodeTarget, CauseScenario.Case) {
    let instance = scenario.make(seed: seed, strength: strength, baseline: 2400)
    let target = try #require(
      instance.episode.targets.first {
        scenario == .deviceSlow ? $0.device == instance.device : $0.provider == instance.provider
      })
    let found = try #require(Diagnosis(instance.episode).contributions[target.name])
    return (found, target, instance)
  }

  @Test func partsSumToTheRiseAndNameTheLeg() throws {
    for (scenario, leg) in [(CauseScenario.deviceSlow, Leg.transit), (.providerProcessing, .service)] {
      let (found, _, _) = try Self.contributions(scenario, seed: 2)
      let largest = try #require(found.parts.max { $0.change < $1.change })
      #expect(largest.leg == leg)
      // But for the coupling of the legs in the baseline.
      let sum = found.parts.reduce(0) { $0 + $1.change }
      #expect(abs(sum - found.total) < 0.1 * found.before)
      #expect(found.shares == nil)
    }
  }

  @Test func intervalsCanBeRepeatedAndStateSharesOfACertainRise() throws {
    let (found, target, instance) = try Self.contributions(.deviceSlow, seed: 2)
    let one = found.withIntervals(target, instance.episode, seed: 7)
    #expect(one == found.withIntervals(target, instance.episode, seed: 7))
    let shares = try #require(one.shares)
    #expect(try #require(shares[.transit]) > 0.8)
    for part in one.parts { #expect(part.interval?.contains(part.change) == true) }
    // Nothing happened: milliseconds, no shares.
    let quiet = CauseScenario.nothing.make(seed: 2, baseline: 2400)
    let calm = try #require(Diagnosis(quiet.episode).contributions["apns-I1"])
    #expect(calm.withIntervals(quiet.episode.targets[0], quiet.episode, seed: 1).shares == nil)
  }

  /// Of a sample of the notifications other legs would be chosen than of all, where about one in twenty overtakes the answer.
  @Test("intervals are those of the legs that the parts have", arguments: [true, false])
  func legsStay(areEarlyInSample: Bool) throws {
    func hastened(_ target: EpisodeTarget) -> EpisodeTarget {
      var target = target
      for index in stride(from: 0, to: target.samples.count, by: 10) {
        let sample = target.samples[index]
        guard let lag = sample.lag, let service = sample.service, sample.delivery != nil else { continue }
        target.samples[index].delivery = lag + service / 2
      }
      return target
    }
    var (found, target, instance) = try Self.contributions(.deviceSlow, seed: 2)
    if !areEarlyInSample {
      instance.episode.targets = instance.episode.targets.map(hastened)
      found = try #require(Diagnosis(instance.episode).contributions[target.name])
    }
    let sample = areEarlyInSample ? hastened(target) : target
    let one = found.withIntervals(sample, instance.episode, seed: 7)
    let legs: [Leg] = areEarlyInSample ? [.lag, .service, .transit] : [.lag, .sentToReceived]
    #expect(one.parts.map(\.leg) == legs)
    for part in one.parts { #expect(part.interval?.contains(part.change) == true) }
    #expect(one.totalInterval?.contains(one.total) == true)
  }

  /// Receipts that overtake the provider's answer: there is no leg between the two.
  @Test func joinsServiceAndTransitWhereReceiptsComeFirst() throws {
    var instance = CauseScenario.deviceSlow.make(seed: 2, baseline: 2400)
    for target in instance.episode.targets.indices {
      for index in instance.episode.targets[target].samples.indices {
        let sample = instance.episode.targets[target].samples[index]
        guard let lag = sample.lag, let service = sample.service, sample.delivery != nil else { continue }
        instance.episode.targets[target].samples[index].delivery = lag + service / 2
      }
    }
    let found = try #require(Diagnosis(instance.episode).contributions["apns-I1"])
    #expect(found.parts.map(\.leg) == [.lag, .sentToReceived])
  }
}
