import Findings
public import Measurement
import Store

/// The status of a target: a word, and a sentence that explains it in the words of every other surface.
public struct TargetStatus: Sendable, Equatable {
  public let word: StatusWord
  public let sentence: String
  /// The finding that it is told from; `nil` where it is told from figures.
  public let finding: String?

  private init(_ word: StatusWord, _ sentence: String, finding: String? = nil) {
    (self.word, self.sentence, self.finding) = (word, sentence, finding)
  }

  /// A target is quiet where the shortest outage that would be seen is longer than this.
  static let usualOutage = Duration.minutes(10)
  /// A share above which losses, failures and refusals are told although nothing changed.
  private static let poorShare = 0.1
  /// Fewer notifications say nothing of a share.
  private static let leastCount = 5

  public init(_ target: TargetActivity, clock: SentenceClock) {
    let figures = StatusFigures(target)
    let sentences: [TargetStatus?] = [
      Self.stopped(target, figures, clock), Self.finding(target, clock), Self.silent(target, figures),
      Self.breach(target, figures, clock), Self.poor(target, figures), Self.learning(target, figures),
      Self.quiet(target, figures),
    ]
    self =
      sentences.lazy.compactMap { $0 }.first
      ?? TargetStatus(.ok, figures.text + Self.over(target, clock) + Self.daily(target, clock))
  }

  // MARK: - Not recorded

  private static func stopped(_ target: TargetActivity, _ figures: StatusFigures, _ clock: SentenceClock)
    -> TargetStatus?
  {
    guard let time = target.stoppedAt else { return nil }
    let word: StatusWord
    let what: String
    switch target.phase {
    case .recorded: return nil
    case .removed: (word, what) = (.ended, "nothing planned since \(clock.moment(time))")
    case .gone: (word, what) = (.silent, "nothing recorded since \(clock.moment(time))")
    case .ended: (word, what) = (.ended, "ended \(clock.moment(time))")
    }
    if let known = worstFinding(target, clock) {
      return TargetStatus(word, "\(known.kind): \(known.sentence)", finding: known.id)
    }
    return TargetStatus(word, target.last == nil ? what : "\(what); before that \(figures.text)")
  }

  // MARK: - Findings

  private static let order: [StatusWord] = [.failing, .losing, .refused, .unseen, .slower]

  /// The sentence of the worst finding that goes on, or went on when recording stopped.
  private static func worstFinding(_ target: TargetActivity, _ clock: SentenceClock) -> (
    word: StatusWord, kind: String, sentence: String, id: String
  )? {
    let worst = target.open.compactMap { open -> (Int, FindingIncident, FindingRecord, StatusWord)? in
      guard let word = open.finding.kind.word?.status, let rank = order.firstIndex(of: word) else {
        return nil
      }
      return (rank, open.incident, open.finding, word)
    }.sorted { isWorse(($0.0, $0.2), ($1.0, $1.2)) }
    guard let (_, incident, finding, word) = worst.first else { return nil }
    let sentence = FindingSentence(finding, of: incident, stoppedAt: target.stoppedAt, clock: clock).brief
    let variant = finding.variant.isEmpty ? "" : "\(finding.variant), "
    let others = worst.count - 1
    let more = others == 0 ? "" : " And \(CountText.text(others, "other finding"))."
    return (word, finding.kind.rawValue, variant + sentence + more, finding.id)
  }

  /// Compares their kinds; then what arrives goes before what is only answered; then the greater change.
  private static func isWorse(
    _ one: (rank: Int, finding: FindingRecord), _ other: (rank: Int, finding: FindingRecord)
  )
    -> Bool
  {
    func effect(_ finding: FindingRecord) -> Double {
      if let before = finding.before, let after = finding.after {
        return Double(after) / Double(max(1, before))
      }
      return (finding.shareAfter ?? 0) - (finding.shareBefore ?? 0)
    }
    func key(_ item: (rank: Int, finding: FindingRecord)) -> (Int, Int, Double, String) {
      (item.rank, item.finding.metric.word == .accept ? 1 : 0, -effect(item.finding), item.finding.id)
    }
    return key(one) < key(other)
  }

  private static func finding(_ target: TargetActivity, _ clock: SentenceClock) -> TargetStatus? {
    worstFinding(target, clock).map { TargetStatus($0.word, $0.sentence, finding: $0.id) }
  }

  /// `. Over: losing from 12:37:36 to 12:38:36 UTC: 9.0 % got lost (before none).`: the newest finding that ended in the time of the
  /// figures, and how many others did.
  private static func over(_ target: TargetActivity, _ clock: SentenceClock) -> String {
    guard
      let last = target.over.max(by: {
        ($0.finding.startedAt, $0.finding.id) < ($1.finding.startedAt, $1.finding.id)
      })
    else { return "" }
    let more = target.over.count == 1 ? "" : " And \(CountText.text(target.over.count - 1, "other finding"))."
    return ". Over: \(FindingSentence(last.finding, of: last.incident, clock: clock).kindAndChange)\(more)"
  }

  /// `. Slower every day from 18:20 to 20:50: half within 41 ms instead of 37 ms.`; empty where nothing comes every day.
  private static func daily(_ target: TargetActivity, _ clock: SentenceClock) -> String {
    // What arrives goes before what is only answered.
    let patterns = target.daily.sorted {
      ($0.metric.word == .delivery ? 0 : 1, $0.startedAt, $0.id) < (
        $1.metric.word == .delivery ? 0 : 1, $1.startedAt, $1.id
      )
    }
    guard let first = patterns.first else { return "" }
    // Variants of a target, and several collectors of it, mostly have the same.
    let hours = patterns.filter { $0.metric == first.metric }.map {
      $0.lastStretch.lowerBound - $0.lastStretch.lowerBound.floored(to: .days(1))
    }
    let others = Set(hours).count - 1
    let more = others == 0 ? "" : " And at \(others) other \(others == 1 ? "time" : "times") of the day."
    return ". \(FindingSentence(first, clock: clock).kindAndChange.raisedFirst)\(more)"
  }

  // MARK: - Figures

  private static func silent(_ target: TargetActivity, _ figures: StatusFigures) -> TargetStatus? {
    if let objective = target.breached, let silence = objective.silence {
      let what = target.expectsReceipts ? "arrived" : "was answered"
      return TargetStatus(
        .silent,
        "nothing \(what) for \(LengthText.text(objective.quiet)); \"\(objective.name)\" allows \(LengthText.given(silence))"
      )
    }
    guard target.metric == .delivery, let last = target.last, last.inTime?.events == 0, last.median == nil,
      let lost = last.lost, lost.count >= leastCount, lost.events == lost.count, last.counts[.late] == 0
    else { return nil }
    return TargetStatus(
      .silent, "nothing arrived of \(CountText.grouped(lost.count)) that were accepted \(figures.period)")
  }

  /// A breached objective of a share. The word names the largest part of what did not keep it.
  private static func breach(_ target: TargetActivity, _ figures: StatusFigures, _ clock: SentenceClock)
    -> TargetStatus?
  {
    guard let objective = target.breached, let share = objective.share, let limit = objective.limit,
      objective.valid > 0
    else { return nil }
    let kept = PercentText.fine(Double(objective.good) / Double(objective.valid))
    let metric = objective.metric ?? target.metric
    // Its window may be over what is over now.
    let word = target.last?.worstPart(of: metric) ?? target.before?.worstPart(of: metric) ?? .slower
    let window = objective.window.map { " of the last \(LengthText.given($0))" } ?? ""
    let since = objective.breachedAt.map { " since \(clock.moment($0))" } ?? ""
    return TargetStatus(
      word,
      "\(kept)\(window) \(StatusFigures.verb(metric)) within \(LengthText.given(limit)), "
        + "\"\(objective.name)\" promises \(PercentText.given(share)): breached\(since)")
  }

  /// A large share that fails, gets lost, is refused or is not shown, whether it changed or not.
  private static func poor(_ target: TargetActivity, _ figures: StatusFigures) -> TargetStatus? {
    guard let last = target.last else { return nil }
    let parts: [(StatusWord, ShareInterval?, ShareInterval?, String)] = [
      (.failing, last.failed, target.before?.failed, "fail"),
      (.failing, last.notSent, target.before?.notSent, "are not sent in time"),
      (.refused, last.refused, target.before?.refused, "are refused or not sent"),
      (.losing, last.lost, target.before?.lost, "get lost"),
      (.unseen, last.unseen, target.before?.unseen, "arrive and are not shown"),
    ]
    for (word, share, before, verb) in parts {
      guard let share, let value = share.share, share.count >= leastCount, value >= poorShare,
        share.low >= poorShare / 2
      else { continue }
      let usual = before?.share.map { " (before \(FindingSentence.share($0)))" } ?? ""
      let times = figures.times.map { "; \($0)" } ?? ""
      return TargetStatus(word, "\(FindingSentence.share(value)) \(verb) \(figures.period)\(usual)\(times)")
    }
    // Each by itself is small.
    let known = parts.filter { $0.0 != .unseen }.compactMap { part in
      part.1.flatMap { share in share.share.map { (part.0, $0, part.3) } }
    }
    .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
    let sum = known.reduce(0) { $0 + $1.1 }
    guard let worst = known.first, known.count > 1, sum >= poorShare,
      parts.contains(where: { ($0.1?.count ?? 0) >= leastCount }),
      (last.inTime.map { 1 - $0.high } ?? 0) >= poorShare / 2
    else { return nil }
    let each = known.map { "\(FindingSentence.share($0.1)) \($0.2)" }.joined(separator: ", ")
    return TargetStatus(worst.0, "\(each) \(figures.period)\(figures.times.map { "; \($0)" } ?? "")")
  }

  private static func learning(_ target: TargetActivity, _ figures: StatusFigures) -> TargetStatus? {
    guard target.last != nil else {
      let wait =
        target.receiptDeadline.map { "; what is lost is known \(LengthText.given($0)) after it was sent" }
        ?? ""
      return TargetStatus(.learning, "nothing is known yet\(wait)")
    }
    guard let detectors = target.detectors, !detectors.isEmpty else { return nil }
    let isBlind = detectors.allSatisfy { detector in
      detector.learning != nil
        && (detector.power.map { $0.allSatisfy { $0.steps.allSatisfy { $0.length > detector.age } } } ?? false)
    }
    return isBlind
      ? TargetStatus(.learning, "\(figures.text). Too little is recorded to see a change.") : nil
  }

  private static func quiet(_ target: TargetActivity, _ figures: StatusFigures) -> TargetStatus? {
    guard target.askedRate > 0, target.shortestOutage.map({ $0 > usualOutage }) ?? true else { return nil }
    // At higher rates such an outage is seen as soon as the detector has learned.
    guard SchedulePower.isSlow(target.askedRate) else { return nil }
    return TargetStatus(.quiet, "\(OutageText.text(target)). \(figures.text.raisedFirst)")
  }
}

/// Outages that are too short for a schedule to be seen.
public enum OutageText {
  /// `sends one notification in 6 min: an outage of less than 40 min would not be seen`.
  static func text(_ target: TargetActivity) -> String {
    "sends \(interval(target.askedRate)): "
      + (target.shortestOutage.map { "an outage of less than \(LengthText.text($0)) would not be seen" }
        ?? "no outage of up to \(LengthText.text(DetectionPower.lengths.last ?? 0)) would be seen")
  }

  /// `one notification in 6 min`.
  public static func interval(_ rate: Double) -> String {
    "one notification in \(LengthText.text(SchedulePower.interval(of: rate)))"
  }
}

/// Figures of a target's last stretch in words, with those before where they differ.
struct StatusFigures {
  private let target: TargetActivity

  init(_ target: TargetActivity) { self.target = target }

  /// The usual stretch.
  static let usualLength = Duration.hours(1)

  /// `in the last 1 h`.
  var period: String {
    "in the last \(LengthText.text(target.last?.length ?? .zero))"
  }

  /// `99.97 % arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s`.
  var text: String {
    guard let last = target.last, let inTime = last.inTime, let share = inTime.share else {
      return "nothing was sent to it"
    }
    let isLonger = last.length > Self.usualLength + .minutes(1)
    let within = target.limit.map { " within \(LengthText.given($0))" } ?? ""
    let usual = Self.before(inTime, target.before?.inTime)
    let all = inTime.events == inTime.count
    let count =
      inTime.count < 100
      ? (all && inTime.count > 1 ? "all \(inTime.count)" : "\(inTime.events) of \(inTime.count)")
      : all ? "all" : PercentText.fine(share)
    return (isLonger ? "\(period) " : "") + "\(count) \(Self.verb(target.metric))\(within)\(usual)"
      + (times.map { "; \($0)" } ?? "") + unseen
  }

  /// `; 0.60 % of what arrived in time was not shown`; empty where all was, or the device does not report it.
  private var unseen: String {
    guard let unseen = target.last?.unseen, unseen.events > 0, let share = unseen.share else { return "" }
    return "; \(PercentText.fine(share)) of what arrived in time was not shown"
  }

  static func verb(_ metric: Metric) -> String {
    metric == .delivery ? "arrived" : metric == .shown ? "were shown" : "were accepted"
  }

  /// `half within 210 ms, 99 of 100 within 1.90 s`; `nil` where too few have a value.
  var times: String? {
    let parts = [
      (0.5, target.last?.median, target.before?.median), (0.99, target.last?.p99, target.before?.p99),
    ]
    .compactMap { quantile, value, before -> String? in
      guard let value else { return nil }
      return
        "\(FindingSentence.level(quantile)) within \(LatencyText.text(value.value))\(Self.before(value, before))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// The share before where it lies outside the interval and differs by a percentage point: ` (before 97.5 %)`.
  private static func before(_ interval: ShareInterval, _ earlier: ShareInterval?) -> String {
    guard let share = interval.share, let before = earlier?.share, abs(share - before) >= 0.01,
      before < interval.low || before > interval.high
    else { return "" }
    return " (before \(PercentText.fine(before)))"
  }

  /// The quantile before where it lies outside the interval and differs by a tenth.
  private static func before(_ interval: QuantileInterval, _ earlier: QuantileInterval?) -> String {
    guard let before = earlier?.value, before > 0, interval.value > 0,
      abs(Double(interval.value) / Double(before) - 1) >= 0.1,
      before < interval.low ?? .min || before > interval.high ?? .max
    else { return "" }
    return " (before \(LatencyText.text(before)))"
  }
}
