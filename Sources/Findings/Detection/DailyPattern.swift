import Glibc
import Measurement

/// A stretch of the day (UTC), in steps of ten minutes. It may go on after midnight.
public struct DailyStretch: Sendable, Hashable, Codable {
  /// The step that it begins with, of 144.
  public var first: Int
  /// How many steps it has.
  public var count: Int

  static let step: Int64 = 600_000_000
  static let stepsADay = 144
  static let day = step * Int64(stepsADay)

  /// µs.
  public var length: Int64 { Int64(count) * Self.step }

  /// Whether a step lies in that of a day.
  /// - Parameter step: since the day's midnight, also of the days around it.
  func reaches(_ step: Int) -> Bool { step >= first && step < first + count }

  /// How many steps both have.
  func overlap(_ other: DailyStretch) -> Int {
    [-Self.stepsADay, 0, Self.stepsADay].reduce(0) { sum, shift in
      let begin = max(first, other.first + shift)
      return sum + max(0, min(first + count, other.first + shift + other.count) - begin)
    }
  }

  /// Whether half or more of the shorter is also in the other.
  func isLike(_ other: DailyStretch) -> Bool { 2 * overlap(other) >= min(count, other.count) }

  /// How far apart their starts and their ends are, in steps, the greater of the two.
  func distance(to other: DailyStretch) -> Int {
    func circular(_ steps: Int) -> Int {
      let rest = abs(steps) % Self.stepsADay
      return min(rest, Self.stepsADay - rest)
    }
    return max(circular(first - other.first), circular(first + count - other.first - other.count))
  }

  /// The stretch of a day.
  /// - Parameter day: since 1970.
  func times(on day: Int) -> Range<Int64> {
    let start = Int64(day) * Self.day + Int64(first) * Self.step
    return start..<start + length
  }
}

/// What a finding says that is a daily pattern: on most days a latency is higher in the same stretch of the day.
public struct DailyPattern: Sendable, Hashable, Codable {
  public var stretch: DailyStretch
  /// The days that are known of the last 14, and those of them on which it came.
  public var days: Int
  public var daysSeen: Int
  /// The 95 % interval of the quantile in the stretch, from how it varies from day to day, µs; an open end is `nil`.
  public var low: Double?
  public var high: Double?
  /// The last stretch, when it was told; µs since 1970.
  public var lastStretch: Range<Int64>
}

/// Follows the daily patterns of a latency: keeps its quantiles of ten minutes for 14 days, and looks at each day once, when the
/// next one begins.
///
/// The result is a function of the complete bins before a midnight (UTC). A pattern that is found keeps its id; it is told anew when
/// it moves by half an hour, or changes by the smallest effect that is reported, and ends when it did not come on four
/// recorded days one after the other, or not in the last 14 days.
struct DailyPatternWatch: Sendable, Hashable, Codable {
  /// The quantiles of a day's steps.
  struct Day: Sendable, Hashable, Codable {
    /// The number of the day since 1970.
    var number: Int
    /// Levels of ``LogScale``, by quantile and step; -1: not known.
    var levels: [[Int16]]

    init(number: Int) {
      self.number = number
      levels = DailyPatternWatch.quantiles.map { _ in [Int16](repeating: -1, count: DailyStretch.stepsADay) }
    }
  }

  private struct Pattern: Sendable, Hashable, Codable {
    var id: Finding.ID
    /// The place in ``quantiles``.
    var quantile: Int
    var told: DailyPatternSearch.Evidence
    /// The first and the last day on which it came.
    var firstDay: Int
    var lastDay: Int
    /// The days that are known of the last ones, and those of them on which it came.
    var days: Int
    var daysSeen: Int
    /// The same days; since 1970.
    var known: [Int]
    var seen: [Int]
    var isOver = false
  }

  private struct Ended: Sendable, Hashable, Codable {
    var stretch: DailyStretch
    var firstDay: Int
  }

  /// Patterns are looked for at the median, and at p90 where the median does not show one.
  static let quantiles = [0.5, 0.9]
  /// A step with fewer values has no p90.
  private static let leastForTail = 10
  /// Days that are kept.
  private static let daysKept = 14
  /// Known patterns are told anew by so many of the last days.
  private static let recent = 7
  /// A pattern is over that does not come on so many recorded days one after the other.
  private static let absence = 4
  /// It has moved when an edge did by so many steps.
  private static let move = 3
  private static let mostPatterns = 3

  private var days: [Day] = []
  private var patterns: [Pattern] = []
  /// The hours of patterns that ended, and the days from which on they may be another one's.
  private var ended: [Ended] = []
  /// The step under way, since 1970, and its first bin.
  private var step: Int64?
  private var firstBin = 0

  // MARK: - Bins

  /// A bin begins.
  ///
  /// - Parameter bin: those before are complete.
  mutating func advance(
    to bin: Int, of history: BinHistory, _ metric: SeriesMetric, _ settings: DetectorSettings
  ) {
    let now = history.start(bin).flooringDivision(by: DailyStretch.step)
    guard now != step else { return }
    if let step {
      record(firstBin..<bin, of: history, as: step)
      let day = Int(Self.day(of: now))
      if day > Int(Self.day(of: step)) { evaluate(before: day, metric, settings) }
    }
    step = now
    firstBin = bin
  }

  private static func day(of step: Int64) -> Int64 {
    step.flooringDivision(by: Int64(DailyStretch.stepsADay))
  }

  private mutating func record(_ bins: Range<Int>, of history: BinHistory, as step: Int64) {
    let (count, levels) = history.levels(at: Self.quantiles, of: bins)
    guard count > 0 else { return }
    let number = Int(Self.day(of: step))
    if days.last?.number ?? .min < number { days.append(Day(number: number)) }
    let place = Int(step) - number * DailyStretch.stepsADay
    guard let last = days.indices.last, days[last].number == number else { return }
    for index in levels.indices where index == 0 || count >= Self.leastForTail {
      days[last].levels[index][place] = Int16(levels[index])
    }
  }

  // MARK: - Days

  /// - Parameter day: the one that begins.
  private mutating func evaluate(before day: Int, _ metric: SeriesMetric, _ settings: DetectorSettings) {
    days.removeAll { $0.number < day - Self.daysKept }
    ended.removeAll { $0.firstDay < day - Self.daysKept }
    follow(before: day, settings)
    find(before: day, metric, settings)
  }

  private func search(
    _ quantile: Int, days count: Int = Self.daysKept, from first: Int = .min, before day: Int,
    _ settings: DetectorSettings
  ) -> DailyPatternSearch? {
    DailyPatternSearch(
      days.filter { $0.number >= max(day - count, first) && $0.number < day }, quantile: quantile, settings
    )
  }

  /// The first day that says something of a stretch: those before belong to a pattern of these hours that ended.
  private func firstDay(of stretch: DailyStretch) -> Int {
    ended.filter { $0.stretch.overlap(stretch) > 0 }.map(\.firstDay).max() ?? .min
  }

  private func others(than id: Finding.ID? = nil) -> [DailyStretch] {
    patterns.filter { !$0.isOver && $0.id != id }.map(\.told.stretch)
  }

  /// Looks at the patterns that are known.
  private mutating func follow(before day: Int, _ settings: DetectorSettings) {
    for index in patterns.indices where !patterns[index].isOver {
      let pattern = patterns[index]
      // Its hours are not recorded any more, or too little of the days is.
      guard day - pattern.lastDay <= Self.daysKept else {
        patterns[index].isOver = true
        continue
      }
      let others = others(than: pattern.id)
      let first = firstDay(of: pattern.told.stretch)
      guard let search = search(pattern.quantile, from: first, before: day, settings) else { continue }
      let all = search.evidence(of: pattern.told.stretch, without: others)
      (patterns[index].days, patterns[index].daysSeen) = (all.known.count, all.seen.count)
      (patterns[index].known, patterns[index].seen) = (all.known, all.seen)
      if let last = all.seen.last { patterns[index].lastDay = max(pattern.lastDay, last) }
      if all.known.suffix(Self.absence).count(where: { !all.seen.contains($0) }) >= Self.absence {
        patterns[index].isOver = true
        patterns[index].days = all.known.count { $0 <= patterns[index].lastDay }
        ended.append(Ended(stretch: pattern.told.stretch, firstDay: patterns[index].lastDay + 1))
      } else if let now = self.search(
        pattern.quantile, days: Self.recent, from: first, before: day, settings)
      {
        update(index, now, others, settings)
      }
    }
  }

  /// Tells a pattern anew where the last days show that it moved or changed.
  private mutating func update(
    _ index: Int, _ search: DailyPatternSearch, _ others: [DailyStretch], _ settings: DetectorSettings
  ) {
    let told = patterns[index].told
    var evidence = search.evidence(of: told.stretch, without: others)
    if let moved = search.stretch(without: others), moved.isLike(told.stretch),
      moved.distance(to: told.stretch) >= Self.move
    {
      let other = search.evidence(of: moved, without: others)
      if other.isOnMostDays { evidence = other }
    }
    guard evidence.isOnMostDays, evidence.differs(from: told, settings) else { return }
    // How clearly it was found is not what the last days say.
    evidence.nats = told.nats
    patterns[index].told = evidence
  }

  /// Looks for new ones.
  private mutating func find(before day: Int, _ metric: SeriesMetric, _ settings: DetectorSettings) {
    for quantile in Self.quantiles.indices {
      guard let search = search(quantile, before: day, settings) else { continue }
      var known = others()
      var looked: [DailyStretch] = []
      for _ in 0..<Self.mostPatterns where known.count < Self.mostPatterns {
        guard let stretch = search.stretch(without: known, looked) else { break }
        let first = firstDay(of: stretch)
        let since = first == .min ? search : self.search(quantile, from: first, before: day, settings)
        guard let evidence = since?.evidence(of: stretch, without: known), evidence.isPattern,
          let begin = evidence.seen.first, let last = evidence.seen.last
        else {
          looked.append(stretch)
          continue
        }
        known.append(stretch)
        patterns.append(
          Pattern(
            id: Finding.ID(
              metric: metric, detectedAt: Int64(day) * DailyStretch.day, dailyStep: stretch.first),
            quantile: quantile, told: evidence, firstDay: begin, lastDay: last, days: evidence.known.count,
            daysSeen: evidence.seen.count, known: evidence.known, seen: evidence.seen))
      }
    }
  }

  // MARK: - Profile

  /// The daily profile, with the patterns of the median that are known.
  ///
  /// - Parameters:
  ///   - medians: by hour since 1970 (UTC), ln of the median in µs.
  ///   - day: the one that begins.
  func profile(_ medians: [Int: Double], before day: Int, _ settings: DetectorSettings) -> DailyProfile {
    let patterns = patterns.filter { !$0.isOver && $0.quantile == 0 }
    guard !patterns.isEmpty, let search = search(0, before: day, settings) else {
      return DailyProfile(hourlyMedians: medians)
    }
    let rises = patterns.compactMap { pattern -> DailyRise? in
      let seen = Set(pattern.seen)
      let days = Dictionary(uniqueKeysWithValues: pattern.known.map { ($0, seen.contains($0)) })
      return search.rise(
        of: pattern.told.stretch, on: seen, from: day - Self.recent, without: others(than: pattern.id)
      ).map {
        DailyRise($0.shape, $0.stretch, days: days, weekdays: DailyRise.weekdays(days, from: day))
      }
    }
    guard !rises.isEmpty else { return DailyProfile(hourlyMedians: medians) }
    // The hours of a pattern are taken again from their steps, without what it adds.
    let perHour = DailyStretch.stepsADay / 24
    var rest = medians
    let raised = Set(
      rises.flatMap { rise in
        (0..<24).filter { hour in
          rise.stretch.overlap(DailyStretch(first: hour * perHour, count: perHour)) > 0
        }
      })
    for key in medians.keys where raised.contains((key % 24 + 24) % 24) { rest[key] = nil }
    for recorded in days {
      for hour in raised.sorted() {
        let key = recorded.number * 24 + hour
        guard medians[key] != nil else { continue }
        let steps = (hour * perHour..<(hour + 1) * perHour).compactMap { step -> Double? in
          guard recorded.levels[0][step] >= 0 else { return nil }
          let middle = (Int64(recorded.number) * DailyStretch.day) + Int64(step) * DailyStretch.step
          var height = 0.0
          for rise in rises {
            let heights = rise.heights(at: middle + DailyStretch.step / 2)
            guard heights.lowerBound == heights.upperBound else { return nil }
            height += heights.lowerBound
          }
          return (Double(recorded.levels[0][step]) + 0.5) * LogScale.step - height
        }
        if !steps.isEmpty { rest[key] = steps.reduce(0, +) / Double(steps.count) }
      }
    }
    let known = Set(rest.keys.map { ($0 % 24 + 24) % 24 })
    return DailyProfile(hourlyMedians: rest, with: rises, gaps: raised.subtracting(known))
  }

  // MARK: - Findings

  /// The patterns, those too that ended and are not forgotten yet.
  func findings(binWidth: Int64) -> [Finding] {
    patterns.map { pattern in
      let stretch = pattern.told.stretch
      let last = stretch.times(on: pattern.lastDay)
      let told = stretch.times(on: pattern.told.seen.last ?? pattern.lastDay)
      return Finding(
        id: pattern.id, kind: pattern.id.metric.kind(isUpward: true), status: .daily,
        start: stretch.times(on: pattern.firstDay).lowerBound, startInterval: nil,
        end: pattern.isOver ? last.upperBound : nil, seenUntil: last.upperBound,
        quantile: Self.quantiles[pattern.quantile], before: pattern.told.before, after: pattern.told.after,
        count: pattern.days, effectiveCount: Double(pattern.daysSeen),
        window: stretch.length, binWidth: binWidth, statistic: pattern.told.nats,
        threshold: DailyPatternSearch.threshold,
        evidence: Finding.Evidence(edges: [], weights: [], profile: .flat),
        daily: DailyPattern(
          stretch: stretch, days: pattern.days, daysSeen: pattern.daysSeen,
          low: pattern.told.low, high: pattern.told.high, lastStretch: told))
    }
  }

  /// Forgets those that ended before an instant, µs since 1970.
  mutating func removeFindings(endedBefore time: Int64) {
    patterns.removeAll { $0.isOver && $0.told.stretch.times(on: $0.lastDay).upperBound <= time }
  }

  var memory: Int { days.count * Self.quantiles.count * (DailyStretch.stepsADay * 2 + 32) }
}
