import Measurement
import Testing

@testable import Collector
@testable import Configuration

/// The second acceptance case: delays of known distributions, and what is reported of them. In simulated time the
/// instrument adds nothing, so the floor is 0.
@Suite("Known distributions")
struct KnownDistributionTests {
  static let distributions: [(name: String, delay: DelayDistribution)] = [
    ("lognormal", DelayDistribution(.lognormal(median: .milliseconds(12), sigma: 0.6))),
    (
      "bimodal",
      DelayDistribution(
        .mixture([
          .init(weight: 4, delay: DelayDistribution(.lognormal(median: .milliseconds(15), sigma: 0.2))),
          .init(weight: 1, delay: DelayDistribution(.lognormal(median: .milliseconds(60), sigma: 0.15))),
        ]))
    ),
    ("heavy tail", DelayDistribution(.pareto(minimum: .milliseconds(4), shape: 1.2), maximum: .seconds(60))),
  ]

  @Test("every interval of a run holds the injected quantile", arguments: distributions.map(\.name))
  func oneRun(name: String) throws {
    let delay = try #require(Self.distributions.first { $0.name == name }).delay
    let run = try SimulatedRun(
      rate: 500, length: .seconds(16), service: SimulatedService(delay: delay), seed: 20_260_305)
    try run.run()
    try run.close()
    let samples = try run.samples()
    #expect(samples.count == 8000)
    let latencies = samples.compactMap(\.acceptLatency)
    var histogram = LatencyHistogram()
    for latency in latencies { histogram.record(latency) }
    let exact = ExactQuantiles(latencies)
    for quantile in [Quantile.p50, .p90, .p95, .p99, .p999] {
      let truth = delay.quantile(quantile.fraction).microseconds
      for estimate in [exact.estimate(quantile), histogram.estimate(quantile)] {
        guard case .known(let value, let low, let high) = estimate else {
          Issue.record("\(quantile.label) is not known")
          continue
        }
        #expect(low <= value && value <= high)
        #expect(low <= truth && truth <= high, "\(quantile.label): \(truth) in \(low)...\(high)")
      }
    }
    #expect(exact.estimate(.p9999) == .tooFew(needs: 36_887))
  }

  @Test("repeated runs cover the truth at the nominal rate", arguments: distributions.map(\.name))
  func coverage(name: String) throws {
    let delay = try #require(Self.distributions.first { $0.name == name }).delay
    var generator = SeededGenerator(seed: 77)
    let rounds = 500
    var hits: [Quantile: Int] = [:]
    let quantiles: [Quantile] = [.p50, .p90, .p95]
    for _ in 0..<rounds {
      let values = (0..<200).map { _ in delay.sample(using: &generator).microseconds }
      let exact = ExactQuantiles(values)
      for quantile in quantiles {
        let truth = delay.quantile(quantile.fraction).microseconds
        if case .known(_, let low, let high) = exact.estimate(quantile), low <= truth, truth <= high {
          hits[quantile, default: 0] += 1
        }
      }
    }
    // Whole ranks give 95 % or a little more; 500 runs stray by 1 % (one standard deviation).
    for quantile in quantiles {
      let share = Double(hits[quantile] ?? 0) / Double(rounds)
      #expect((0.93...0.985).contains(share), "\(quantile.label): \(share)")
    }
  }
}
