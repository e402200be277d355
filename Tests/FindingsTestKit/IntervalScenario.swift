import Findings
import Glibc
import Measurement

/// Latencies whose quantiles are known, with the kinds of dependence that probes meet.
public enum IntervalScenario: String, CaseIterable, Sendable {
  case independent
  case autoregressive80 = "ar .80"
  case autoregressive95 = "ar .95"
  case badMinutes1 = "bad minutes 1 %"
  case badMinutes3 = "bad minutes 3 %"
  case badSpells = "10-min spells"
  case wandering
  case cycle
  case pareto

  private static let median = 200_000.0
  private static let spread = 0.4

  public struct Sample: Sendable {
    /// Seconds from the beginning.
    public var times: [Double]
    /// µs.
    public var values: [Int64]
    /// Of the cycle, in days.
    var phase: Double
    var length: Double
  }

  /// - Parameter rate: a second.
  public func sample(_ count: Int, rate: Double, seed: Int) -> Sample {
    var random = ProcessGenerator("interval/" + rawValue, seed: seed)
    let times = (0..<count).map { Double($0) / rate }
    let phase = random.unit()
    let length = Double(count) / rate
    var logs: [Double]
    func noise() -> [Double] { times.map { _ in random.normal() * Self.spread } }
    func spells(_ unit: Double, _ share: Double) -> [Double] {
      let bad = random.spells(Int(length / unit) + 1, share: share)
      let values = noise()
      return zip(times, values).map { $1 + (bad[Int($0 / unit)] ? log(8) : 0) }
    }
    switch self {
    case .independent: logs = noise()
    case .autoregressive80: logs = random.autoregressive(count, correlation: 0.8).map { $0 * Self.spread }
    case .autoregressive95: logs = random.autoregressive(count, correlation: 0.95).map { $0 * Self.spread }
    case .badMinutes1: logs = spells(60, 0.01)
    case .badMinutes3: logs = spells(60, 0.03)
    case .badSpells: logs = spells(600, 0.03)
    case .wandering:
      let slow = random.autoregressive(count, correlation: exp(-1 / (rate * 300)))
      logs = slow.map { ($0 + random.normal()) * Self.spread * 0.5.squareRoot() }
    case .cycle:
      logs = zip(times, noise()).map { $1 + log(1.6) * sin(2 * .pi * ($0 / 86_400 + phase)) }
    case .pareto: logs = times.map { _ in random.exponential() / 1.5 }
    }
    return Sample(
      times: times, values: logs.map { Int64((Self.median * exp($0)).rounded()) }, phase: phase,
      length: length)
  }

  /// The true quantile of the process, µs; for the cycle that of the sample's own stretch.
  public func quantile(_ p: Double, of sample: Sample) -> Double {
    if self == .pareto { return Self.median * pow(1 - p, -1 / 1.5) }
    var parts: [(weight: Double, shift: Double)] = [(1, 0)]
    func bad(_ share: Double) { parts = [(1 - share, 0), (share, log(8))] }
    switch self {
    case .badMinutes1: bad(0.01)
    case .badMinutes3, .badSpells: bad(0.03)
    case .cycle:
      parts = (0..<400).map {
        let time = (Double($0) + 0.5) / 400 * sample.length / 86_400 + sample.phase
        return (1.0 / 400, log(1.6) * sin(2 * .pi * time))
      }
    default: break
    }
    var (low, high) = (-12.0, 30.0)
    for _ in 0..<70 {
      let middle = (low + high) / 2
      let share = parts.reduce(0) { $0 + $1.weight * normalShare((middle - $1.shift) / Self.spread) }
      if share < p { low = middle } else { high = middle }
    }
    return Self.median * exp((low + high) / 2)
  }
}

/// Losses whose share is known.
public enum LossScenario: String, CaseIterable, Sendable {
  case independent
  case bursts
  case badMinutes = "bad minutes"

  public func sample(_ count: Int, rate: Double, seed: Int) -> (lost: [Bool], share: Double) {
    var random = ProcessGenerator("loss/" + rawValue, seed: seed)
    switch self {
    case .independent: return ((0..<count).map { _ in random.unit() < 0.01 }, 0.01)
    case .badMinutes:
      let bad = random.spells(Int(Double(count) / rate / 60) + 1, share: 0.02)
      let lost = (0..<count).map { random.unit() < (bad[Int(Double($0) / rate / 60)] ? 0.5 : 0.001) }
      return (lost, 0.02 * 0.5 + 0.98 * 0.001)
    case .bursts:
      // Bursts of 90 s on average, 1.5 % of the time, lose 80 %.
      let step = 5.0
      var on = random.unit() < 0.015
      var lost: [Bool] = []
      var until = step
      for index in 0..<count {
        while Double(index) / rate >= until {
          on = on ? random.unit() >= step / 90 : random.unit() < step / 90 * 0.015 / 0.985
          until += step
        }
        lost.append(random.unit() < (on ? 0.8 : 0.002))
      }
      return (lost, 0.015 * 0.8 + 0.985 * 0.002)
    }
  }
}
