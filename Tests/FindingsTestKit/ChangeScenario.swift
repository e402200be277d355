import Findings
import Glibc
import Measurement

/// Days of a series with a change of known kind, start and size, after days without one.
public struct ChangeScenario: Sendable {
  public enum Noise: String, Sendable, CaseIterable {
    case independent, autoregressive, wandering, cycle, pareto, spikes, lossy
    /// 3 % of the minutes are eight times slower.
    case badMinutes
    /// Most values within 1 %; the second wanders by 4 %, with a memory of half an hour.
    case tight, tightWandering
  }

  public enum Change: Sendable, Hashable {
    case latency(factor: Double)
    /// 3 % of the notifications slower, so that p99 is three times itself.
    case tail
    case losses(share: Double)
    /// To twice the latency within six hours.
    case drift
  }

  public var name: String
  public var noise: Noise
  public var change: Change?
  /// Seconds; `nil` is lasting.
  public var duration: Double?

  public init(_ name: String, noise: Noise = .independent, change: Change? = nil, for duration: Double? = nil)
  {
    self.name = name
    self.noise = noise
    self.change = change
    self.duration = duration
  }

  public static let undisturbed: [ChangeScenario] =
    [.independent, .autoregressive, .wandering, .cycle, .pareto, .spikes, .lossy, .tight].map {
      ChangeScenario("undisturbed, \($0.rawValue)", noise: $0)
    }

  public static let changes: [ChangeScenario] = [
    ChangeScenario("step x1.25", change: .latency(factor: 1.25)),
    ChangeScenario("step x2", change: .latency(factor: 2)),
    ChangeScenario("5 min x2", change: .latency(factor: 2), for: 300),
    ChangeScenario("10 min x1.5", change: .latency(factor: 1.5), for: 600),
    ChangeScenario("10 min x2", change: .latency(factor: 2), for: 600),
    ChangeScenario("2 min x4", change: .latency(factor: 4), for: 120),
    ChangeScenario("1 min x4", change: .latency(factor: 4), for: 60),
    ChangeScenario("p99 x3", change: .tail),
    ChangeScenario("loss 1 to 10 %, 20 min", noise: .lossy, change: .losses(share: 0.1), for: 1200),
    ChangeScenario("drift x2 in 6 h", change: .drift),
    ChangeScenario("tight x1.15", noise: .tight, change: .latency(factor: 1.15)),
    ChangeScenario("tight x0.85", noise: .tight, change: .latency(factor: 0.85)),
  ]

  public struct Day: Sendable {
    public init() {}

    /// Seconds since the beginning of the first day, µs, lost.
    public var times: [Double] = []
    public var latencies: [Int64] = []
    public var lost: [Bool] = []
    /// Seconds.
    public var start: Double?
    public var end: Double?
  }

  /// Days without the change, then one with it.
  public func sample(rate: Double, seed: Int, quietDays: Double, seconds: Double = 86_400) -> Day {
    var random = ProcessGenerator("change/" + name, seed: seed)
    let quiet = quietDays * 86_400
    var day = Day()
    if let change {
      let at = change == .drift ? 4 + 8 * random.unit() : 5 + 14 * random.unit()
      day.start = quiet + at / 24 * seconds
      day.end = duration.map { (day.start ?? 0) + $0 }
    }
    let count = Int((quiet + seconds) * rate)
    var slow = random.normal()
    let memory = noise == .autoregressive ? 0.8 : exp(-1 / (rate * (noise == .tightWandering ? 1800 : 300)))
    var isBad: [Bool] = []
    if noise == .badMinutes { isBad = random.spells(Int((quiet + seconds) / 60) + 1, share: 0.03) }
    for index in 0..<count {
      let time = Double(index) / rate
      var value: Double
      switch noise {
      case .autoregressive, .wandering:
        slow = memory * slow + (1 - memory * memory).squareRoot() * random.normal()
        value = noise == .autoregressive ? slow * 0.35 : (slow + random.normal()) * 0.35 * 0.5.squareRoot()
      case .tight: value = random.normal() * 0.004
      case .tightWandering:
        slow = memory * slow + (1 - memory * memory).squareRoot() * random.normal()
        value = slow * 0.04 + random.normal() * 0.004
      case .pareto: value = random.exponential() / 1.5 - 0.46
      default: value = random.normal() * 0.35
      }
      switch noise {
      case .cycle: value += log(1.6) * sin(2 * .pi * (time / 86_400 - 0.3))
      case .spikes: if random.unit() < 0.01 { value += log(5) }
      case .badMinutes: if isBad[Int(time / 60)] { value += log(8) }
      default: break
      }
      var lossShare = noise == .lossy ? 0.01 : 0.001
      if let change, let start = day.start, time >= start, time < day.end ?? .infinity {
        switch change {
        case .latency(let factor): value += log(factor)
        case .tail: if random.unit() < 0.03 { value += log(5.8) }
        case .losses(let share): lossShare = share
        case .drift: value += log(2) * min(1, (time - start) / 21_600)
        }
      }
      day.times.append(time)
      day.latencies.append(Int64(120_000 * exp(value)))
      day.lost.append(random.unit() < lossShare)
    }
    return day
  }
}

extension ChangeScenario.Day {
  /// Midnight UTC of some day.
  public static let epoch: Int64 = 1_699_920_000_000_000

  /// Complete bins of a metric, in order.
  public func bins(_ metric: SeriesMetric, width: Int64) -> [(start: WallTime, values: SeriesValues)] {
    guard let last = times.last else { return [] }
    let count = Int((Int64(last * 1e6) + width) / width)
    var result: [(start: WallTime, values: SeriesValues)] = []
    result.reserveCapacity(count)
    var index = 0
    for bin in 0..<count {
      let end = Double(bin + 1) * Double(width) / 1e6
      var latencies: [Int64] = []
      var events = 0
      var all = 0
      while index < times.count, times[index] < end {
        all += 1
        if lost[index] { events += 1 } else { latencies.append(self.latencies[index]) }
        index += 1
      }
      let start = WallTime(microseconds: Self.epoch + Int64(bin) * width)
      result.append(
        (start, metric.isShare ? .share(events: events, count: all) : .latencies(PackedLatencies(latencies))))
    }
    return result
  }

  /// A finding's start refined by the samples around it.
  public func refined(_ finding: Finding, width: Int64) -> Finding {
    let center = Double(finding.start - Self.epoch) / 1e6
    let reach = 2 * Double(width) / 1e6
    let near = times.indices.filter { times[$0] >= center - reach && times[$0] < center + reach }
    func at(_ index: Int) -> WallTime { WallTime(microseconds: Self.epoch + Int64(times[index] * 1e6)) }
    if finding.metric.isShare {
      return finding.refined(byEvents: near.map { (at($0), lost[$0]) })
    }
    return finding.refined(
      bySamples: near.filter { !lost[$0] }.map { TimedLatency(plannedAt: at($0), latency: latencies[$0]) })
  }
}
