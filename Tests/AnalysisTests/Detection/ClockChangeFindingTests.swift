import Analysis
import Findings
import Measurement
import Store
import TestKit
import Testing

/// docs/measurement.md, *Clocks*: what findings do where the wall clock is set, or the host was suspended, which is the same to them.
@Suite struct ClockChangeFindingTests {
  @Test(
    "a wall clock that is set is no finding, and what comes afterwards is found at its time",
    arguments: [-259_200, -3_600, -1, 1, 3_600, 259_200] as [Double])
  func steps(_ step: Double) throws {
    let end = 200.0
    let slow = (end + step + 100)..<(end + step + 130)
    let after = SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 402).map { outcome in
      var outcome = outcome
      outcome.plannedAt += end + step
      if slow.contains(outcome.plannedAt) { outcome.service *= 24 }
      return outcome
    }
    let collector = try SimulatedCollector(
      SimulatedCollector.outcomes(rate: 4, seconds: end, seed: 401), rate: 4, settings: DetectionSettings())
    try collector.go(to: end, step: 5)
    try collector.set(.seconds(Int64(step)), then: after)
    try collector.go(to: slow.lowerBound, step: 5)
    #expect(try collector.stored() == [])
    try collector.go(to: end + step + 200, step: 5)
    let found = try collector.stored().filter { !$0.isWithdrawn }
    #expect(Set(found.map(\.kind.word)) == [.slower], "\(found)")
    #expect(
      found.allSatisfy { abs(collector.seconds($0.startedAt) - slow.lowerBound) <= 2 },
      "\(found.map(\.startedAt))")
  }

  @Test(
    "a run by a clock that is behind the one of the run before is searched at once",
    arguments: [-259_200, -3_600] as [Double])
  func nextRun(_ step: Double) throws {
    let collector = try SimulatedCollector(
      SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 404), rate: 4, settings: DetectionSettings())
    try collector.go(to: 200, step: 5)
    try collector.endRun()
    try collector.look()
    collector.clock.stepWall(by: .seconds(Int64(step)))
    let start = 200 + step
    try collector.beginRun(
      port: 8_443,
      SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 405).map { outcome in
        var outcome = outcome
        outcome.plannedAt += start
        if (start + 100..<start + 130).contains(outcome.plannedAt) { outcome.service *= 24 }
        return outcome
      })
    try collector.go(to: start + 200, step: 5)
    let found = try collector.stored().filter { !$0.isWithdrawn }
    #expect(Set(found.map(\.kind.word)) == [.slower], "\(found)")
    #expect(
      found.allSatisfy { abs(collector.seconds($0.startedAt) - start - 100) <= 2 },
      "\(found.map(\.startedAt))")
  }
}
