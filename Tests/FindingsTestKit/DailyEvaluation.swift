import Findings
import Measurement

/// How well daily patterns are found, and how often where there is none.
public struct DailyEvaluation: Sendable {
  /// A stretch of each day in which latencies are higher.
  public struct Cycle: Sendable, Hashable {
    /// Of the latencies.
    public var factor: Double
    /// Seconds after midnight (UTC), and how long.
    public var start: Double
    public var length: Double
    /// Whether it comes on five of seven days only.
    public var isOnWeekdays = false
    /// The days on which it comes, from 0.
    public var days: Range<Int> = 0..<1_000

    public init(factor: Double, start: Double, length: Double) {
      (self.factor, self.start, self.length) = (factor, start, length)
    }

    func contains(_ time: Double) -> Bool {
      let day = Int(((time - start) / 86_400).rounded(.down))
      guard days.contains(day), !isOnWeekdays || day % 7 < 5 else { return false }
      return time - start - Double(day) * 86_400 < length
    }
  }

  public private(set) var series = 0
  public private(set) var found = 0
  /// Patterns where there is none, or of other hours.
  public private(set) var wrong = 0
  /// Minutes, of starts and ends.
  public private(set) var errors: [Double] = []
  /// After how many days one was found.
  public private(set) var days: [Double] = []

  public init() {}

  /// - Parameters:
  ///   - first: the hour of the first cycle; others are at other hours.
  public static func sample(
    _ noise: ChangeScenario.Noise, rate: Double, seed: Int, days: Int, cycles: [Cycle] = []
  ) -> ChangeScenario.Day {
    var day = ChangeScenario("daily, \(noise.rawValue)", noise: noise).sample(
      rate: rate, seed: seed, quietDays: Double(days - 1))
    guard !cycles.isEmpty else { return day }
    for index in day.times.indices {
      for cycle in cycles where cycle.contains(day.times[index]) {
        day.latencies[index] = Int64(Double(day.latencies[index]) * cycle.factor)
      }
    }
    return day
  }

  /// The patterns of a series, those too that ended.
  public static func patterns(of day: ChangeScenario.Day, rate: Double) -> [Finding] {
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    for bin in day.bins(.delivery, width: settings.binWidth) { detector.append(bin.values, start: bin.start) }
    // A day is looked at when the next one begins.
    let last = day.bins(.delivery, width: settings.binWidth).last?.start.microseconds ?? 0
    detector.append(
      .latencies(PackedLatencies([])), start: WallTime(microseconds: last + settings.binWidth))
    return detector.dailyPatterns
  }

  /// The changes that are found of a series, before a pattern is known and from the midnight on at which it is.
  public static func changes(
    of day: ChangeScenario.Day, rate: Double
  ) -> (before: [Finding], since: [Finding], daysSince: Double) {
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    let bins = day.bins(.delivery, width: settings.binWidth)
    for bin in bins { detector.append(bin.values, start: bin.start) }
    guard let known = detector.dailyPatterns.map(\.detectedAt).min(), let last = bins.last?.start.microseconds
    else { return (detector.findings, [], 0) }
    return (
      detector.findings.filter { $0.detectedAt < known }, detector.findings.filter { $0.detectedAt >= known },
      Double(last - known) / 86_400e6
    )
  }

  /// - Parameter cycle: what is to be found; `nil`: nothing.
  public mutating func add(_ patterns: [Finding], cycle: Cycle?) {
    series += 1
    guard let cycle else {
      wrong += patterns.count
      return
    }
    func minutes(_ time: Int64, from seconds: Double) -> Double {
      let rest = (Double(time % 86_400_000_000) / 1e6 - seconds).truncatingRemainder(dividingBy: 86_400)
      let error = min(abs(rest), 86_400 - abs(rest))
      return error / 60
    }
    let hits = patterns.filter {
      max(minutes($0.start, from: cycle.start), minutes($0.seenUntil, from: cycle.start + cycle.length)) <= 60
    }
    wrong += patterns.count - hits.count
    guard let first = hits.first else { return }
    found += 1
    errors += [
      minutes(first.start, from: cycle.start), minutes(first.seenUntil, from: cycle.start + cycle.length),
    ]
    days.append(Double(first.detectedAt - ChangeScenario.Day.epoch) / 86_400e6)
  }
}
