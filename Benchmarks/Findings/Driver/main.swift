import Findings
import FindingsTestKit
import Foundation
import Measurement

// How well findings do on scenarios whose truth is known:
//   FindingsBenchmark intervals [seeds] | equal [seeds] | losses [seeds]

func percent(_ share: Double) -> String { String(format: "%5.1f", 100 * share) }

func intervals(_ seeds: Int) {
  print(
    "coverage in %, width to the oracle's; p50 / p95 / p99: order statistics, window alone, with 72 h of history"
  )
  for scenario in IntervalScenario.allCases {
    let figures = IntervalEvaluation(scenario, count: 3600, rate: 0.25, seeds: 0..<seeds, historyHours: 72)
    var line = scenario.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0)
    for part in [figures.independent, figures.alone, figures.historic] {
      for quantile in [Quantile.p50, .p95, .p99] {
        guard let figure = part[quantile] else { continue }
        let width = figure.width.map { String(format: "%.2f", $0 / figures.oracleWidth(quantile)) } ?? " -  "
        line += " \(percent(figure.coverage)) w\(width)"
      }
      line += "  |"
    }
    print(line)
  }
}

func equalWindows(_ seeds: Int) {
  print("false \"changed\" of two equal windows, p95, in %: disjoint order statistics, with a history")
  for scenario in [IntervalScenario.independent, .badMinutes3, .autoregressive95, .badSpells, .wandering] {
    var (today, now) = (0, 0)
    for seed in 0..<seeds {
      let sides = [seed, seed + 100_000].map { seed -> (QuantileEstimate, QuantileInterval?) in
        let (window, samples, _) = IntervalEvaluation.window(scenario, 3600, 0.25, seed)
        let history = IntervalEvaluation.history(scenario, rate: 0.25, hours: 72, window: window, seed: seed)
        let latencies = WindowLatencies(window, samples: samples)
        return (latencies.independentEstimate(of: .p95), latencies.interval(of: .p95, history: history))
      }
      if case .known(_, let low, let high) = sides[0].0, case .known(_, let low2, let high2) = sides[1].0,
        high < low2 || high2 < low
      {
        today += 1
      }
      if let before = sides[0].1, let after = sides[1].1 {
        let comparison = QuantileComparison(from: before, to: after)
        if comparison.low > 0 || comparison.high < 0 { now += 1 }
      }
    }
    print(scenario.rawValue, percent(Double(today) / Double(seeds)), percent(Double(now) / Double(seeds)))
  }
}

func losses(_ seeds: Int) {
  print("coverage of the share of losses in %: independent, window alone, with a history")
  for scenario in LossScenario.allCases {
    let figures = IntervalEvaluation.losses(
      scenario, count: 3600, rate: 0.25, seeds: 0..<seeds, historyHours: 72)
    print(scenario.rawValue, percent(figures.independent), percent(figures.alone), percent(figures.historic))
  }
}

let arguments = CommandLine.arguments.dropFirst()
let seeds = arguments.dropFirst().first.flatMap { Int($0) }
switch arguments.first {
case "intervals": intervals(seeds ?? 400)
case "equal": equalWindows(seeds ?? 400)
case "losses": losses(seeds ?? 400)
default:
  intervals(seeds ?? 100)
  equalWindows(seeds ?? 100)
  losses(seeds ?? 100)
}
