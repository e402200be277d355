import Findings
import Glibc
import Measurement

/// Provisional findings of the first hour.
public enum EarlyEvaluation {
  public enum Noise: String, Sendable, CaseIterable {
    case independent, autoregressive = "ar .8", minute = "correlated over 60 s", spikes, pareto
    case badMinutes = "bad minutes 3 %"
    /// Most values within 1 %.
    case tight
  }

  public struct Episode: Sendable {
    /// Seconds.
    public var start: Double
    public var length: Double
    public var factor: Double

    public init(start: Double, length: Double, factor: Double) {
      self.start = start
      self.length = length
      self.factor = factor
    }
  }

  /// Seconds of pieces, each a second long.
  public static func pieces(
    _ noise: Noise, rate: Double, seconds: Int, seed: Int, episode: Episode? = nil
  ) -> [(start: WallTime, values: SeriesValues)] {
    var random = ProcessGenerator("early/" + noise.rawValue, seed: seed)
    let memory = noise == .autoregressive ? 0.8 : exp(-1 / (rate * 60))
    var slow = random.normal()
    let bad = random.spells(seconds / 60 + 1, share: 0.03)
    var values = [[Int64]](repeating: [], count: seconds)
    for index in 0..<Int(Double(seconds) * rate) {
      let time = Double(index) / rate
      var value = 0.0
      switch noise {
      case .independent, .badMinutes, .spikes: value = random.normal() * 0.35
      case .autoregressive, .minute:
        slow = memory * slow + (1 - memory * memory).squareRoot() * random.normal()
        value = slow * 0.35
      case .pareto: value = random.exponential() / 1.5 - 0.46
      case .tight: value = random.normal() * 0.004
      }
      if noise == .spikes, random.unit() < 0.01 { value += log(5) }
      if noise == .badMinutes, bad[Int(time / 60)] { value += log(8) }
      if let episode, time >= episode.start, time < episode.start + episode.length {
        value += log(episode.factor)
      }
      if random.unit() >= 0.01 { values[Int(time)].append(Int64(120_000 * exp(value))) }
    }
    return values.enumerated().map {
      (
        WallTime(microseconds: ChangeScenario.Day.epoch + Int64($0) * 1_000_000),
        .latencies(PackedLatencies($1))
      )
    }
  }

  public static func findings(_ pieces: [(start: WallTime, values: SeriesValues)], rate: Double) -> [Finding]
  {
    var detector = SeriesDetector(.delivery, rate: rate)
    for piece in pieces {
      detector.append(piece.values, start: piece.start)
      detector.complete(through: piece.start.advanced(byMicroseconds: 1_000_000))
    }
    return detector.findings
  }

  /// Findings about a share of a young series.
  ///
  /// - Parameters:
  ///   - usual: the share outside of the episode.
  ///   - episode: its factor is the share.
  public static func losses(
    _ metric: SeriesMetric, rate: Double, usual: Double, seconds: Int, seed: Int, episode: Episode? = nil
  ) -> [Finding] {
    lossDetector(metric, rate: rate, usual: usual, seconds: seconds, seed: seed, episode: episode).findings
  }

  /// The detector that ``losses(_:rate:usual:seconds:seed:episode:)`` asks.
  public static func lossDetector(
    _ metric: SeriesMetric, rate: Double, usual: Double, seconds: Int, seed: Int, episode: Episode? = nil
  ) -> SeriesDetector {
    var random = ProcessGenerator("young losses", seed: seed)
    var detector = SeriesDetector(metric, rate: rate)
    for second in 0..<seconds {
      let isIn = episode.map { (($0.start)..<($0.start + $0.length)).contains(Double(second)) } ?? false
      let share = isIn ? episode?.factor ?? usual : usual
      let events = (0..<Int(rate)).reduce(0) { sum, _ in sum + (random.unit() < share ? 1 : 0) }
      let start = WallTime(microseconds: ChangeScenario.Day.epoch + Int64(second) * 1_000_000)
      detector.append(.share(events: events, count: Int(rate)), start: start)
      detector.complete(through: start.advanced(byMicroseconds: 1_000_000))
    }
    return detector
  }

  /// Of an episode: seconds until it was found, and by how many its start is off; `nil` when it was not.
  public static func find(
    _ episode: Episode, rate: Double, seed: Int
  ) -> (delay: Double, error: Double)? {
    let pieces = pieces(
      .independent, rate: rate, seconds: Int(episode.start) + 300, seed: seed, episode: episode)
    func seconds(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }
    let found = findings(pieces, rate: rate).first {
      $0.kind == .slower && seconds($0.start) >= episode.start - 5
        && seconds($0.start) <= episode.start + episode.length
    }
    return found.map { (seconds($0.detectedAt) - episode.start, abs(seconds($0.start) - episode.start)) }
  }
}
