import Findings
import Glibc
import Measurement

/// Coverage and width of intervals over many seeds.
public struct IntervalEvaluation {
  public struct Figures: Sendable {
    public var rounds = 0
    public var covered = 0
    /// ln(high / low) of those with both ends.
    public var widths: [Double] = []
    public var coverage: Double { Double(covered) / Double(max(1, rounds)) }

    mutating func add(_ low: Int64?, _ high: Int64?, truth: Double) {
      rounds += 1
      if low.map({ Double($0) <= truth }) ?? true, high.map({ truth <= Double($0) }) ?? true { covered += 1 }
      if let low, let high { widths.append(log(Double(max(1, high)) / Double(max(1, low)))) }
    }

    public func median(of values: [Double]) -> Double? {
      values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
    public var width: Double? { median(of: widths) }
  }

  public var independent: [Quantile: Figures] = [:]
  public var alone: [Quantile: Figures] = [:]
  public var historic: [Quantile: Figures] = [:]
  private var errors: [Quantile: [Double]] = [:]

  public init(
    _ scenario: IntervalScenario, count: Int, rate: Double, seeds: Range<Int>, historyHours: Double,
    quantiles: [Quantile] = [.p50, .p95, .p99]
  ) {
    for seed in seeds {
      let (window, samples, truths) = Self.window(scenario, count, rate, seed, quantiles)
      let latencies = WindowLatencies(window, samples: samples)
      let history =
        historyHours > 0
        ? Self.history(scenario, rate: rate, hours: historyHours, window: window, seed: seed) : nil
      for (quantile, truth) in zip(quantiles, truths) {
        if let interval = latencies.interval(of: quantile) {
          alone[quantile, default: Figures()].add(interval.low, interval.high, truth: truth)
          errors[quantile, default: []].append(log(Double(interval.value) / truth))
        }
        if let interval = latencies.interval(of: quantile, history: history) {
          historic[quantile, default: Figures()].add(interval.low, interval.high, truth: truth)
        }
        switch latencies.independentEstimate(of: quantile) {
        case .known(_, let low, let high):
          independent[quantile, default: Figures()].add(low, high, truth: truth)
        case .tooFew: independent[quantile, default: Figures()].add(nil, nil, truth: truth)
        }
      }
    }
  }

  /// The width of an interval that would know the estimator's distribution.
  public func oracleWidth(_ quantile: Quantile) -> Double {
    let sorted = (errors[quantile] ?? []).sorted()
    guard sorted.count > 40 else { return .nan }
    return sorted[Int(0.975 * Double(sorted.count - 1))] - sorted[Int(0.025 * Double(sorted.count - 1))]
  }

  public static func window(
    _ scenario: IntervalScenario, _ count: Int, _ rate: Double, _ seed: Int, _ quantiles: [Quantile] = []
  ) -> (Range<WallTime>, [TimedLatency], [Double]) {
    let start = WallTime(microseconds: 1_700_000_000_000_000)
    let sample = scenario.sample(count, rate: rate, seed: seed)
    let samples = zip(sample.times, sample.values).map {
      TimedLatency(plannedAt: start.advanced(byMicroseconds: Int64($0 * 1e6)), latency: $1)
    }
    let end = start.advanced(byMicroseconds: Int64(Double(count) / rate * 1e6))
    return (start..<end, samples, quantiles.map { scenario.quantile($0.fraction, of: sample) })
  }

  /// Earlier windows from the same process.
  public static func history(
    _ scenario: IntervalScenario, rate: Double, hours: Double, window: Range<WallTime>, seed: Int
  ) -> LatencyHistory? {
    let length = window.upperBound.microseconds - window.lowerBound.microseconds
    let past = scenario.sample(Int(hours * 3600 * rate), rate: rate, seed: seed + 500_000)
    let start = window.lowerBound.advanced(byMicroseconds: -Int64(hours * 3.6e9))
    return LatencyHistory(
      before: window.lowerBound, windowLength: .microseconds(length),
      samples: zip(past.times, past.values).map {
        TimedLatency(plannedAt: start.advanced(byMicroseconds: Int64($0 * 1e6)), latency: $1)
      })
  }

  /// Coverage of a share's interval: independent, from the window alone, with a history.
  public static func losses(
    _ scenario: LossScenario, count: Int, rate: Double, seeds: Range<Int>, historyHours: Double
  ) -> (independent: Double, alone: Double, historic: Double) {
    var covered = (independent: 0, alone: 0, historic: 0)
    let start = WallTime(microseconds: 1_700_000_000_000_000)
    func bins(_ lost: [Bool], from start: WallTime) -> [ShareBin] {
      lost.enumerated().map {
        ShareBin(
          start: start.advanced(byMicroseconds: Int64(Double($0) / rate * 1e6)), events: $1 ? 1 : 0, count: 1)
      }
    }
    let length = Int64(Double(count) / rate * 1e6)
    for seed in seeds {
      let (lost, share) = scenario.sample(count, rate: rate, seed: seed)
      let past = scenario.sample(Int(historyHours * 3600 * rate), rate: rate, seed: seed + 500_000).lost
      let history = ShareHistory(
        before: start, windowLength: .microseconds(length),
        bins: bins(past, from: start.advanced(byMicroseconds: -Int64(historyHours * 3.6e9))))
      let window = WindowShares(start..<start.advanced(byMicroseconds: length), bins: bins(lost, from: start))
      func holds(_ interval: ShareInterval) -> Int { interval.low <= share && share <= interval.high ? 1 : 0 }
      covered.alone += holds(window.interval())
      covered.historic += holds(window.interval(history: history))
      covered.independent += holds(ShareInterval(independent: lost.count { $0 }, of: count))
    }
    let n = Double(seeds.count)
    return (Double(covered.independent) / n, Double(covered.alone) / n, Double(covered.historic) / n)
  }
}
