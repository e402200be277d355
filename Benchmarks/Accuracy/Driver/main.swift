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

/// The probability that two ranks enclose a quantile, from the definition: that a binomial count of values below it is at
/// least the first and less than the second.
func coverage(of ranks: ClosedRange<Int>, among count: Int, _ fraction: Double) -> Double {
  let n = Double(count)
  return (ranks.lowerBound..<ranks.upperBound).reduce(0) { sum, k in
    let k = Double(k)
    let ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return sum + exp(ways + k * log(fraction) + (n - k) * log1p(-fraction))
  }
}

func percent(_ share: Double) -> Double { (share * 10_000).rounded() / 100 }

func verdict(_ what: String, _ figure: String, aim: String, isMet: Bool) {
  print("  [\(isMet ? "met" : "MISSED")] \(what): \(figure) (aim \(aim))")
}

let runs = 1000
let count = 4000
let quantiles: [Quantile] = [.p50, .p90, .p95, .p99, .p999]
var generator = SeededGenerator(seed: 1)
/// By quantile, over all distributions.
var exactHits = [Int](repeating: 0, count: quantiles.count)
var histogramHits = exactHits
/// Runs in which the exact interval held the quantile and the histogram's did not: it is wider, so never.
var narrower = 0
print(
  "\(runs) runs of \(count) values each; % of the 95 % intervals that hold the true quantile, exact / histogram:"
)
for distribution in distributions {
  let truths = quantiles.map { Int64((distribution.quantile($0.fraction) * 1000).rounded()) }
  var hits = quantiles.map { _ in (exact: 0, histogram: 0) }
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
      let found = (exact: holds(exact.estimate(quantile)), histogram: holds(histogram.estimate(quantile)))
      if found.exact { hits[index].exact += 1 }
      if found.histogram { hits[index].histogram += 1 }
      if found.exact && !found.histogram { narrower += 1 }
    }
  }
  let parts = quantiles.indices.map { index in
    let shares = (
      percent(Double(hits[index].exact) / Double(runs)), percent(Double(hits[index].histogram) / Double(runs))
    )
    return "\(quantiles[index].label) \(shares.0) / \(shares.1)"
  }
  print("  \(distribution.name): " + parts.joined(separator: ", "))
  for index in quantiles.indices {
    exactHits[index] += hits[index].exact
    histogramHits[index] += hits[index].histogram
  }
}

print("  beside what the ranks give by the binomial sum, which whole ranks keep above 95 %:")
let each = Double(runs * distributions.count)
var analytic: [Double] = []
var farthest = 0.0
for (index, quantile) in quantiles.enumerated() {
  guard let ranks = OrderStatistics.ranks(count: count, quantile: quantile) else { continue }
  let expected = coverage(of: ranks, among: count, quantile.fraction)
  let found = Double(exactHits[index]) / each
  let deviation = (expected * (1 - expected) / each).squareRoot()
  analytic.append(expected)
  farthest = max(farthest, abs(found - expected) / deviation)
  print(
    "    \(quantile.label): ranks \(ranks), analytic \(percent(expected)) %, exact \(percent(found)) %"
      + " (difference \(percent(found - expected)), one standard deviation \(percent(deviation))),"
      + " histogram \(percent(Double(histogramHits[index]) / each)) %")
}
let expected = analytic.reduce(0, +) / Double(max(1, analytic.count))
let all = each * Double(quantiles.count)
for (name, hits) in [("exact", exactHits), ("histogram", histogramHits)] {
  let found = Double(hits.reduce(0, +)) / all
  verdict(
    "coverage of 95 % intervals, \(name)", "\(percent(found)) %, analytic \(percent(expected)) %",
    aim: "94 to 96 %",
    isMet: (0.94...0.96).contains(found))
}
verdict(
  "measured coverage beside the analytic one",
  "at most \((farthest * 100).rounded() / 100) standard deviations off",
  aim: "3.5",
  isMet: farthest <= 3.5)
verdict(
  "histogram intervals that lost what the exact one held", "\(narrower)", aim: "none", isMet: narrower == 0)
