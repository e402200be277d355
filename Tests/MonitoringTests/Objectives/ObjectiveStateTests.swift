import Analysis
import Findings
import Measurement
import Testing

@testable import Monitoring

@Suite struct ObjectiveStateTests {
  private func share(_ good: Int, of valid: Int) -> ObjectiveShare {
    ObjectiveShare(ShareInterval(independent: good, of: valid))
  }

  private let fast = BurnRateRule.standard[0]

  /// 14.4 times a budget of 1 % is 14.4 %.
  @Test(arguments: [
    (100, 1000, 100, 100, GateDecision.met),  // a short window without a failure: it is over
    (700, 1000, 70, 100, .breached),
    (800, 1000, 80, 100, .undecided),  // of a hundred, 80 may be 87 %
    (0, 20, 0, 20, .breached),  // few, but all of them
    (3, 4, 3, 4, .undecided),  // one of four says nothing
    (0, 0, 0, 0, .undecided),
    (17, 20, 17, 20, .undecided),  // 15 % of twenty may be chance
    (1000, 1000, 100, 100, .met),
    (800, 1000, 4, 5, .undecided),
  ])
  func pairOfWindowsDecides(
    longGood: Int, long: Int, shortGood: Int, short: Int, expected: GateDecision
  ) {
    #expect(
      fast.decide(0.99, long: share(longGood, of: long), short: share(shortGood, of: short)) == expected)
  }

  /// A budget of 10 % cannot be used up 14.4 times too fast.
  @Test func largeBudgetIsNeverBreachedByTheFastestRule() {
    #expect(fast.decide(0.9, long: share(0, of: 1000), short: share(0, of: 1000)) == .met)
    #expect(
      BurnRateRule.standard[1].decide(0.9, long: share(0, of: 1000), short: share(0, of: 1000)) == .breached)
  }

  @Test func burnRateIsTimesTheBudget() throws {
    let rate = try #require(share(95, of: 100).burnRate(of: 0.99))
    #expect(abs(rate - 5) < 1e-9)
    #expect(ObjectiveShare.none.burnRate(of: 0.99) == nil)
  }

  private func time(_ minutes: Double) -> WallTime { WallTime(microseconds: Int64(minutes * 60e6)) }

  @Test func whatReturnsWithinTenMinutesIsTheSameIncident() {
    var state = IncidentState()
    #expect(state.advance(isBreached: false, at: time(0)) == nil)
    #expect(state.advance(isBreached: true, at: time(1)) == .opened)
    #expect(state.advance(isBreached: true, at: time(2)) == nil)
    #expect(state.advance(isBreached: false, at: time(3)) == nil)
    #expect(state.endedAt == time(3))
    #expect(state.advance(isBreached: false, at: time(12.9)) == nil)
    // It returns: the incident goes on.
    #expect(state.advance(isBreached: true, at: time(12.95)) == nil)
    #expect(state.endedAt == nil)
    #expect(state.startedAt == time(1))
    #expect(state.advance(isBreached: false, at: time(20)) == nil)
    #expect(state.advance(isBreached: false, at: time(30)) == .closed)
    #expect(!state.isOpen)
    #expect(state.advance(isBreached: true, at: time(30.1)) == .opened)
    #expect(state.startedAt == time(30.1))
  }

  private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: seconds * 1_000_000) }

  @Test func silenceCountsTheTimeOfRunsOnly() {
    var detector = SilenceDetector()
    #expect(detector.advance(count: 0, isInRun: false, at: at(0)) == .zero)
    #expect(detector.advance(count: 0, isInRun: false, at: at(1000)) == .zero)
    #expect(detector.advance(count: 0, isInRun: true, at: at(1000)) == .zero)
    #expect(detector.advance(count: 0, isInRun: true, at: at(1060)) == .seconds(60))
    #expect(detector.advance(count: 3, isInRun: true, at: at(1070)) == .zero)
    #expect(detector.advance(count: 3, isInRun: true, at: at(1075)) == .seconds(5))
    // Between two runs it stands still.
    #expect(detector.advance(count: 3, isInRun: false, at: at(1080)) == .seconds(10))
    #expect(detector.advance(count: 3, isInRun: false, at: at(5000)) == .seconds(10))
    #expect(detector.advance(count: 3, isInRun: true, at: at(5000)) == .seconds(10))
    #expect(detector.advance(count: 3, isInRun: true, at: at(5001)) == .seconds(11))
  }

  /// A collector that restarts each minute notices ten minutes of silence all the same.
  @Test func silenceGoesOnAfterARestart() {
    var quiet = Duration.zero
    for restart in 0..<10 {
      var detector = SilenceDetector(quiet: quiet)
      let start = Int64(restart) * 100
      _ = detector.advance(count: 0, isInRun: true, at: at(start))
      quiet = detector.advance(count: 0, isInRun: true, at: at(start + 60))
    }
    #expect(quiet == .minutes(10))
    var detector = SilenceDetector(quiet: quiet)
    #expect(detector.advance(count: 1, isInRun: true, at: at(2000)) == .zero)
  }
}
