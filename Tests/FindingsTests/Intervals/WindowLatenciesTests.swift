import FindingsTestKit
import Glibc
import Measurement
import Testing

@testable import Findings

@Suite struct WindowLatenciesTests {
  private static let start = WallTime(microseconds: 1_700_000_000_000_000)

  private static func samples(_ values: [Int64], every step: Int64 = 1_000_000) -> [TimedLatency] {
    values.enumerated().map {
      TimedLatency(plannedAt: start.advanced(byMicroseconds: Int64($0) * step), latency: $1)
    }
  }

  private static func window(_ seconds: Int64) -> Range<WallTime> {
    start..<start.advanced(byMicroseconds: seconds * 1_000_000)
  }

  @Test func saysNothingOfNothing() {
    #expect(WindowLatencies(Self.window(60), samples: []).interval(of: .p50) == nil)
  }

  /// The minimum counts of order statistics are where an end of independent values closes.
  @Test(arguments: [(Quantile.p50, 6), (.p90, 36), (.p95, 72), (.p99, 368)])
  func opensTheUpperEndBelowTheSmallestCount(quantile: Quantile, needs: Int) throws {
    for count in [needs - 1, needs] {
      let values = (0..<count).map { Int64($0 * 7919 % count + 1) * 1000 }
      let latencies = WindowLatencies(Self.window(Int64(count)), samples: Self.samples(values))
      let interval = try #require(latencies.interval(of: quantile))
      #expect(interval.effectiveCount <= Double(count))
      if count < needs { #expect(interval.high == nil) }
      if interval.effectiveCount == Double(count), count == needs { #expect(interval.high != nil) }
    }
  }

  /// Half of the blocks slow, half fast: 12 × 30 values say no more than a few independent ones.
  @Test func countsBlocksWhereValuesWithinThemAreEqual() throws {
    let values = (0..<720).map { (index: Int) -> Int64 in
      (index / 60 % 3 == 0 ? 900_000 : 100_000) + Int64(index % 60)
    }
    let latencies = WindowLatencies(Self.window(720), samples: Self.samples(values))
    let interval = try #require(latencies.interval(of: .p50))
    #expect(interval.effectiveCount < 30)
    guard case .known(_, let low, let high) = latencies.independentEstimate(of: .p50) else {
      Issue.record("no estimate")
      return
    }
    #expect(high - low < 100)
    #expect(try #require(interval.high) >= 900_000)
  }

  /// Everything in one block says as much as one value.
  @Test func takesOneBurstForOneValue() throws {
    let latencies = WindowLatencies(
      Self.window(86_400), samples: Self.samples((0..<500).map { 1000 + $0 }, every: 1000))
    let interval = try #require(latencies.interval(of: .p50))
    #expect(interval.isUndetermined)
    #expect(interval.effectiveCount <= 1)
    #expect(interval.estimate(of: .p50) == .tooFew(needs: 6))
  }

  @Test func agreesFromSamplesAndBinsUpToTheBuckets() throws {
    for scenario in [IntervalScenario.independent, .badMinutes3, .wandering] {
      let (recorded, samples, _) = IntervalEvaluation.window(scenario, 1152, 0.1, 3)
      // Bins of a 96th of the window: 120 s.
      let width: Int64 = 120_000_000
      let first = recorded.lowerBound.microseconds / width * width
      let window = WallTime(microseconds: first)..<WallTime(microseconds: first + 96 * width)
      let exact = WindowLatencies(window, samples: samples)
      let binned = WindowLatencies(window, bins: Self.bins(samples, width))
      for quantile in [Quantile.p50, .p95, .p99] {
        let a = try #require(exact.interval(of: quantile))
        let b = try #require(binned.interval(of: quantile))
        #expect(abs(a.effectiveCount / b.effectiveCount - 1) < 0.01, "\(scenario) \(quantile.label)")
        #expect(Self.near(a.value, b.value))
        #expect(Self.near(a.low, b.low))
        #expect(Self.near(a.high, b.high))
      }
    }
  }

  private static func near(_ a: Int64?, _ b: Int64?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return abs(Double(a) / Double(b) - 1) < 0.004
  }

  private static func bins(_ samples: [TimedLatency], _ width: Int64) -> [LatencyBin] {
    Dictionary(grouping: samples) { $0.plannedAt.microseconds / width }.map {
      LatencyBin(start: WallTime(microseconds: $0 * width), latencies: PackedLatencies($1.map(\.latency)))
    }
  }

  @Test func rangesWidenBothEnds() throws {
    let values = (0..<400).map { Int64($0 * 7919 % 400 + 1) * 1000 }
    let window = Self.window(400)
    func latencies(_ shift: Int64) -> WindowLatencies {
      WindowLatencies(window, samples: Self.samples(values.map { $0 + shift }))
    }
    let ranged = RangedLatencies(latencies(0), lows: latencies(-500), highs: latencies(2000))
    let plain = try #require(latencies(0).interval(of: .p50))
    let interval = try #require(ranged.interval(of: .p50))
    #expect(interval.value == plain.value)
    #expect(interval.low == plain.low.map { $0 - 500 })
    #expect(interval.high == plain.high.map { $0 + 2000 })
  }

  /// Coverage in miniature; the benchmark shows the table. Bounds are four standard deviations of a 95 % interval.
  @Test(arguments: [IntervalScenario.independent, .autoregressive95, .badMinutes3])
  func holdsTheTruthUnderDependence(scenario: IntervalScenario) throws {
    let figures = IntervalEvaluation(
      scenario, count: 480, rate: 0.25, seeds: 0..<40, historyHours: 8, quantiles: [.p50, .p90])
    for quantile in [Quantile.p50, .p90] {
      let historic = try #require(figures.historic[quantile])
      #expect(historic.coverage >= 0.95 - 4 * (0.95 * 0.05 / 40).squareRoot(), "\(quantile.label)")
      if scenario == .independent {
        let width = try #require(historic.width)
        let plain = try #require(figures.independent[quantile]?.width)
        #expect(width < 1.5 * plain)
      }
    }
    if scenario == .autoregressive95 {
      #expect(try #require(figures.independent[.p50]).coverage < 0.7)
    }
  }

  @Test func historyWidensWhatAWindowCannotShow() throws {
    let (window, samples, _) = IntervalEvaluation.window(.badSpells, 900, 0.25, 1)
    let history = try #require(
      IntervalEvaluation.history(.badSpells, rate: 0.25, hours: 16, window: window, seed: 1))
    let latencies = WindowLatencies(window, samples: samples)
    let alone = try #require(latencies.interval(of: .p95))
    let known = try #require(latencies.interval(of: .p95, history: history))
    #expect(!alone.usesHistory && known.usesHistory)
    #expect(known.effectiveCount < alone.effectiveCount)
    #expect(known.value == alone.value)
  }

  @Test func historyTakesTwelveWindowsWithoutFindings() {
    let hour: Int64 = 3_600_000_000
    let end = Self.start.advanced(byMicroseconds: 12 * hour)
    let samples = (0..<12 * 60).map {
      TimedLatency(plannedAt: Self.start.advanced(byMicroseconds: Int64($0) * 60_000_000), latency: 1000)
    }
    func history(excluding excluded: [Range<WallTime>] = []) -> LatencyHistory? {
      LatencyHistory(before: end, windowLength: .seconds(3600), samples: samples, excluding: excluded)
    }
    #expect(history() != nil)
    let minute = Self.start.advanced(byMicroseconds: hour)..<Self.start.advanced(byMicroseconds: hour + 1)
    #expect(history(excluding: [minute]) == nil)
    #expect(LatencyHistory(before: end, windowLength: .seconds(3700), samples: samples) == nil)
  }
}
