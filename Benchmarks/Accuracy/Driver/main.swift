import Glibc
import Measurement

/// How often the 95 % intervals hold the true quantile, over 1 000 simulated runs of each of three distributions, by
/// exact figures and by histograms. The samplers and the true quantiles are written down here once more: nothing of the
/// scenario's own arithmetic is used.
struct Distribution {
  var name: String
  var draw: (inout SeededGenerator) -> Double
  /// ms at a fraction.
  var quantile: (Double) -> Double
}

/// The standard normal distribution's quantile, by halving.
func normalQuantile(_ p: Double) -> Double {
  var (low, high) = (-9.0, 9.0)
  while high - low > 1e-13 {
    let middle = (low + high) / 2
    if 0.5 * erfc(-middle / 2.0.squareRoot()) < p { low = middle } else { high = middle }
  }
  return high
}

func normal(_ generator: inout SeededGenerator) -> Double {
  // Box and Muller.
  (-2 * log(1 - generator.unit())).squareRoot() * cos(2 * Double.pi * generator.unit())
}

func share(lognormal x: Double, _ median: Double, _ sigma: Double) -> Double {
  0.5 * erfc(-log(x / median) / sigma / 2.0.squareRoot())
}

let distributions = [
  Distribution(
    name: "lognormal", draw: { 12 * exp(0.6 * normal(&$0)) }, quantile: { 12 * exp(0.6 * normalQuantile($0)) }
  ),
  Distribution(
    name: "bimodal",
    draw: { $0.unit() < 0.8 ? 15 * exp(0.2 * normal(&$0)) : 60 * exp(0.15 * normal(&$0)) },
    quantile: { p in
      var (low, high) = (1.0, 400.0)
      while high - low > 1e-10 {
        let x = (low + high) / 2
        let found = 0.8 * share(lognormal: x, 15, 0.2) + 0.2 * share(lognormal: x, 60, 0.15)
        if found < p { low = x } else { high = x }
      }
      return high
    }),
  Distribution(
    name: "heavy tail", draw: { 4 * pow(1 - $0.unit(), -1 / 1.2) }, quantile: { 4 * pow(1 - $0, -1 / 1.2) }),
]

let runs = 1000
let count = 4000
var generator = SeededGenerator(seed: 1)
var all = (exact: 0, histogram: 0, of: 0)
print(
  "\(runs) runs of \(count) values each; share of 95 % intervals that hold the true quantile (exact, histogram):"
)
for distribution in distributions {
  let quantiles: [Quantile] = [.p50, .p90, .p95, .p99, .p999]
  var exactHits = [Int](repeating: 0, count: quantiles.count)
  var histogramHits = exactHits
  let truths = quantiles.map { Int64((distribution.quantile($0.fraction) * 1000).rounded()) }
  for _ in 0..<runs {
    var histogram = LatencyHistogram()
    let values = (0..<count).map { _ in Int64((distribution.draw(&generator) * 1000).rounded()) }
    for value in values { histogram.record(value) }
    let exact = ExactQuantiles(values)
    for (index, quantile) in quantiles.enumerated() {
      func holds(_ estimate: QuantileEstimate) -> Bool {
        guard case .known(_, let low, let high) = estimate else { return false }
        return low <= truths[index] && truths[index] <= high
      }
      if holds(exact.estimate(quantile)) { exactHits[index] += 1 }
      if holds(histogram.estimate(quantile)) { histogramHits[index] += 1 }
    }
  }
  let parts = quantiles.indices.map { index in
    "\(quantiles[index].label) \(Double(exactHits[index] * 1000 / runs) / 10) \(Double(histogramHits[index] * 1000 / runs) / 10) %"
  }
  print("  \(distribution.name): " + parts.joined(separator: ", "))
  all.exact += exactHits.reduce(0, +)
  all.histogram += histogramHits.reduce(0, +)
  all.of += runs * quantiles.count
}
func percent(_ part: Int, of whole: Int) -> Double { (Double(part) / Double(whole) * 10_000).rounded() / 100 }
print(
  "  together: exact \(percent(all.exact, of: all.of)) %, histogram \(percent(all.histogram, of: all.of)) % (aim 94 to 96 %)"
)
