import Findings
import Glibc
import Measurement

/// Promised against found: of a series without a change the detector is asked what it would find, and then changes of just that size,
/// and of half of it, are made many times.
public struct PowerEvaluation: Sendable {
  public enum Spread: String, Sendable, CaseIterable {
    /// Logarithms of latencies with this standard deviation: 0.35, 0.1 and 0.004.
    case wide, narrow, tight
    case pareto
    /// As wide, each value like the one before (0.8).
    case autoregressive
    /// As wide, half of the variance with a memory of five minutes.
    case wandering
  }

  /// What a series does while nothing is the matter.
  public enum Usual: Sendable, Hashable {
    case latency(Spread)
    /// The share of losses.
    case losses(Double)
  }

  public var usual: Usual
  /// Notifications a second.
  public var rate: Double
  /// Seconds recorded before the change.
  public var age: Double

  public init(_ usual: Usual, rate: Double, age: Double) {
    (self.usual, self.rate, self.age) = (usual, rate, age)
  }

  public var metric: SeriesMetric {
    if case .losses = usual { .lost } else { .delivery }
  }

  /// What became of the changes of one length.
  public struct Figure: Sendable {
    /// µs.
    public var length: Int64
    /// The mean of the sizes that were promised, as ratio − 1 or difference of shares.
    public var size = 0.0
    public var changes = 0
    public var found = 0
    public var foundOfHalf = 0
    /// Seconds.
    public var delays: [Double] = []
    public var promisedDelays: [Double] = []
    /// Histories of which nothing was promised at this length.
    public var silent = 0

    init(length: Int64) { self.length = length }
  }

  /// - Parameters:
  ///   - histories: how many series without a change.
  ///   - changes: how many changes of each size are made to each.
  ///   - lengths: µs, of the changes.
  public func figures(histories: Int, changes: Int, lengths: [Int64], seed: Int = 0) -> [Figure] {
    var figures = lengths.map(Figure.init)
    for history in 0..<histories {
      var series = Series(self, seed: seed + history)
      var detector = SeriesDetector(metric, rate: rate)
      series.record(until: age, into: &detector)
      let steps = detector.power?.steps ?? []
      for place in figures.indices {
        guard let step = steps.first(where: { $0.length == figures[place].length }) else {
          figures[place].silent += 1
          continue
        }
        let size = metric.isShare ? step.size : step.size - 1
        figures[place].size += size * Double(changes)
        figures[place].changes += changes
        figures[place].promisedDelays.append(Double(step.delay) / 1e6)
        for change in 0..<changes {
          let seed = (seed + history) * 1000 + change
          if let delay = series.delay(of: size, for: step.length, in: detector, seed: seed) {
            figures[place].found += 1
            figures[place].delays.append(delay)
          }
          if series.delay(of: size / 2, for: step.length, in: detector, seed: seed) != nil {
            figures[place].foundOfHalf += 1
          }
        }
      }
    }
    for place in figures.indices { figures[place].size /= Double(max(1, figures[place].changes)) }
    return figures
  }

  /// A series that is recorded piece by piece.
  private struct Series {
    private let usual: Usual
    private let rate: Double
    private let piece: Double
    private var random: ProcessGenerator
    private var slow: Double
    private var time = 0.0
    private var planned = 0

    init(_ evaluation: PowerEvaluation, seed: Int) {
      usual = evaluation.usual
      rate = evaluation.rate
      random = ProcessGenerator("power/\(evaluation.usual)", seed: seed)
      slow = random.normal()
      piece = rate >= 1 ? 10 : 60
    }

    /// - Parameter change: its size, as ratio − 1 or difference of shares, from a second on and up to another one.
    mutating func record(
      until end: Double, into detector: inout SeriesDetector,
      change: (size: Double, time: Range<Double>)? = nil
    ) {
      while time < end {
        // Seconds as long as the bins of the first hour are in use.
        let next = min(end.rounded(.up), time + (time < 7200 ? 1 : piece))
        var latencies: [Int64] = []
        var (events, count) = (0, 0)
        while Double(planned) / rate < next {
          let at = Double(planned) / rate
          let size = change.map { $0.time.contains(at) ? $0.size : 0 } ?? 0
          switch usual {
          case .losses(let share):
            count += 1
            events += random.unit() < share + size ? 1 : 0
          case .latency(let spread): latencies.append(Int64(120_000 * exp(value(spread)) * (1 + size)))
          }
          planned += 1
        }
        let start = WallTime(microseconds: ChangeScenario.Day.epoch + Int64(time * 1e6))
        if case .losses = usual {
          detector.append(.share(events: events, count: count), start: start)
        } else {
          detector.append(.latencies(PackedLatencies(latencies)), start: start)
        }
        time = next
        detector.complete(
          through: WallTime(microseconds: ChangeScenario.Day.epoch + Int64(time * 1e6)))
      }
    }

    private mutating func value(_ spread: Spread) -> Double {
      switch spread {
      case .wide: return random.normal() * 0.35
      case .narrow: return random.normal() * 0.1
      case .tight: return random.normal() * 0.004
      case .pareto: return random.exponential() / 1.5 - 0.46
      case .autoregressive:
        slow = 0.8 * slow + 0.6 * random.normal()
        return slow * 0.35
      case .wandering:
        let memory = exp(-1 / (rate * 300))
        slow = memory * slow + (1 - memory * memory).squareRoot() * random.normal()
        return (slow + random.normal()) * 0.35 * 0.5.squareRoot()
      }
    }

    /// Seconds until a change is found that begins soon; `nil` when it is not.
    func delay(of size: Double, for length: Int64, in detector: SeriesDetector, seed: Int) -> Double? {
      var series = self
      var detector = detector
      series.random = ProcessGenerator("change of power", seed: seed)
      let seconds = Double(length) / 1e6
      let start = time + 2 * piece * series.random.unit() + (rate >= 1 ? 1 : 0) * series.random.unit()
      let end = start + seconds
      // Windows that contain it, and some bins: a change that is over is found as well.
      series.record(
        until: end + min(1800, max(seconds, 3 * piece, 10 / rate)), into: &detector,
        change: (size, start..<end))
      let kind = usual.isShare ? FindingKind.losing : .slower
      func second(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }
      let slack = max(2 * piece, 2 / rate)
      let found = detector.findings.first {
        $0.kind == kind && second($0.detectedAt) > start && second($0.start) < end + slack
          && second($0.end ?? .max) > start - slack
      }
      return found.map { second($0.detectedAt) - start }
    }
  }
}

extension PowerEvaluation.Usual {
  fileprivate var isShare: Bool {
    if case .losses = self { true } else { false }
  }
}
