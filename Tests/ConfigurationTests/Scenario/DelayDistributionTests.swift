import Measurement
import Testing

@testable import Configuration

/// Quantiles against scipy.stats 1.17 (`lognorm(0.35, scale=0.22).ppf(p)` and so on, in ns; the mixture by brentq on
/// its cdf).
@Suite struct DelayDistributionTests {
  static let probabilities = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.99999]

  static let cases: [(DelayDistribution, [Int64])] = [
    (
      DelayDistribution(.lognormal(median: .milliseconds(220), sigma: 0.35)),
      [74_592_968, 97_456_467, 140_482_721, 220_000_000, 344_526_357, 496_631_997, 648_854_729, 978_811_738]
    ),
    (
      DelayDistribution(.exponential(mean: .milliseconds(6))),
      [6003, 60_302, 632_163, 4_158_883, 13_815_511, 27_631_021, 41_446_532, 69_077_553]
    ),
    (
      DelayDistribution(.pareto(minimum: .milliseconds(40), shape: 1.2)),
      [
        40_033_364, 40_336_418, 43_670_809, 71_271_897, 272_516_828, 1_856_635_533, 12_649_110_641,
        587_119_707_051,
      ]
    ),
    (
      DelayDistribution(.uniform(from: .milliseconds(2), to: .milliseconds(20))),
      [2_018_000, 2_180_000, 3_800_000, 11_000_000, 18_200_000, 19_820_000, 19_982_000, 19_999_820]
    ),
    (
      DelayDistribution(
        .mixture([
          .init(weight: 4, delay: .init(.lognormal(median: .milliseconds(150), sigma: 0.2))),
          .init(weight: 1, delay: .init(.lognormal(median: .milliseconds(600), sigma: 0.15))),
        ])),
      [
        81_938_339, 95_808_820, 119_171_713, 159_870_349, 600_000_000, 767_898_605, 882_981_325,
        1_075_475_790,
      ]
    ),
  ]

  @Test(arguments: cases) func quantilesAreScipys(distribution: DelayDistribution, expected: [Int64]) {
    for (p, nanoseconds) in zip(Self.probabilities, expected) {
      let found = distribution.quantile(p)
      let tolerance = Double(nanoseconds) * 1e-9 + 2
      #expect(
        abs(
          Double(found.components.attoseconds) * 1e-9 + Double(found.components.seconds) * 1e9
            - Double(nanoseconds)) <= tolerance, "p \(p): \(found)")
      #expect(abs(distribution.share(upTo: found) - p) < 1e-6, "p \(p)")
    }
  }

  @Test func normalQuantilesAreScipys() {
    let expected: [(Double, Double)] = [
      (1e-16, -8.222082216130435), (1e-9, -5.9978070150076865), (0.001, -3.090232306167813),
      (0.3, -0.5244005127080409), (0.5, 0), (0.7, 0.5244005127080407), (0.999, 3.090232306167813),
      (1 - 1e-12, 7.0344869100478356),
    ]
    for (p, z) in expected { #expect(abs(DelayDistribution.normalQuantile(p) - z) < 1e-9, "p \(p)") }
  }

  /// Kolmogorov and Smirnov: with this seed and the right distribution the distance is below the 0.1 % limit.
  @Test(arguments: cases.map(\.0)) func samplesFollowTheDistribution(distribution: DelayDistribution) {
    var generator = SeededGenerator(seed: 42)
    let count = 20_000
    let sample = (0..<count).map { _ in distribution.sample(using: &generator) }.sorted()
    var distance = 0.0
    for (index, delay) in sample.enumerated() {
      let share = distribution.share(upTo: delay)
      distance = max(
        distance, abs(share - Double(index) / Double(count)), abs(share - Double(index + 1) / Double(count)))
    }
    #expect(distance < 1.95 / Double(count).squareRoot())
  }

  @Test func cutsAtTheMaximum() {
    let delay = DelayDistribution(.pareto(minimum: .milliseconds(40), shape: 0.1), maximum: .seconds(3))
    #expect(delay.quantile(0.999999) == .seconds(3))
    #expect(delay.share(upTo: .seconds(3)) == 1)
    #expect(delay.share(upTo: .milliseconds(2999)) < 1)
    let endless = DelayDistribution(.lognormal(median: .seconds(80_000), sigma: 10))
    #expect(endless.quantile(0.999999) == DelayDistribution.longest)
    let mixture = DelayDistribution(
      .mixture([.init(weight: 1, delay: .constant(.seconds(9)))]), maximum: .seconds(2))
    var generator = SeededGenerator(seed: 1)
    #expect(mixture.sample(using: &generator) == .seconds(2))
    #expect(mixture.quantile(0.5) == .seconds(2))
  }

  @Test func constantsAreExact() {
    var generator = SeededGenerator(seed: 7)
    let delay = DelayDistribution.constant(.nanoseconds(1_234_567_891))
    #expect(delay.sample(using: &generator) == .nanoseconds(1_234_567_891))
    #expect(DelayDistribution.none.sample(using: &generator) == .zero)
  }
}
