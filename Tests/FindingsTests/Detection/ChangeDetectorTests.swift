import FindingsTestKit
import Foundation
import Measurement
import Testing

@testable import Findings

@Suite struct ChangeDetectorTests {
  private static let rate = 1.0 / 15
  private typealias Bins = [(start: WallTime, values: SeriesValues)]

  private static func seconds(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }

  /// A day is known after 16 hours here.
  private static let settings = {
    var settings = DetectorSettings(rate: rate)
    settings.calibratedAfter = 16 * 3_600_000_000
    settings.referenceLag = 2 * 3_600_000_000
    settings.referenceLength = 12 * 3_600_000_000
    return settings
  }()

  private static func detect(_ bins: Bins, _ metric: SeriesMetric = .delivery) -> ChangeDetector {
    var detector = ChangeDetector(metric, settings: settings)
    for bin in bins { detector.append(bin.values, start: bin.start) }
    return detector
  }

  /// Two thirds of a quiet day, then hours with a change.
  private static func bins(
    _ scenario: ChangeScenario, hours: Double = 8, seed: Int = 1, metric: SeriesMetric = .delivery
  ) -> (Bins, ChangeScenario.Day) {
    let day = scenario.sample(rate: rate, seed: seed, quietDays: 2.0 / 3, seconds: hours * 3600)
    return (day.bins(metric, width: 60_000_000), day)
  }

  @Test func findsAnEpisodeAndItsEnd() throws {
    let scenario = ChangeScenario("10 min x2", change: .latency(factor: 2), for: 600)
    let (bins, day) = Self.bins(scenario, hours: 8)
    let detector = Self.detect(bins)
    #expect(detector.isCalibrated)
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1)
    #expect(finding.kind == .slower && finding.status == .closed && finding.metric == .delivery)
    let start = try #require(day.start)
    #expect(abs(Self.seconds(finding.start) - start) <= 120)
    #expect(abs(Self.seconds(try #require(finding.end)) - (start + 600)) <= 180)
    #expect(Self.seconds(finding.detectedAt) - start < 600)
    #expect(finding.statistic >= finding.threshold)
    #expect(finding.after / finding.before > 1.4)
    #expect(finding.effectiveCount <= Double(finding.count))
    let interval = try #require(finding.startInterval)
    #expect(
      Self.seconds(interval.lowerBound) - 60 <= start && start <= Self.seconds(interval.upperBound) + 60)
    // Single samples say it better than bins.
    let refined = day.refined(finding, width: 60_000_000)
    #expect(abs(Self.seconds(refined.start) - start) <= 60)
  }

  @Test func aStepLastsAndIsTheReferenceThen() throws {
    let (bins, day) = Self.bins(ChangeScenario("step", change: .latency(factor: 2)), hours: 12)
    let detector = Self.detect(bins)
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1)
    #expect(finding.status == .lasting && finding.end == nil && finding.isOpen)
    #expect(abs(Self.seconds(finding.start) - (day.start ?? 0)) <= 120)
  }

  @Test func theReturnFromALastingChangeIsItsEnd() throws {
    let (bins, day) = Self.bins(
      ChangeScenario("three hours", change: .latency(factor: 2), for: 10_800), hours: 16)
    let detector = Self.detect(bins)
    #expect(detector.findings.map(\.kind) == [.slower])
    let finding = try #require(detector.findings.first)
    #expect(finding.status == .closed)
    #expect(abs(Self.seconds(try #require(finding.end)) - (day.end ?? 0)) <= 300)
  }

  @Test func aWeekIsTheNewNormal() throws {
    let scenario = ChangeScenario("step", change: .latency(factor: 2))
    let (bins, _) = Self.bins(scenario, hours: 12)
    var settings = Self.settings
    settings.normalAfter = 2 * 3_600_000_000
    var detector = ChangeDetector(.delivery, settings: settings)
    for bin in bins { detector.append(bin.values, start: bin.start) }
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1)
    #expect(finding.isNewNormal && finding.status == .closed && finding.end == nil)
  }

  @Test func findsLosses() throws {
    let scenario = ChangeScenario("losses", noise: .lossy, change: .losses(share: 0.4), for: 1200)
    let (bins, day) = Self.bins(scenario, hours: 8, metric: .lost)
    let finding = try #require(Self.detect(bins, .lost).findings.first)
    #expect(finding.kind == .losing && finding.quantile == nil)
    #expect(finding.before < 0.03 && finding.after > 0.2)
    #expect(abs(Self.seconds(finding.start) - (day.start ?? 0)) <= 180)
    let refined = day.refined(finding, width: 60_000_000)
    #expect(abs(Self.seconds(refined.start) - (day.start ?? 0)) <= 120)
  }

  @Test func findsImprovements() throws {
    let scenario = ChangeScenario("faster", change: .latency(factor: 0.4))
    let (bins, _) = Self.bins(scenario, hours: 12)
    #expect(Self.detect(bins).findings.map(\.kind) == [.faster])
  }

  /// Nearly all values of a quiet series are of one level.
  @Test(arguments: [0.5, 0.85, 1.15, 2]) func findsChangesOfATightSeries(factor: Double) throws {
    let (bins, day) = Self.bins(
      ChangeScenario("tight", noise: .tight, change: .latency(factor: factor), for: 10_800), hours: 16)
    let detector = Self.detect(bins)
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1)
    #expect(finding.kind == (factor > 1 ? .slower : .faster) && finding.status == .closed)
    #expect(abs(Self.seconds(finding.start) - (day.start ?? 0)) <= 60)
    #expect(abs(Self.seconds(try #require(finding.end)) - (day.end ?? 0)) <= 120)
    #expect(Self.seconds(finding.detectedAt) - (day.start ?? 0) <= 240)
    #expect(abs(finding.after / finding.before / factor - 1) < 0.02)
  }

  @Test func leavesATightSeriesAlone() {
    let (bins, _) = Self.bins(ChangeScenario("undisturbed, tight", noise: .tight), hours: 8)
    #expect(Self.detect(bins).findings.isEmpty)
  }

  /// One notification in four minutes, and a change after two days: seen after half an hour.
  @Test(arguments: [1.15, 0.85]) func fewProbesSuffice(factor: Double) throws {
    let scenario = ChangeScenario("few", noise: .tight, change: .latency(factor: factor))
    let rate = 1.0 / 240
    let day = scenario.sample(rate: rate, seed: 3, quietDays: 2.2, seconds: 40_000)
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.accept, settings: settings)
    for bin in day.bins(.accept, width: settings.binWidth) { detector.append(bin.values, start: bin.start) }
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1)
    #expect(Self.seconds(finding.detectedAt) - (day.start ?? 0) <= 1800)
    #expect(abs(Self.seconds(finding.start) - (day.start ?? 0)) <= 300)
  }

  /// Three in a hundred take several times as long, at four a minute: p99 moves, and what lies far above it says so within two hours,
  /// and since when.
  @Test(arguments: [2, 3]) func aFewThatAreMuchSlowerAreFound(seed: Int) throws {
    let scenario = ChangeScenario("few that are much slower", change: .tail)
    let rate = 1.0 / 15
    let day = scenario.sample(rate: rate, seed: seed, quietDays: 2.2, seconds: 40_000)
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    for bin in day.bins(.delivery, width: settings.binWidth) { detector.append(bin.values, start: bin.start) }
    let finding = try #require(detector.findings.first)
    #expect(finding.quantile == 0.99 && finding.after > 1.5 * finding.before)
    #expect(Self.seconds(finding.detectedAt) - (day.start ?? 0) <= 7200)
    #expect(abs(Self.seconds(finding.start) - (day.start ?? 0)) <= 1800)
  }

  /// After a finding, what came while it was open is counted as well: otherwise windows are of other bins than they say.
  @Test(arguments: [6, 10, 29]) func whatIsSlowerIsSlowerThanBefore(seed: Int) {
    let scenario = ChangeScenario("undisturbed, tightWandering", noise: .tightWandering)
    let settings = DetectorSettings(rate: Self.rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    let day = scenario.sample(rate: Self.rate, seed: seed, quietDays: 2)
    for bin in day.bins(.delivery, width: settings.binWidth) { detector.append(bin.values, start: bin.start) }
    for finding in detector.findings {
      #expect((finding.after > finding.before) == (finding.kind == .slower), "\(finding)")
      // No more than all of a window's values can say.
      #expect(finding.statistic < 1000)
    }
  }

  /// A series that goes between levels every few hours is compared with what it just did, too: 9 % more and then 11 % more
  /// than that is a change of a tenth, though the day has seen both.
  @Test func theHoursJustBeforeAreComparedWithToo() throws {
    let rate = 1.0 / 240
    let settings = DetectorSettings(rate: rate)
    var random = ProcessGenerator("levels", seed: 1)
    var detector = ChangeDetector(.accept, settings: settings)
    let change = 60.0 * 3600
    for bin in 0..<Int(66 * 60) {
      let time = Double(bin) * 60
      var values: [Int64] = []
      if bin % 4 == 0 {
        // A day at 190 ms, a third of it 8 % more; then for 20 h 8 % more, and 6 h 8 % less than at first.
        let level =
          time >= change
          ? 175_000.0 : time >= change - 72_000 || Int(time / 3600) % 3 == 0 ? 205_000 : 190_000
        values = [Int64(level * exp(random.normal() * 0.003))]
      }
      detector.append(
        .latencies(PackedLatencies(values)),
        start: WallTime(microseconds: ChangeScenario.Day.epoch + Int64(bin) * 60_000_000))
    }
    let finding = try #require(detector.findings.first)
    #expect(detector.findings.count == 1 && finding.kind == .faster)
    #expect(abs(Self.seconds(finding.start) - change) <= 300)
    #expect(abs(finding.after / finding.before - 175.0 / 205) < 0.02)
  }

  /// What a finding says of itself differs by what is worth reporting, and does not begin before it was so.
  @Test(arguments: [1, 2, 3, 4]) func aFindingIsWhatItSays(seed: Int) throws {
    for scenario in [
      ChangeScenario("step x1.25", change: .latency(factor: 1.25)),
      ChangeScenario("tail", change: .tail), ChangeScenario("drift", change: .drift),
      ChangeScenario("5 min", change: .latency(factor: 2), for: 300),
    ] {
      let (bins, _) = Self.bins(scenario, hours: 12, seed: seed)
      for finding in Self.detect(bins).findings {
        let ratio = finding.after / finding.before
        #expect(finding.kind == .slower ? ratio >= 1.1 : ratio <= 1 / 1.1, "\(scenario.name): \(finding)")
        #expect(finding.start < finding.detectedAt && finding.end ?? .max > finding.start)
      }
    }
  }

  @Test func saysWhenItIsGettingWorse() throws {
    let (bins, _) = Self.bins(ChangeScenario("drift", change: .drift), hours: 12, seed: 3)
    let findings = Self.detect(bins).findings
    #expect(!findings.isEmpty && findings.allSatisfy { $0.kind == .slower })
  }

  @Test(arguments: [ChangeScenario.Noise.independent, .autoregressive, .pareto])
  func leavesAnUndisturbedSeriesAlone(noise: ChangeScenario.Noise) {
    let (bins, _) = Self.bins(ChangeScenario("undisturbed", noise: noise), hours: 8, seed: 2)
    let detector = Self.detect(bins)
    #expect(detector.isCalibrated)
    #expect(detector.findings.isEmpty)
  }

  /// A restart in the middle of a finding changes nothing.
  @Test func aRestoredDetectorGoesOnAsIfNothingHadHappened() throws {
    let scenario = ChangeScenario("three hours", change: .latency(factor: 2), for: 10_800)
    let (bins, day) = Self.bins(scenario, hours: 16)
    // A pause of three hours on the first day.
    let all = bins.prefix(200) + bins.dropFirst(300)
    let whole = Self.detect(Array(all))
    let start = try #require(day.start)
    for at in [start + 1800, start + 7200, start + 12_000] {
      let split = all.firstIndex { Self.seconds($0.start.microseconds) >= at } ?? all.endIndex
      let first = Self.detect(Array(all[..<split]))
      let data = try JSONEncoder().encode(first.checkpoint)
      let checkpoint = try JSONDecoder().decode(ChangeDetector.Checkpoint.self, from: data)
      let from = try #require(checkpoint.firstBinStart)
      let kept = all[..<split].filter { $0.start.microseconds >= from }
      var second = ChangeDetector(
        checkpoint, bins: Dictionary(uniqueKeysWithValues: kept.map { ($0.start.microseconds, $0.values) }))
      for bin in all[split...] { second.append(bin.values, start: bin.start) }
      #expect(second.findings == whole.findings)
      #expect(second.checkpoint == whole.checkpoint)
    }
  }

  @Test func memoryIsBounded() {
    let (bins, _) = Self.bins(ChangeScenario("undisturbed"), hours: 12)
    var detector = ChangeDetector(.delivery, settings: Self.settings)
    var most = 0
    for bin in bins {
      detector.append(bin.values, start: bin.start)
      most = max(most, detector.memory)
    }
    #expect(most < 400_000)
  }

  @Test func designEffectsNeverFallAndAtMostDouble() {
    var random = ProcessGenerator("effects", seed: 1)
    let noise = random.autoregressive(3000, correlation: 0.97)
    let above = noise.map { Int(5 + 2 * $0) }.map { min(10, max(0, $0)) }
    let counts = [Int](repeating: 10, count: above.count)
    let share = Double(above.reduce(0, +)) / Double(counts.reduce(0, +))
    let scales = DetectorSettings(rate: 0.1).scales
    let effects = Reference.designEffects(above: above, counts: counts, share: share, scales: scales)
    #expect(effects.count == scales.count)
    for (one, next) in zip(effects, effects.dropFirst()) { #expect(next >= one && next <= 2 * one + 1e-9) }
    #expect((effects.last ?? 0) > 20)
    let even = Reference.designEffects(
      above: [Int](repeating: 5, count: 3000), counts: counts, share: 0.5, scales: scales)
    #expect(even.allSatisfy { $0 == 1 })
  }

  /// Where a latency has a daily cycle, references are relative to it; what a finding compares with is of its hours.
  @Test func whatWasUsualIsOfTheHour() {
    let day = 20_000
    var medians: [Int: Double] = [:]
    for hour in 0..<72 {
      medians[day * 24 + hour] =
        11 + 0.5 * sin(Double(hour % 24) / 24 * 2 * .pi) + (hour % 2 == 0 ? 0.001 : 0)
    }
    let profile = DailyProfile(hourlyMedians: medians)
    let finding = Finding(
      id: Finding.ID(metric: .delivery, detectedAt: 0), kind: .slower, status: .open, start: 0,
      startInterval: nil, end: nil, seenUntil: 0, quantile: 0.5, before: 100, after: 200, count: 1,
      effectiveCount: 1, window: 1, statistic: 1, threshold: 1,
      evidence: Finding.Evidence(edges: [], weights: [], profile: profile))
    func before(_ hours: ClosedRange<Double>) -> Double {
      func time(_ hour: Double) -> WallTime {
        WallTime(microseconds: Int64((Double(day * 24) + hour) * 3.6e9))
      }
      return finding.latency(finding.before, over: time(hours.lowerBound)..<time(hours.upperBound))
    }
    // The middle of an hour has that hour's median.
    #expect(abs(before(6.25...6.75) / (100 * exp(0.5)) - 1) < 0.02)
    #expect(abs(before(18.25...18.75) / (100 * exp(-0.5)) - 1) < 0.02)
    #expect(abs(before(0...24) / 100 - 1) < 0.02)
    // From the cycle's lowest to its highest hour.
    #expect(abs(before(18.5...30.5) / 100 - 1) < 0.03)
  }

  @Test func theReferenceLeavesRoomForTheSmallestEffectAndTheFloor() {
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    for value in 1...1000 { histogram[LogScale.level(Int64(value) * 1000)] += 1 }
    let plain = Reference(histogram: histogram, effect: 0.1, floor: 0)
    #expect(abs(plain.shares[0] - 0.5) < 0.01 && abs(plain.shares[2] - 0.01) < 0.006)
    #expect(abs(LogScale.edge(plain.upper[0] + 1) / 550_000 - 1) < 0.012)
    #expect(abs(LogScale.edge(plain.lower[0] + 1) / (500_000 / 1.1) - 1) < 0.012)
    let floored = Reference(histogram: histogram, effect: 0.1, floor: 100_000)
    #expect(abs(LogScale.edge(floored.upper[0] + 1) / 650_000 - 1) < 0.012)
  }
}
