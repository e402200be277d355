import FindingsTestKit
import Glibc
import Measurement
import Testing

@testable import Findings

@Suite struct ComparisonTests {
  private static func interval(_ value: Int64, _ low: Int64?, _ high: Int64?) -> QuantileInterval {
    QuantileInterval(
      value: value, low: low, high: high, count: 100, effectiveCount: 38, usesHistory: false)
  }

  @Test func joinsTheDistancesToTheNearEnds() {
    let comparison = QuantileComparison(
      from: Self.interval(100_000, 90_000, 110_000), to: Self.interval(200_000, 190_000, 220_000))
    #expect(abs(comparison.ratio - 2) < 1e-9)
    let lower = log(2.0) - hypot(log(200.0 / 190), log(110.0 / 100))
    #expect(abs(comparison.low - lower) < 1e-12)
    #expect(abs(comparison.high - (log(2.0) + hypot(log(220.0 / 200), log(100.0 / 90)))) < 1e-12)
    #expect(comparison.verdict() == .higher)
    #expect(comparison.ratioInterval.low > 1.7)
  }

  @Test(
    arguments: [
      (Self.interval(100_000, 99_000, 101_000), ComparisonVerdict.same),
      (Self.interval(100_000, 80_000, 130_000), .noEvidence), (Self.interval(70_000, 65_000, 75_000), .lower),
      (Self.interval(150_000, 140_000, nil), .higher), (Self.interval(110_000, 90_000, nil), .cannotTell),
      (Self.interval(150_000, nil, 160_000), .cannotTell), (Self.interval(103_000, 102_500, 104_000), .same),
    ])
  func decides(after: QuantileInterval, verdict: ComparisonVerdict) {
    let before = Self.interval(100_000, 99_500, 100_500)
    #expect(QuantileComparison(from: before, to: after).verdict() == verdict)
  }

  @Test func comparesShares() {
    let few = ShareInterval(independent: 2, of: 1000)
    let many = ShareInterval(independent: 50, of: 1000)
    #expect(ShareComparison(from: few, to: many).verdict(tolerance: 0.01) == .higher)
    #expect(ShareComparison(from: many, to: few).verdict(tolerance: 0.01) == .lower)
    #expect(ShareComparison(from: few, to: few).verdict(tolerance: 0.01) == .same)
    #expect(
      ShareComparison(from: few, to: ShareInterval(independent: 0, of: 0)).verdict(tolerance: 0.01)
        == .cannotTell)
  }

  /// scipy.stats.beta.ppf: the interval of Clopper and Pearson.
  @Test func clopperPearson() {
    let interval = ShareInterval(independent: 3, of: 100)
    #expect(abs(interval.low - 0.006_229_97) < 1e-6)
    #expect(abs(interval.high - 0.085_176_05) < 1e-6)
    #expect(ShareInterval(independent: 0, of: 10).low == 0)
    #expect(ShareInterval(independent: 10, of: 10).high == 1)
    #expect(ShareInterval(independent: 0, of: 0).share == nil)
  }

  @Test(arguments: [(0.95, 72), (0.99, 368), (0.999, 3_688)])
  func gateNeedsSoManyWithoutAnyFailure(required: Double, count: Int) {
    #expect(GateDecision(share: ShareInterval(independent: count, of: count), atLeast: required) == .met)
    #expect(
      GateDecision(share: ShareInterval(independent: count - 1, of: count - 1), atLeast: required)
        == .undecided)
    #expect(
      GateDecision(share: ShareInterval(independent: count / 2, of: count), atLeast: required) == .breached)
  }

  @Test func gatesQuantiles() {
    #expect(GateDecision(quantile: Self.interval(100, 90, 110), below: 111) == .met)
    #expect(GateDecision(quantile: Self.interval(100, 90, 110), below: 110) == .undecided)
    #expect(GateDecision(quantile: Self.interval(100, 90, nil), below: 90) == .breached)
    #expect(GateDecision(quantile: nil, below: 90) == .undecided)
  }

  /// What slows both variants at once cancels.
  @Test func interleavedVariantsAreComparedMoreSharply() throws {
    let start = WallTime(microseconds: 1_700_000_000_000_000)
    var random = ProcessGenerator("paired", seed: 1)
    let shared = random.autoregressive(1200, correlation: 0.99)
    var sides: ([TimedLatency], [TimedLatency]) = ([], [])
    for (index, level) in shared.enumerated() {
      let at = start.advanced(byMicroseconds: Int64(index) * 1_000_000)
      func latency(_ factor: Double) -> Int64 {
        Int64(100_000 * factor * exp(0.4 * level + 0.05 * random.normal()))
      }
      sides.0.append(TimedLatency(plannedAt: at, latency: latency(1)))
      sides.1.append(TimedLatency(plannedAt: at, latency: latency(1.2)))
    }
    let window = start..<start.advanced(byMicroseconds: 1_200_000_000)
    let paired = PairedLatencies(window, first: sides.0, second: sides.1)
    let sharp = try #require(paired.comparison(of: .p50))
    let plain = QuantileComparison(
      from: try #require(paired.first.interval(of: .p50)), to: try #require(paired.second.interval(of: .p50)))
    #expect(sharp.high - sharp.low < 0.7 * (plain.high - plain.low))
    #expect(sharp.low < log(1.2) && log(1.2) < sharp.high)
  }

  @Test(arguments: LossScenario.allCases) func holdsTheTrueShareOfLosses(scenario: LossScenario) {
    let coverage = IntervalEvaluation.losses(
      scenario, count: 900, rate: 0.25, seeds: 0..<60, historyHours: 13)
    #expect(coverage.historic >= 0.95 - 4 * (0.95 * 0.05 / 60).squareRoot())
  }

  /// Without any loss in the window, only earlier windows say how losses come.
  @Test func aWindowWithoutEventsTakesItsHistorysDesignEffect() throws {
    let start = WallTime(microseconds: 1_700_000_000_000_000)
    let minute: Int64 = 60_000_000
    let past = (0..<720).map { (index: Int) -> ShareBin in
      let at = start.advanced(byMicroseconds: Int64(index - 720) * minute)
      return ShareBin(start: at, events: index / 60 % 4 == 0 ? 5 : 0, count: 10)
    }
    let history = try #require(ShareHistory(before: start, windowLength: .seconds(3600), bins: past))
    let now = WindowShares(
      start..<start.advanced(byMicroseconds: 60 * minute),
      bins: (0..<60).map {
        ShareBin(start: start.advanced(byMicroseconds: $0 * minute), events: 0, count: 10)
      })
    #expect(now.interval().effectiveCount == 600)
    #expect(now.interval(history: history).effectiveCount < 60)
    #expect(now.interval(history: history).high > 5 * now.interval().high)
  }
}
