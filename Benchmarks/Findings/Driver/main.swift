import Findings
import FindingsTestKit
import Foundation
import Measurement

// How well findings do on scenarios whose truth is known, and what they cost. Where a prototype was measured on the same
// scenario, its figure stands beside in parentheses.
//   FindingsBenchmark
//   FindingsBenchmark intervals|equal|losses|early [seeds]
//   FindingsBenchmark causes [seeds] [strength] [nopings]
//   FindingsBenchmark changes|undisturbed [seeds] [notifications a second] [part of a scenario's name] [first seed]
//   FindingsBenchmark daily [series] [notifications a second] [part of a family's name] [first seed]
//   FindingsBenchmark dailychanges [series] [notifications a second] [first seed]
//   FindingsBenchmark midnight [days] [notifications a second]
//   FindingsBenchmark promise [changes] [part of a series' name]
//   FindingsBenchmark young [seeds]
//   FindingsBenchmark traces FOLDER
//   FindingsBenchmark series|lag [targets]
//   FindingsBenchmark store [rows]

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

/// Recall; median and p90 of the start's error; median delay: of the prototype, at four a minute and at one a second.
let prototype: [String: (fourAMinute: String, oneASecond: String)] = [
  "step x1.25": (".96; 59/410 s; 70 min", "1; 8/168 s; 279 s"),
  "step x2": ("1; 10/55 s; 232 s", "1; 1/3 s; 19 s"),
  "5 min x2": (".80; 12/30 s", "1; 1/1 s; 20 s"),
  "10 min x1.5": (".60", "1"),
  "10 min x2": ("1", "1"),
  "1 min x4": ("0", "1; 1 s; 10 s"),
  "p99 x3": ("1; 9/57 min; 2.4 h", "1; 46/194 s; 9 min"),
  "loss 1 to 10 %, 20 min": (".24", "1; 8/23 s; 150 s"),
  "drift x2 in 6 h": ("1; 70 min", "1; 43 min"),
]

func changes(_ scenarios: [ChangeScenario], _ seeds: Int, rate: Double, from first: Int = 0) {
  print(
    "rate \(rate)/s, \(seeds) days each: recall, start error (median, p90) s, delay s, start in interval, ends, false a day, ms a day"
  )
  var total = (days: 0, falseChanges: 0, found: 0)
  for scenario in scenarios {
    var figures = ChangeEvaluation()
    for seed in first..<first + seeds { figures.add(scenario, rate: rate, seed: seed) }
    func text(_ value: Double?) -> String { value.map { String(format: "%.0f", $0) } ?? "-" }
    print(
      scenario.name.padding(toLength: 28, withPad: " ", startingAt: 0),
      String(format: "%.2f", figures.recall), "start", text(ChangeEvaluation.median(figures.startErrors)),
      text(ChangeEvaluation.median(figures.startErrors, 0.9)), "delay",
      text(ChangeEvaluation.median(figures.delays)),
      "in", "\(figures.startsInInterval)/\(figures.found)", "ends", "\(figures.endsFound)/\(figures.ends)",
      "false", String(format: "%.3f", Double(figures.falseChanges) / Double(figures.days)),
      String(format: "%.1f ms", 1000 * figures.secondsADay / Double(figures.days)),
      "\(figures.memory / 1024) KiB",
      prototype[scenario.name].map { "(\(rate < 1 ? $0.fourAMinute : $0.oneASecond))" } ?? "")
    total.days += figures.days
    total.found += figures.found
    total.falseChanges += figures.falseChanges
  }
  print(
    "false changes:", total.falseChanges, "in", total.days, "target-days",
    rate < 1 ? "(5 in 640)" : "(0 in 200)")
  if total.found > 0 {
    let all = Double(total.found + total.falseChanges)
    print("precision:", percent(Double(total.found) / all), "% of", Int(all))
  }
}

func early(_ seeds: Int) {
  for rate in [20.0, 4, 1] {
    print("rate \(rate)/s: provisional findings in an undisturbed hour")
    for noise in EarlyEvaluation.Noise.allCases {
      let hours = rate > 10 ? max(2, seeds / 4) : seeds
      let count = (0..<hours).reduce(0) {
        $0
          + EarlyEvaluation.findings(
            EarlyEvaluation.pieces(noise, rate: rate, seconds: 3600, seed: $1), rate: rate
          ).count
      }
      print("  ", noise.rawValue, String(format: "%.2f", Double(count) / Double(hours)))
    }
    for (factor, length) in [(2.0, 60.0), (3, 60), (3, 30), (3, 8)] {
      let episode = EarlyEvaluation.Episode(start: rate > 1 ? 90 : 300, length: length, factor: factor)
      let found = (0..<seeds).compactMap { EarlyEvaluation.find(episode, rate: rate, seed: 1000 + $0) }
      let delay = ChangeEvaluation.median(found.map(\.delay)).map { String(format: "after %.0f s", $0) } ?? ""
      let error =
        ChangeEvaluation.median(found.map(\.error)).map { String(format: "start off by %.1f s", $0) } ?? ""
      print("   x\(factor) for \(length) s: \(found.count) of \(seeds)", delay, error)
    }
  }
}

/// Daily patterns in 14 days, at hours that differ from series to series, and where there is none.
func daily(_ seeds: Int, rate: Double, part: String, from first: Int) {
  print("\(seeds) series of 14 days at \(rate)/s: patterns where there is none")
  for noise in ChangeScenario.Noise.allCases where part.isEmpty || noise.rawValue.contains(part) {
    var figures = DailyEvaluation()
    var hours: [String] = []
    for seed in first..<first + seeds {
      let patterns = DailyEvaluation.patterns(
        of: DailyEvaluation.sample(noise, rate: rate, seed: seed, days: 14), rate: rate)
      figures.add(patterns, cycle: nil)
      hours += patterns.map { $0.dailyLine }
    }
    print("  ", noise.rawValue, figures.wrong, hours.prefix(6).joined(separator: " "))
  }
  guard part.isEmpty || part == "cycles" else { return }
  print(
    "of 2.5 h: found, within 20 min, median and p90 of the edges' error in min, days it took (median), others found"
  )
  for noise in [ChangeScenario.Noise.independent, .autoregressive, .wandering, .pareto, .spikes, .tight] {
    for (factor, isOnWeekdays) in [(1.15, false), (1.15, true), (1.3, false), (2, false)] {
      var figures = DailyEvaluation()
      for seed in first..<first + seeds {
        var cycle = DailyEvaluation.Cycle(
          factor: factor, start: Double((seed * 37 + 110) % 144) * 600, length: 9_000)
        cycle.isOnWeekdays = isOnWeekdays
        let day = DailyEvaluation.sample(noise, rate: rate, seed: seed, days: 14, cycles: [cycle])
        figures.add(DailyEvaluation.patterns(of: day, rate: rate), cycle: cycle)
      }
      func text(_ value: Double?) -> String { value.map { String(format: "%.0f", $0) } ?? "-" }
      let near = figures.errors.isEmpty ? 0 : figures.errors.count { $0 <= 20 }
      print(
        "  ", noise.rawValue, "x\(factor)\(isOnWeekdays ? " on weekdays" : ""):",
        "\(figures.found) of \(figures.series),",
        "\(near) of \(figures.errors.count) edges,", text(ChangeEvaluation.median(figures.errors)),
        text(ChangeEvaluation.median(figures.errors, 0.9)), text(ChangeEvaluation.median(figures.days)), "d,",
        figures.wrong)
    }
  }
}

/// What daily patterns of 2.5 h raise as changes, before they are known and since.
func dailyChanges(_ seeds: Int, rate: Double, from first: Int) {
  print(
    "\(seeds) series of 21 days at \(rate)/s with 2.5 h a day: changes found before it is known, and since, a day"
  )
  for noise in [ChangeScenario.Noise.tight, .independent, .autoregressive, .pareto] {
    for factor in [1.3, 2] {
      for (name, isOnWeekdays, jitter) in [
        ("", false, 0.0), ("on weekdays", true, 0), ("± 10 min", false, 600),
      ] {
        var (before, since, days) = (0, 0, 0.0)
        var kinds: [String: Int] = [:]
        for seed in first..<first + seeds {
          let cycles = (0..<21).map { day -> DailyEvaluation.Cycle in
            let moved =
              jitter * (2 * (Double(day * 7 + seed * 3) * 0.618).truncatingRemainder(dividingBy: 1) - 1)
            var cycle = DailyEvaluation.Cycle(
              factor: factor,
              start: Double((seed * 37 + 110) % 144) * 600 + Double(seed * 97 % 600) + 600 + moved,
              length: 9_000)
            cycle.isOnWeekdays = isOnWeekdays
            cycle.days = day..<day + 1
            return cycle
          }
          let series = DailyEvaluation.sample(noise, rate: rate, seed: seed, days: 21, cycles: cycles)
          let found = DailyEvaluation.changes(of: series, rate: rate)
          before += found.before.count
          since += found.since.count
          days += found.daysSince
          for finding in found.since {
            let day = (finding.detectedAt - ChangeScenario.Day.epoch) / 86_400_000_000
            kinds["\(finding.kind) \(finding.quantile ?? 0) day \(day)", default: 0] += 1
          }
        }
        print(
          "  ", noise.rawValue, "x\(factor) \(name): \(before) before, \(since) in",
          String(format: "%.0f days since", days),
          kinds.sorted { $0.value > $1.value }.prefix(5).map { "\($0.value) \($0.key)" })
      }
    }
  }
}

/// What the midnights cost at which levels, profile and daily patterns are learned anew, beside the rest of the day.
func midnight(_ days: Int, rate: Double) {
  for noise in [ChangeScenario.Noise.independent, .wandering, .tight] {
    let series = DailyEvaluation.sample(
      noise, rate: rate, seed: 1, days: days,
      cycles: [8.0, 18.5].map { DailyEvaluation.Cycle(factor: 1.3, start: $0 * 3_600, length: 9_000) })
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    var (rest, midnights, last) = (0.0, [Double](), Int64(-1))
    for bin in series.bins(.delivery, width: settings.binWidth) {
      let begin = clock()
      detector.append(bin.values, start: bin.start)
      let milliseconds = 1000 * Double(clock() - begin) / Double(CLOCKS_PER_SEC)
      let day = bin.start.microseconds / 86_400_000_000
      if day != last { midnights.append(milliseconds) } else { rest += milliseconds }
      last = day
    }
    print(
      noise.rawValue,
      String(
        format: "midnight: median %.2f ms, most %.2f ms", ChangeEvaluation.median(midnights) ?? 0,
        midnights.max() ?? 0),
      String(format: "rest of a day %.1f ms,", rest / Double(days)), "patterns", detector.dailyPatterns.count)
  }
}

extension Finding {
  /// `18:20 for 150 min, p50, 4 of 5 days, 9.1 nats`.
  fileprivate var dailyLine: String {
    let minute = Int(start % 86_400_000_000 / 60_000_000)
    return String(
      format: "%02d:%02d for %d min, p%.0f, %.0f of %d days, %.1f nats;", minute / 60, minute % 60,
      Int(window / 60_000_000), 100 * (quantile ?? 0), effectiveCount, count, statistic)
  }
}

/// Losses in a series of some minutes.
func young(_ seeds: Int) {
  func seconds(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }
  for (rate, share, length) in [(20.0, 0.05, 60.0), (40, 0.08, 40), (20, 0.03, 120)] {
    let delays = (0..<seeds).compactMap { seed -> Double? in
      let found = EarlyEvaluation.losses(
        .lost, rate: rate, usual: 0.001, seconds: 390 + Int(length), seed: seed,
        episode: .init(start: 360, length: length, factor: share))
      return found.first { (345..<360 + length).contains(seconds($0.start)) }.map {
        seconds($0.detectedAt) - 360
      }
    }
    print(
      "losses of \(percent(share)) % for \(Int(length)) s at \(Int(rate))/s: \(delays.count) of \(seeds), after",
      ChangeEvaluation.median(delays) ?? .nan, "s, p90", ChangeEvaluation.median(delays, 0.9) ?? .nan)
  }
  for share in [0.001, 0.01] {
    let count = (0..<seeds).reduce(0) {
      $0 + EarlyEvaluation.losses(.lost, rate: 20, usual: share, seconds: 720, seed: 100 + $1).count
    }
    print("findings in \(seeds) quiet runs of 12 min at \(percent(share)) %:", count)
  }
}

/// Of recorded round trips that a person labeled.
func traces(_ folder: String) throws {
  var figures = TraceFigures()
  for trace in try LabeledTrace.folder(folder) { figures.add(trace) }
  figures.print()
}

func causes(_ seeds: Int, strength: Double, pings: Bool) {
  print("verdicts on \(seeds) cases each at strength \(strength)\(pings ? "" : ", without PING")")
  var totals = (right: 0, wrong: 0, undecided: 0)
  let begin = clock()
  for scenario in CauseScenario.allCases {
    var counts: [String: Int] = [:]
    for seed in 0..<seeds {
      let instance = scenario.make(seed: seed, strength: strength, pings: pings)
      let verdicts = Diagnosis(instance.episode).verdicts
      let right = scenario.isRight(verdicts, instance)
      let word = verdicts.first.map { $0.cause.isDecided ? $0.cause.rawValue : "undecided" } ?? "nothing"
      counts[right == false ? word + " (wrong)" : word, default: 0] += 1
      guard CauseScenario.scripted.contains(scenario) else { continue }
      switch right {
      case true?: totals.right += 1
      case false?: totals.wrong += 1
      case nil: totals.undecided += 1
      }
    }
    print(
      "  ", scenario.rawValue,
      counts.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  }
  let all = Double(totals.right + totals.wrong + totals.undecided)
  print(
    "the first thirteen: right", percent(Double(totals.right) / all), "wrong",
    percent(Double(totals.wrong) / all), strength == 1 ? "(97.9, 0)" : strength == 0.25 ? "(90.0, 0)" : "")
  let milliseconds = 1000 * Double(clock() - begin) / Double(CLOCKS_PER_SEC)
  print(
    String(
      format: "%.0f ms a case, its generation included",
      milliseconds / Double(seeds * CauseScenario.allCases.count)))
}

let arguments = CommandLine.arguments.dropFirst()
let seeds = arguments.dropFirst().first.flatMap { Int($0) }
switch arguments.first {
case "intervals": intervals(seeds ?? 400)
case "equal": equalWindows(seeds ?? 400)
case "losses": losses(seeds ?? 400)
case "early": early(seeds ?? 10)
case "causes":
  causes(
    seeds ?? 20, strength: arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1,
    pings: !arguments.contains("nopings"))
case "changes", "undisturbed":
  let rate = arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1.0 / 15
  let scenarios = arguments.first == "changes" ? ChangeScenario.changes : ChangeScenario.undisturbed
  let part = arguments.dropFirst(3).first ?? ""
  let first = arguments.dropFirst(4).first.flatMap { Int($0) } ?? 0
  changes(scenarios.filter { part.isEmpty || $0.name.contains(part) }, seeds ?? 20, rate: rate, from: first)
case "daily":
  daily(
    seeds ?? 100, rate: arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1.0 / 15,
    part: arguments.dropFirst(3).first ?? "", from: arguments.dropFirst(4).first.flatMap { Int($0) } ?? 0)
case "dailychanges":
  dailyChanges(
    seeds ?? 10, rate: arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1.0 / 15,
    from: arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
case "midnight":
  midnight(seeds ?? 21, rate: arguments.dropFirst(2).first.flatMap { Double($0) } ?? 1)
case "promise": PromiseFigures.print(changes: seeds ?? 200, part: arguments.dropFirst(2).first ?? "")
case "young": young(seeds ?? 20)
case "traces":
  if let folder = arguments.dropFirst().first { try traces(folder) } else { print("traces: which folder?") }
case "series": try WatchCost.ticks(targets: seeds ?? 100)
case "lag": try WatchCost.lag(targets: seeds ?? 100, rounds: 6, seconds: 10)
case "store": try WatchCost.store(rows: seeds ?? 1_000_000, targets: 10)
default:
  intervals(100)
  equalWindows(100)
  losses(100)
  early(10)
  young(20)
  for rate in [1.0 / 15, 1] {
    changes(ChangeScenario.changes, 20, rate: rate)
    // More than 200 target-days.
    changes(ChangeScenario.undisturbed, 30, rate: rate)
  }
  PromiseFigures.print(changes: 40, part: "")
  causes(40, strength: 1, pings: true)
  causes(40, strength: 0.25, pings: true)
  try WatchCost.ticks(targets: 100)
  try WatchCost.lag(targets: 100, rounds: 6, seconds: 10)
  try WatchCost.store(rows: 1_000_000, targets: 10)
}
