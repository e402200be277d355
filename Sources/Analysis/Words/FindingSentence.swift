public import Measurement
public import Store

/// A finding in words that need no statistics: what changed, whose fault it is, and what would tell where that is not known.
/// Every surface says this sentence; figures with their intervals follow it, and never stand in front.
public struct FindingSentence {
  private let record: FindingRecord
  /// The finding whose cause is told.
  private let explained: FindingRecord
  /// The targets of which it says the same, and their providers; at least one of each.
  private let targets: [String]
  private let providers: [String]
  private let times: (count: Int, period: Duration, since: WallTime)?
  private let stoppedAt: WallTime?
  private let clock: SentenceClock

  /// - Parameter stoppedAt: when recording stopped, of one that went on until then.
  public init(_ record: FindingRecord, stoppedAt: WallTime? = nil, clock: SentenceClock) {
    (self.record, explained, targets, times) = (record, record, [Self.target(record)], nil)
    providers = [CauseSentence.provider(of: record)]
    (self.stoppedAt, self.clock) = (stoppedAt, clock)
  }

  /// A finding of an incident, with the incident's cause where that is its own.
  public init(
    _ record: FindingRecord, of incident: FindingIncident, stoppedAt: WallTime? = nil, clock: SentenceClock
  ) {
    (self.record, targets, times) = (record, [Self.target(record)], nil)
    explained = incident.explained(record)
    providers = [CauseSentence.provider(of: record)]
    (self.stoppedAt, self.clock) = (stoppedAt, clock)
  }

  /// The first finding of an incident, with the names of all targets of which it says the same.
  public init(_ incident: FindingIncident, stoppedAt: WallTime? = nil, clock: SentenceClock) {
    self.init(incident, times: nil, stoppedAt: stoppedAt, clock: clock)
  }

  /// The last of incidents that repeat, with how often they did.
  public init(_ repetition: FindingRepetition, stoppedAt: WallTime? = nil, clock: SentenceClock) {
    self.init(
      repetition.last,
      times: repetition.period.map { (repetition.incidents.count, $0, repetition.incidents[0].start) },
      stoppedAt: stoppedAt, clock: clock)
  }

  private init(
    _ incident: FindingIncident, times: (count: Int, period: Duration, since: WallTime)?,
    stoppedAt: WallTime?, clock: SentenceClock
  ) {
    let first = incident.first
    let alike = incident.findings.filter { $0.kind == first.kind && $0.metric == first.metric }
    var seen: Set<String> = []
    targets = alike.map(Self.target).filter { seen.insert($0).inserted }
    var known: Set<String> = []
    let providers = alike.map { CauseSentence.provider(of: $0) }.filter { known.insert($0).inserted }
    self.providers = providers.count == 1 ? [CauseSentence.provider(of: incident.explained)] : providers
    (record, explained, self.times) = (first, incident.explained, times)
    (self.stoppedAt, self.clock) = (stoppedAt, clock)
  }

  /// All of it: `Notifications to ios arrive slower since 14:02: half within 900 ms (before 170 ms). It is this host: …`.
  public var text: String {
    [what, whose, isEarly ? Self.early : ""].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// All of it where the target's name and the kind stand beside it: `since 14:02: half within 900 ms (before 170 ms). It is
  /// this host: …`.
  public var brief: String {
    [briefChange, whose, isEarly ? Self.early : ""].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// What changed where the target's name stands beside it: `slower every day from 18:20 to 20:50: half within 41 ms instead of 37
  /// ms.`
  public var kindAndChange: String {
    record.kind.word == .refused ? briefChange : "\(record.kind) \(briefChange)"
  }

  /// What changed, since when and by how much.
  public var what: String {
    record.isWithdrawn
      ? "Withdrawn: \"\(change)\" Receipts that came later show that this was not so." : change
  }

  /// The part that says whose fault it is, or what would tell; empty where neither is known, or nothing got worse.
  public var whose: String {
    record.isWithdrawn || record.kind.word == .faster
      ? "" : CauseSentence(explained, isOver: isOver).text
  }

  /// Whether it is good news.
  public var isBetter: Bool { record.kind.word == .faster }

  private var isEarly: Bool { record.isProvisional }

  private static let early =
    "(Provisional: less than two days are recorded so far.)"

  // MARK: - What

  private var isOver: Bool {
    isDaily
      ? record.isWithdrawn || record.endedAt != nil || stoppedAt != nil
      : (!record.isOpen || stoppedAt != nil) && !record.isNewNormal
  }
  private var isDaily: Bool { record.isPattern }

  private func verb(_ now: String, _ past: String) -> String { isOver ? past : now }

  private var change: String {
    switch record.kind.word {
    case .slower, .faster: latency
    case .losing: share(of: "\(verb("get", "got")) lost")
    case .failing: share(of: verb("fail", "failed"), reason)
    case .refused: refusals
    case .unseen: share(of: "\(verb("arrive", "arrived")) and \(verb("are", "were")) not shown")
    case nil: "\(headline) \(time)\(outcome())."
    }
  }

  private var briefChange: String {
    switch record.kind.word {
    case .slower, .faster: "\(time)\(levels(of: "\(provider)’s").map { ": \($0)" } ?? "")."
    case .losing:
      share("\(time): \(record.shareAfter.map(Self.share) ?? "more") \(verb("get", "got")) lost")
    case .failing:
      share("\(time): \(record.shareAfter.map(Self.share) ?? "more") \(verb("fail", "failed"))", reason)
    case .refused: "\(refusals)"
    case .unseen:
      share(
        "\(time): \(record.shareAfter.map(Self.share) ?? "more") \(verb("arrive", "arrived")) and \(verb("are", "were")) not shown"
      )
    case nil: "\(time)\(outcome())."
    }
  }

  /// `12.3 % of the notifications to ios get lost since 14:02 (before none).`; of several targets, `Notifications to ios and web get
  /// lost since 14:02: to ios, 12.3 % (before none).`
  ///
  /// - Parameters:
  ///   - outcome: what becomes of the notifications.
  ///   - reason: what follows what was before.
  private func share(of outcome: String, _ reason: String = "") -> String {
    guard targets.count > 1, let after = record.shareAfter else {
      return share("\(amount) to \(names) \(outcome) \(time)", reason)
    }
    return share("\(headline) \(time): to \(targets[0]), \(Self.share(after))", reason)
  }

  /// - Parameter reason: what follows what was before.
  private func share(_ text: String, _ reason: String = "") -> String {
    let isPercent = record.shareAfter.map { 0.01..<1 ~= $0 } ?? false
    let before = record.shareBefore.map {
      isPercent && $0 >= 0.0005 ? PercentText.given(($0 * 1e5).rounded() / 1e5) : Self.share($0)
    }
    return "\(text)\(before.map { " (before \($0))" } ?? "")\(reason)."
  }

  /// `, mostly because of timeouts`.
  private var reason: String {
    explained.verdicts.first?.facts?.failure.map { ", mostly because of \(Self.failure($0))" } ?? ""
  }

  /// `12.3 % of the notifications`, `4 of 1000 notifications`.
  private var amount: String {
    guard let share = record.shareAfter else { return "More notifications" }
    let text = share >= 1 ? "All" : Self.share(share)
    return text + (text.hasSuffix("%") ? " of the notifications" : " notifications")
  }

  /// A daily pattern without its figures: `ios: slower every evening from 18:20 to 20:50`.
  public var briefOpening: String {
    "\(isAccept ? "\(provider) for \(names)" : names): \(record.kind) \(time)"
  }

  /// What is told without its time and figures: `Notifications to ios arrive slower`.
  public var headline: String {
    switch record.kind.word {
    case .slower, .faster: latencyHeadline
    case .losing: "Notifications to \(names) \(verb("get", "got")) lost"
    case .failing: "Notifications to \(names) \(verb("fail", "failed"))"
    case .refused: "\(provider) \(verb(isOne ? "refuses" : "refuse", "refused")) notifications to \(names)"
    case .unseen:
      "Notifications to \(names) \(verb("arrive", "arrived")) and \(verb("are", "were")) not shown"
    case nil: "\(record.kind) of \(names)"
    }
  }

  /// What is told without its figures: `Notifications to ios arrive slower since 14:02`.
  public var opening: String { "\(headline) \(time)" }

  private var isAccept: Bool { record.metric.word == .accept }
  private var isDisplay: Bool { record.metric.word == .display }

  private var latencyHeadline: String {
    let way = record.isGradual && !isOver ? "\(record.kind) and \(record.kind)" : record.kind.rawValue
    return isAccept
      ? "\(provider) \(verb(isOne ? "answers" : "answer", "answered")) \(way) for \(names)"
      : "Notifications to \(names) \(isDisplay ? verb("are shown", "were shown") : verb("arrive", "arrived")) \(way)"
  }

  /// `Notifications to ios arrive slower since 14:02: half within 900 ms (before 170 ms).`; of several targets, `…: to ios, half within
  /// 900 ms (before 170 ms).`
  private var latency: String {
    let whom = targets.count > 1 ? "\(isAccept ? "for" : "to") \(targets[0]), " : ""
    let whose = isOne ? "its" : "\(CauseSentence.provider(of: record))’s"
    return "\(latencyHeadline) \(time)\(levels(of: whose).map { ": \(whom)\($0)" } ?? "")."
  }

  /// `half within 900 ms (before 170 ms)`; `nil` where the figures are not known.
  ///
  /// - Parameter whose: how the provider is told whose answers are meant.
  private func levels(of whose: String) -> String? {
    guard let before = record.before, let after = record.after else { return nil }
    let those = isAccept ? " of \(whose) answers" : isDisplay ? " of them, once they have arrived," : ""
    let level = record.quantile.map(Self.level) ?? "half"
    let values = (after: LatencyText.text(after), before: LatencyText.text(before))
    return "\(level)\(those) within \(values.after)"
      + (isDaily ? " instead of \(values.before)" : " (before \(values.before))")
  }

  /// `, which is 12 of 100 (before none)`.
  private func outcome(_ whom: String = "") -> String {
    guard let after = record.shareAfter, let before = record.shareBefore else { return "" }
    return ", which is \(Self.ofHundred(after))\(whom) (before \(Self.ofHundred(before)))"
  }

  /// `fcm refused 3 notifications to ios (HTTP 503) from 14:02 to 14:09; because of that we paused and did not send 375.`
  private var refusals: String {
    // Of several targets the figures are those of the first.
    let whom = targets.count > 1 ? " to \(targets[0])" : ""
    guard let counts = record.refusals, counts.refused + counts.notSent > 0 else {
      return "\(headline) \(time)\(outcome(whom))."
    }
    let status = explained.verdicts.first?.facts?.status.map { " (HTTP \($0))" } ?? ""
    guard counts.refused > 0 else {
      return
        "\(provider) had refused notifications to \(names) before; because of that we did not send \(CountText.grouped(counts.notSent))\(whom) \(time)."
    }
    let refused =
      targets.count > 1
      ? "\(headline) \(time): \(CountText.grouped(counts.refused))\(whom)\(status)"
      : "\(provider) \(verb(isOne ? "has refused" : "have refused", "refused")) \(CountText.text(counts.refused, "notification")) to \(names)\(status) \(time)"
    guard counts.notSent > 0 else { return "\(refused)\(outcome())." }
    return "\(refused); because of that we paused and did not send \(CountText.grouped(counts.notSent))."
  }

  // MARK: - Names

  private static func target(_ record: FindingRecord) -> String {
    SeriesName.text(record.target, record.variant)
  }

  /// `ios`, `ios and android`, `ios, android and web`, `7 targets`.
  private var names: String { ListText.namesOrCount(targets, of: "target") }

  private var provider: String { ListText.namesOrCount(providers, of: "provider") }
  private var isOne: Bool { providers.count == 1 }

  // MARK: - When

  /// A stretch shorter than this is told to the second.
  private static let shortStretch = Duration.minutes(10)

  /// `every evening from 18:20 to 20:50`, `on most days from 23:30 to 01:10, until 2026-03-01`.
  private var dailyTime: String {
    let stretch = record.lastStretch
    let isEach = record.effectiveSamples >= Self.everyDay * Double(record.samples)
    let part = clock.part(of: stretch) ?? "day"
    let hours =
      "from \(clock.clock(stretch.lowerBound, hasSeconds: false)) to \(clock.clock(stretch.upperBound, hasSeconds: false))"
    let last =
      record.endedAt.map { ", until \(clock.date($0))" }
      ?? stoppedAt.map { ", until recording stopped on \(clock.date($0))" } ?? ""
    return (isEach ? "every \(part)" : "on most \(part)s")
      + " \(hours)\(clock.name(at: stretch.lowerBound))\(last)"
  }

  /// What comes on so many of the days comes every day.
  private static let everyDay = 0.9

  private var time: String {
    if isDaily { return dailyTime }
    let end = stoppedAt ?? (record.isNewNormal ? nil : record.endedAt)
    let hasSeconds = (end ?? record.seenUntil) - record.startedAt < Self.shortStretch
    let start = clock.text(record.startedAt, hasSeconds: hasSeconds)
    let about = isUncertain(hasSeconds ? .seconds(5) : .seconds(90)) ? "about " : ""
    let zone = clock.name(at: record.startedAt)
    let again = times.map { self.again($0, hasSeconds: hasSeconds) } ?? ""
    guard let end else {
      let normal = record.isNewNormal ? ", for so long that it counts as normal now" : ""
      if record.isWithdrawn { return "from \(about)\(start)\(zone) on\(again)" }
      return "since \(about)\(start)\(zone)\(normal)\(again)"
    }
    let last = clock.text(end, after: record.startedAt, hasSeconds: hasSeconds)
    return stoppedAt == nil
      ? "from \(about)\(start) to \(last)\(zone)\(again)"
      : "from \(about)\(start) until recording stopped at \(last)\(zone)\(again)"
  }

  /// `, for the 4th time, about every 10 min since 14:02`; of two, how long after the first the second came.
  private func again(_ times: (count: Int, period: Duration, since: WallTime), hasSeconds: Bool) -> String {
    let period = LengthText.text(times.period)
    let first = clock.text(times.since, after: record.startedAt, hasSeconds: hasSeconds)
    return ", for the \(OrdinalText.text(times.count)) time, "
      + (times.count == 2 ? "\(period) after the first" : "about every \(period) since \(first)")
  }

  /// - Parameter least: by how much a start has to be uncertain to be told so.
  private func isUncertain(_ least: Duration) -> Bool {
    record.isGradual || record.startMargin.map { $0 > least } ?? false
  }

  // MARK: - Numbers

  /// `half`, `9 of 10`, `99 of 100`.
  static func level(_ quantile: Double) -> String {
    switch quantile {
    case 0.5: "half"
    case 0.9: "9 of 10"
    case 0.999: "999 of 1000"
    default: "\(Int((quantile * 100).rounded())) of 100"
    }
  }

  /// `5.1 %`, `3 of 1000`, `fewer than 1 of 1000`, `none`, `all`.
  static func share(_ share: Double) -> String {
    switch share {
    case ...0: "none"
    case 1...: "all"
    case 0.01...: PercentText.fine(share)
    case 0.0005...: "\(Int((share * 1_000).rounded())) of 1000"
    default: "fewer than 1 of 1000"
    }
  }

  /// `12 of 100`, below one of them as ``share(_:)``.
  static func ofHundred(_ share: Double) -> String {
    0.01..<0.995 ~= share ? "\(Int((share * 100).rounded())) of 100" : Self.share(share)
  }

  private static func failure(_ reason: FailureReason) -> String {
    switch reason {
    case .dns: "names that do not resolve"
    case .connect: "connections that cannot be opened"
    case .tls: "TLS handshakes that fail"
    case .timeout: "timeouts"
    case .reset: "connections that are reset"
    case .goaway, .closed: "connections that the other end closes"
    case .refusedStream: "streams that are refused"
    case .protocol: "answers that break the protocol"
    }
  }
}
