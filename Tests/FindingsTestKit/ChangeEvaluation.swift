import Findings
import Glibc
import Measurement

/// How well changes are found over many seeds.
public struct ChangeEvaluation: Sendable {
  public var days = 0
  public var found = 0
  public var falseChanges = 0
  public var ends = 0
  public var endsFound = 0
  public var startsInInterval = 0
  /// Seconds.
  public var startErrors: [Double] = []
  public var delays: [Double] = []
  /// Processor time of appending the bins of the last day, latencies and losses.
  public var secondsADay = 0.0
  public var memory = 0

  public var recall: Double { Double(found) / Double(max(1, days)) }

  public init() {}

  public static func median(_ values: [Double], _ part: Double = 0.5) -> Double? {
    values.isEmpty ? nil : values.sorted()[min(values.count - 1, Int(part * Double(values.count)))]
  }

  /// Two quiet days and one with the change, latencies and losses.
  public mutating func add(_ scenario: ChangeScenario, rate: Double, seed: Int, quietDays: Double = 2) {
    let day = scenario.sample(rate: rate, seed: seed, quietDays: quietDays)
    let quiet = quietDays * 86_400
    days += 1
    var changes: [(time: Double, alarm: Double?, low: Double, high: Double)] = []
    for metric in [SeriesMetric.delivery, .lost] {
      var settings = DetectorSettings(rate: rate)
      settings.cells = 21
      let bins = day.bins(metric, width: settings.binWidth)
      var detector = ChangeDetector(metric, settings: settings)
      var begin = clock()
      for (index, bin) in bins.enumerated() {
        if Int64(index) * settings.binWidth == Int64(quiet * 1e6) { begin = clock() }
        detector.append(bin.values, start: bin.start)
      }
      secondsADay += Double(clock() - begin) / Double(CLOCKS_PER_SEC)
      memory = max(memory, detector.memory)
      func seconds(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }
      for finding in detector.findings where seconds(finding.detectedAt) > quiet {
        let finding = day.refined(finding, width: settings.binWidth)
        let interval = finding.startInterval ?? finding.start...finding.start
        changes.append(
          (
            seconds(finding.start), seconds(finding.detectedAt), seconds(interval.lowerBound),
            seconds(interval.upperBound)
          ))
        if let end = finding.end { changes.append((seconds(end), nil, seconds(end), seconds(end))) }
      }
    }
    let isDrift = scenario.change == .drift
    func near(_ change: (time: Double, alarm: Double?, low: Double, high: Double), _ truth: Double) -> Bool {
      abs(change.time - truth) <= 900 || (change.low <= truth && truth <= change.high)
    }
    if let start = day.start {
      let candidates = changes.filter {
        $0.alarm != nil && (isDrift ? (0...25_200).contains($0.time - start) : near($0, start))
      }
      if let best = candidates.min(by: { abs($0.time - start) < abs($1.time - start) }) {
        found += 1
        startErrors.append(abs(best.time - start))
        if let alarm = best.alarm { delays.append(alarm - start) }
        if best.low - 1 <= start, start <= best.high + 1 { startsInInterval += 1 }
      }
    }
    if let end = day.end {
      ends += 1
      if changes.contains(where: { $0.alarm == nil && near($0, end) }) { endsFound += 1 }
    }
    falseChanges += changes.count { change in
      guard let start = day.start else { return true }
      if isDrift { return !(-900...28_800).contains(change.time - start) }
      return !near(change, start) && !(day.end.map { near(change, $0) } ?? false)
    }
  }
}
