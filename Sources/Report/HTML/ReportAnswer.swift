import Analysis
import Findings
import Formats
import Measurement
import Store

/// The top of the report: what is to be known, in words.
struct ReportAnswer {
  private let content: ReportContent
  private let time: ReportTime

  init(_ content: ReportContent, _ time: ReportTime) {
    self.content = content
    self.time = time
  }

  private static func names(_ targets: [ReportTarget]) -> String {
    ListText.namesOrCount(targets.map(\.name), of: "target")
  }

  /// The title of the browser's window.
  var title: String { "\(subject), \(time.day(content.start))" }

  private var subject: String {
    content.targets.isEmpty ? "Push notifications" : "Push notifications to \(Self.names(content.targets))"
  }

  private var findings: ReportFindings { content.findings }

  private var headline: String {
    guard !content.targets.isEmpty else { return "Nothing was sent in this time" }
    // Where little arrives, nothing that got better matters.
    if let poor, findings.changes.allSatisfy({ said($0).isBetter }) { return poor }
    if let open = findings.open.first {
      let others = findings.open.count - 1
      let rest = CountText.text(others, "more change is", plural: "more changes are") + " open"
      return said(open).what + (others == 0 ? "" : " And \(rest).")
    }
    if let main = findings.changes.first {
      let others = findings.incidents - main.incidents.count
      let rest = CountText.text(others, "other change was", plural: "other changes were")
      let areOver = findings.areOver ? others == 1 ? "; both are over" : "; all of them are over" : ""
      return said(main).what + (others == 0 ? "" : " Beside that \(rest) found\(areOver).")
    }
    if let daily = findings.daily.first { return said(daily).what }
    if findings.watched.isEmpty { return InTime(content.targets).sentence }
    if findings.watched.contains(where: \.isTooShort) {
      let all = InTime(content.targets)
      return
        "Too little to tell: \(FigureText.grouped(all.events)) of \(FigureText.grouped(all.count)) \(all.verb)"
    }
    return "No change found"
  }

  /// What went on when it was watched last is told until recording stopped.
  private func said(_ repetition: FindingRepetition) -> FindingSentence {
    let first = repetition.last.first
    return FindingSentence(repetition, stoppedAt: findings.ends[first], clock: time.sentenceClock)
  }

  /// How many arrived in time, of those whose end is known; of targets without receipts, how many were accepted.
  private struct InTime {
    var events = 0
    var count = 0
    let verb: String

    init(_ targets: some Sequence<ReportTarget>) {
      verb = GoodOutcome(ofTargetsExpectingReceipts: targets.map(\.expectsReceipts)).verb
      for interval in targets.compactMap({ $0.total.shares.first { $0.share == .inTime }?.interval }) {
        events += interval.events
        count += interval.count
      }
    }

    /// `98.7 % of 18 000 notifications arrived in time`.
    var sentence: String { sentence(to: "") }

    func sentence(to targets: String) -> String {
      "\(PercentText.brief(events, of: count)) of \(CountText.text(count, "notification"))\(targets) \(verb)"
    }
  }

  /// A smaller share in time is what is to be known of a target, whether it changed or not.
  private static let poorShare = 0.95

  /// The share in time of the targets of which it is poor; `nil` where there are none.
  private var poor: String? {
    let poor = content.targets.filter { target in
      let inTime = InTime([target])
      return Double(inTime.events) < Self.poorShare * Double(inTime.count)
    }
    guard !poor.isEmpty else { return nil }
    return InTime(poor).sentence(to: poor.count == content.targets.count ? "" : " to \(Self.names(poor))")
  }

  var markup: Markup {
    let names = content.runs.compactMap(\.record.name)
    let run: Markup =
      content.runs.count == 1
      ? (names.first.map { "run “\($0)”" } ?? "1 run") : "\(content.runs.count) runs"
    let isUTC = time.zoneWords == "UTC"
    let utc: Markup = isUTC ? "" : "<br>\(ReportTime.rangeInUTC(content.start, content.end))"
    return """
      <header>
      <p class="eyebrow">\(subject)</p>
      <h1>\(UnbrokenText.make(headline))</h1>
      <p class="soft">\(time.range(content.start, content.end)), \(run)\(goingOn)\(utc)</p>
      </header>
      \(changes)\(daily)\(watched)
      """
  }

  /// That a run is still recorded, or that its collector is gone.
  private var goingOn: Markup {
    if content.openPhases.contains(.live) { return " (still being recorded)" }
    return content.openPhases.isEmpty ? "" : " (the collector is gone)"
  }

  private var changes: Markup {
    let all = findings.changes
    guard !all.isEmpty else { return "" }
    let rest = all.count - ReportFindings.most
    let more: Markup =
      rest > 0
      ? "<p class=\"soft\">\(rest) earlier ones are not shown: pushscope findings lists them.</p>\n" : ""
    let note: Markup =
      all.contains { $0.last.first.isProvisional }
      ? " A dashed line marks what is provisional: found while what is usual is known from less than two days."
      : ""
    return """
      <section id="findings">
      <h2>What changed</h2>
      \(all.prefix(ReportFindings.most).map { FindingArticle($0, time, isLong: isLong, ends: findings.ends).markup })\(more)\
      <p class="soft">Times are \(time.zoneWords). Figures since a change have 95 % intervals in brackets.\
      \(note)</p>
      </section>

      """
  }

  /// What is usual at some hours.
  private var daily: Markup {
    guard !findings.daily.isEmpty else { return "" }
    let zone: Markup = findings.changes.isEmpty ? "<p class=\"soft\">Times are \(time.zoneWords).</p>\n" : ""
    return """
      <section id="daily">
      <h2>What comes every day</h2>
      \(findings.daily.map { FindingArticle($0, time, isLong: true, ends: findings.ends).markup })\(zone)</section>

      """
  }

  private var isLong: Bool { content.end - content.start >= .days(1) }

  /// How long was watched, and what is still being learned.
  private var watched: Markup {
    guard !content.targets.isEmpty else { return "" }
    guard let shortest = findings.watched.min(by: { $0.watched < $1.watched }) else {
      // A store that says what was found and not how far was looked.
      guard findings.changes.isEmpty, findings.daily.isEmpty else {
        return "<p class=\"soft\">\(UnbrokenText.make(InTime(content.targets).sentence)).</p>\n"
      }
      return "<p>Nobody looked for changes in this time: no collector watched these targets.</p>\n"
    }
    let arrived = UnbrokenText.make(InTime(content.targets).sentence)
    let style: Markup = findings.changes.isEmpty ? "" : " class=\"soft\""
    return "<p\(style)>\(arrived). \(UnbrokenText.make(watched(shortest)))</p>\n"
  }

  /// - Parameter series: that of which least was watched.
  private func watched(_ series: WatchedSeries) -> String {
    guard series.watched > .zero else {
      return """
        Not watched for changes yet: the first \(LengthText.text(series.warmUp)) are what later ones are compared with, and \
        this is a record of \(LengthText.text(series.age)).
        """
    }
    // The same words as everywhere else.
    let power = PowerSentence(of: findings.watched)
    return findings.changes.isEmpty
      ? findings.daily.isEmpty ? power.text : power.text(after: "No change found")
      : power.text(after: "No other change found")
  }
}
