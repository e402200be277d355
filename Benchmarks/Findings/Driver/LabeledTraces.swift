import Findings
import Foundation
import Measurement

/// How well findings agree with the changes that a person saw in recorded round trips.
///
/// A folder has files of lines `time;milliseconds;mark`: the time in UTC as `YYYY-MM-DD hh:mm:ss` or `DD/MM/YYYY hh:mm`, a
/// round trip below 1 ms is a lost one, and the mark is 1 at the first sample after a change.
struct LabeledTrace {
  struct Sample {
    /// µs since 1970.
    var time: Int64
    /// µs; `nil`: lost.
    var latency: Int64?
    var isLabel: Bool
  }

  /// A round trip in four minutes.
  private static let rate = 1.0 / 240

  var name: String
  var samples: [Sample]

  static func folder(_ path: String) throws -> [LabeledTrace] {
    try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".csv") }.sorted().map {
      name in
      let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
      let samples = text.split(whereSeparator: \.isNewline).compactMap(Sample.init).sorted {
        $0.time < $1.time
      }
      return LabeledTrace(name: String(name.dropLast(4)), samples: samples)
    }
  }

  var days: Double {
    guard let first = samples.first, let last = samples.last else { return 0 }
    return max(0, Double(last.time - first.time) / 86_400_000_000 - 2)
  }

  /// A change that a person saw.
  struct Label {
    var time: Int64
    /// The ratio of the medians beside it, 1 or more.
    var ratio: Double
    /// Whether both sides have an hour of samples.
    var hasRoom: Bool
    var isLoss: Bool
  }

  func labels(after: Int64) -> [Label] {
    let cuts = [0] + samples.indices.filter { samples[$0].isLabel && $0 > 0 } + [samples.count]
    func median(_ part: ArraySlice<Sample>) -> Double? {
      let values = part.compactMap(\.latency).sorted()
      return values.isEmpty ? nil : Double(values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    }
    func lost(_ part: ArraySlice<Sample>) -> Double {
      Double(part.count { $0.latency == nil }) / Double(max(1, part.count))
    }
    return (1..<max(1, cuts.count - 1)).compactMap { place in
      let before = samples[cuts[place - 1]..<cuts[place]]
      let since = samples[cuts[place]..<cuts[place + 1]]
      let time = samples[cuts[place]].time
      guard time >= after else { return nil }
      let (a, b) = (median(before), median(since))
      return Label(
        time: time, ratio: a.flatMap { a in b.map { max(a, $0) / min(a, $0) } } ?? 1,
        hasRoom: min(before.count, since.count) >= 15, isLoss: max(lost(before), lost(since)) > 0.3)
    }
  }

  /// What the detectors of accepted and of failed notifications find, starts to the notification.
  func findings() -> (findings: [Finding], seconds: Double) {
    let rate = Self.rate
    var latencies = SeriesDetector(.accept, rate: rate)
    var failures = SeriesDetector(.failed, rate: rate)
    let longestGap = Int64(200 / rate * 1e6)
    let begin = clock()
    var last: Int64?
    for sample in samples {
      let second = sample.time / 1_000_000 * 1_000_000
      let start = WallTime(microseconds: second)
      if let last, second - last > longestGap {
        latencies.pause()
        failures.pause()
      }
      last = second
      latencies.append(.latencies(PackedLatencies(sample.latency.map { [$0] } ?? [])), start: start)
      failures.append(.share(events: sample.latency == nil ? 1 : 0, count: 1), start: start)
    }
    let found = latencies.findings + failures.findings
    let seconds = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
    let refined = found.map { finding -> Finding in
      guard finding.daily == nil else { return finding }
      let reach = 2 * (finding.binWidth ?? 60_000_000)
      let near = samples.filter {
        $0.time >= finding.start - reach && $0.time < min(finding.start + reach, finding.end ?? .max)
      }
      guard !finding.isGettingWorse, !near.isEmpty else { return finding }
      if finding.metric.isShare {
        return finding.refined(
          byEvents: near.map { (WallTime(microseconds: $0.time), $0.latency == nil) })
      }
      return finding.refined(
        bySamples: near.compactMap { sample in
          sample.latency.map { TimedLatency(plannedAt: WallTime(microseconds: sample.time), latency: $0) }
        })
    }
    return (refined, seconds)
  }
}

extension LabeledTrace.Sample {
  init?(_ line: Substring) {
    let parts = line.split(separator: ";")
    guard parts.count == 3, let milliseconds = Double(parts[1]) else { return nil }
    let numbers = parts[0].split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count >= 5 else { return nil }
    let isDayFirst = parts[0].contains("/")
    var date = DateComponents()
    date.year = isDayFirst ? numbers[2] : numbers[0]
    date.month = numbers[1]
    date.day = isDayFirst ? numbers[0] : numbers[2]
    date.hour = numbers[3]
    date.minute = numbers[4]
    date.second = numbers.count > 5 ? numbers[5] : 0
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    guard let instant = calendar.date(from: date) else { return nil }
    self.init(
      time: Int64(instant.timeIntervalSince1970) * 1_000_000,
      latency: milliseconds < 1 ? nil : Int64((milliseconds * 1000).rounded()), isLabel: parts[2] == "1")
  }
}

/// Figures over a folder of traces.
///
/// A point is a finding's start or end; one within an hour of a label is a hit, one to one in order of time. An edge is a label with
/// an hour on both sides, by how far their medians are apart; with more than 30 % lost on a side it is a loss edge. The first
/// two days do not count.
struct TraceFigures {
  struct Count {
    var all = 0
    var found = 0
  }

  private var days = 0.0
  private var labels = 0
  private var findings = 0
  private var points = 0
  private var hits = 0
  private var unlabeled: [String] = []
  private var missed: [String] = []
  private var daily: [String] = []
  private var edges: [Int: Count] = [10: Count(), 15: Count(), 25: Count()]
  private var lossEdges = Count()
  /// Hours.
  private var delays: [Double] = []
  private var seconds = 0.0
  private var small = 0

  private static let reach: Int64 = 3_600_000_000

  mutating func add(_ trace: LabeledTrace) {
    let (found, seconds) = trace.findings()
    let all = found.filter { $0.daily == nil }
    addDaily(found.filter { $0.daily != nil }, of: trace)
    let from = (trace.samples.first?.time ?? 0) + 2 * 86_400_000_000
    let labels = trace.labels(after: from)
    let findings = all.filter { $0.start >= from }
    days += trace.days
    self.labels += labels.count
    self.findings += findings.count
    self.seconds += seconds
    var points: [(time: Int64, started: Finding?)] = findings.map { ($0.start, $0) }
    points += all.compactMap(\.end).filter { $0 >= from }.map { ($0, nil) }
    points.sort { $0.time < $1.time }
    self.points += points.count
    var next = 0
    for label in labels {
      while next < points.count, points[next].time < label.time - Self.reach { next += 1 }
      let isHit = next < points.count && points[next].time <= label.time + Self.reach
      if isHit {
        hits += 1
        if let finding = points[next].started {
          delays.append(Double(finding.detectedAt - label.time) / 3.6e9)
        }
        next += 1
      }
      count(label, isHit: isHit, in: trace)
    }
    for finding in findings {
      let effect =
        finding.metric.isShare
        ? finding.after - finding.before - 0.01
        : max(finding.after / finding.before, finding.before / finding.after) - 1.1
      if effect < 0 { small += 1 }
      guard !labels.contains(where: { abs($0.time - finding.start) <= Self.reach }) else { continue }
      unlabeled.append("\(trace.name) \(finding.line)")
    }
  }

  private mutating func addDaily(_ patterns: [Finding], of trace: LabeledTrace) {
    for pattern in patterns {
      let times = [pattern.start, pattern.seenUntil].map {
        String(WallTime(microseconds: $0).minute.suffix(5))
      }
      daily.append(
        "\(trace.name) \(times[0]) to \(times[1]), \(Int(pattern.effectiveCount)) of \(pattern.count) days, from "
          + "\(WallTime(microseconds: pattern.start).minute.prefix(10)) to \(WallTime(microseconds: pattern.seenUntil).minute.prefix(10))"
          + (pattern.end == nil ? "" : " (over)") + ": \(pattern.line)")
    }
  }

  private mutating func count(_ label: LabeledTrace.Label, isHit: Bool, in trace: LabeledTrace) {
    func add(_ count: inout Count) {
      count.all += 1
      if isHit { count.found += 1 }
    }
    let size = label.isLoss ? "losses" : String(format: "x%.2f", label.ratio)
    if label.isLoss {
      add(&lossEdges)
    } else if label.hasRoom {
      for percent in [10, 15, 25] where label.ratio >= 1 + Double(percent) / 100 {
        add(&edges[percent, default: Count()])
      }
    }
    if !isHit, label.isLoss || (label.hasRoom && label.ratio >= 1.1) {
      missed.append("\(trace.name) \(WallTime(microseconds: label.time).minute) \(size)")
    }
  }

  func print() {
    func text(_ count: Count) -> String { "\(count.found) of \(count.all)" }
    let sorted = delays.sorted()
    func delay(_ part: Double) -> Double {
      sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }
    Swift.print(
      String(
        format: "%.0f target-days, %d labels; a day: %.3f points, %.3f unlabeled, %.3f alarms unlabeled",
        days,
        labels, Double(points) / days, Double(points - hits) / days, Double(unlabeled.count) / days))
    for percent in [10, 15, 25] {
      Swift.print("edges of \(percent) % or more:", edges[percent].map(text) ?? "-")
    }
    Swift.print("edges of losses:", text(lossEdges))
    Swift.print(
      String(
        format: "delay %.2f h, p90 %.2f h; %d of %d findings say less than the effect; %.1f ms a day",
        delay(0.5),
        delay(0.9), small, findings, 1000 * seconds / days))
    Swift.print("unlabeled alarms:")
    for line in unlabeled { Swift.print("  ", line) }
    Swift.print("daily patterns:")
    for line in daily { Swift.print("  ", line) }
    Swift.print("edges not found:")
    for line in missed { Swift.print("  ", line) }
  }
}

extension Finding {
  /// When it was, and what it says.
  fileprivate var line: String {
    let minutes = end.map { "\(($0 - start) / 60_000_000) min" } ?? "open"
    let values =
      metric.isShare
      ? String(format: "%.3f -> %.3f", before, after)
      : String(format: "p%.0f %.1f -> %.1f ms", 100 * (quantile ?? 0), before / 1000, after / 1000)
    return "\(WallTime(microseconds: start).minute) \(kind.rawValue) \(values), \(minutes), \(count) values, "
      + String(format: "%.1f nats over %.1f", statistic, threshold)
  }
}

extension WallTime {
  fileprivate var minute: String {
    let formatter = ISO8601DateFormatter()
    return String(formatter.string(from: Date(timeIntervalSince1970: Double(microseconds) / 1e6)).prefix(16))
  }
}
