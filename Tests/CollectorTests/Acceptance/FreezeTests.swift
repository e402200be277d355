import Configuration
import Measurement
import Testing

@testable import Collector

/// The first acceptance case of docs/measurement.md, in simulated time: 30 s at 100/s, the service frozen once for
/// 1.4 s, answering after 2 ms otherwise.
@Suite("A frozen service")
struct FreezeTests {
  private static let length = 30.0
  private static let freeze = 1.4
  private static let service = 0.002
  private static let rate = 100.0

  private func run(streams: Int) throws -> [Sample] {
    let run = try SimulatedRun(
      rate: 100, length: .seconds(30),
      service: SimulatedService(
        delay: .constant(.milliseconds(2)), streams: streams,
        freeze: .milliseconds(10_000)..<(.milliseconds(11_400))))
    try run.run()
    try run.close()
    let samples = try run.samples()
    #expect(samples.count == 3000)
    #expect(samples.allSatisfy { $0.state == .accepted }, "a freeze loses nothing")
    #expect(
      samples.allSatisfy { sample in
        sample.acceptLatency == (sample.scheduleLag ?? 0) + (sample.serviceTime ?? 0)
      })
    let gaps = zip(samples, samples.dropFirst()).map { $1.plannedMonotonic - $0.plannedMonotonic }
    #expect(gaps.allSatisfy { $0 == 10_000 }, "the freeze does not slow the schedule")
    return samples
  }

  private func p99(_ values: [Int64?]) throws -> Double {
    let exact = ExactQuantiles(values.compactMap { $0 })
    let value = try #require(exact.value(.p99))
    guard case .known(_, let low, let high) = exact.estimate(.p99) else {
      Issue.record("too few values")
      return 0
    }
    #expect(low <= value && value <= high)
    return Double(value) / 1e6
  }

  @Test("with parallel streams the wait is on the wire: p99 is as computed, and the service time shows it")
  func parallel() throws {
    let samples = try run(streams: 1000)
    // Planned t into the freeze, answered at its end: longer than x are those of the first 1.4 s − x.
    let analytic = Self.freeze - 0.01 * Self.length
    #expect(abs(try p99(samples.map(\.acceptLatency)) / analytic - 1) < 0.02)
    #expect(abs(try p99(samples.map(\.serviceTime)) / analytic - 1) < 0.02)
    #expect(samples.allSatisfy { $0.scheduleLag == 0 })
  }

  @Test("with one stream at a time the wait is our own: the lag shows it, the service time stays small")
  func oneAtATime() throws {
    let samples = try run(streams: 1)
    // The queue drains while more comes in: the wait shrinks by 1 − rate · service for each second of plan.
    let load = Self.rate * Self.service
    let analytic = Self.freeze + Self.service - 0.01 * Self.length * (1 - load)
    #expect(abs(try p99(samples.map(\.acceptLatency)) / analytic - 1) < 0.02)
    #expect(abs(try p99(samples.map(\.scheduleLag)) / (analytic - Self.service) - 1) < 0.02)
    #expect(try p99(samples.map(\.serviceTime)) == Self.service)
    #expect(samples.count { ($0.serviceTime ?? 0) > 2000 } == 1, "only the one that was under way")
  }
}
