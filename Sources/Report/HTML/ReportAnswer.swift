import Analysis
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

  private var targetNames: String {
    let names = content.targets.map(\.name)
    guard let last = names.last else { return "no targets" }
    if names.count > 4 { return "\(names.count) targets" }
    return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Of the browser's window.
  var title: String { "Push notifications to \(targetNames), \(time.day(content.start))" }

  private var findings: ReportFindings { content.findings }

  private var headline: String {
    guard !content.targets.isEmpty else { return "Nothing was sent in this time" }
    if let first = findings.open.first?.last.first {
      let others = findings.open.count - 1
      let rest = CountText.text(others, "more change") + (others == 1 ? " is open" : " are open")
      let more = others == 0 ? "" : ", and \(rest)"
      // After the recording nobody knows whether it lasts.
      guard let last = findings.recordedTo[first.target] else {
        return FindingText(first).headline + " since \(moment(first.startedAt))" + more
      }
      return FindingText(first).headline(isOver: true)
        + " from \(moment(first.startedAt)) until recording stopped at \(moment(last))" + more
    }
    if findings.changes.count == 1, let only = findings.changes.first {
      let words = FindingText(only.last.first).headline
      if only.incidents.count > 1 { return "\(words), \(only.incidents.count) times" }
      guard let end = only.last.first.endedAt else { return words }
      return "\(words) from \(moment(only.last.start)) to \(moment(end))"
    }
    if let main = findings.changes.first {
      let times = main.incidents.count > 1 ? ", \(main.incidents.count) times" : ""
      let others = CountText.text(findings.incidents - main.incidents.count, "other change")
      return "\(FindingText(main.last.first).headline)\(times), beside \(others), all of them over"
    }
    if findings.detectors.isEmpty { return arrived + " in time" }
    return "No change found"
  }

  private func moment(_ at: WallTime) -> String {
    let clock = time.clock(at)
    return isLong || at < content.start ? "\(time.day(at)), \(clock)" : clock
  }

  /// `98.7 % of 18 000 notifications arrived`.
  private var arrived: String {
    let counts = content.targets.reduce(StateCounts()) { $0 + $1.total.counts }
    let settled = counts.due - counts[.inFlight]
    let share = FigureText.percent(counts[.delivered] + counts[.accepted], of: settled)
    return "\(share) of \(FigureText.grouped(settled)) notifications arrived"
  }

  var markup: Markup {
    let names = content.runs.compactMap(\.record.name)
    let run: Markup =
      content.runs.count == 1
      ? (names.first.map { "run “\($0)”" } ?? "1 run") : "\(content.runs.count) runs"
    let open: Markup = content.isOpen ? " (still being recorded)" : ""
    let zone = time.zoneName(at: content.start)
    let isUTC = zone == "UTC" && time.zoneName(at: content.end) == "UTC"
    let utc: Markup = isUTC ? "" : "<br>\(ReportTime.rangeInUTC(content.start, content.end))"
    return """
      <header>
      <p class="eyebrow">Push notifications to \(targetNames)</p>
      <h1>\(headline)</h1>
      <p class="soft">\(time.range(content.start, content.end)) \(zone), \(run)\(open)\(utc)</p>
      </header>
      \(changes)\(watched)
      """
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
      ? " A dashed line marks what is provisional: found while less than two days are recorded." : ""
    return """
      <section id="findings">
      <h2>What changed</h2>
      \(all.prefix(ReportFindings.most).map { FindingArticle($0, time, isLong: isLong, recordedTo: findings.recordedTo).markup })\(more)\
      <p class="soft">Times are \(time.zoneName(at: content.start)). Figures since a change have 95 % intervals in brackets.\
      \(note)</p>
      </section>

      """
  }

  private var isLong: Bool { content.end.microseconds - content.start.microseconds >= 86_400_000_000 }

  /// How long was watched, and what is still being learned.
  private var watched: Markup {
    guard !content.targets.isEmpty else { return "" }
    let detectors = findings.detectors
    guard let shortest = detectors.min(by: { $0.age < $1.age }) else {
      return "<p>Nobody looked for changes in this time: no collector watched these targets.</p>\n"
    }
    let told: Markup =
      findings.changes.isEmpty
      ? "<p>\(arrived) in time. " : "<p class=\"soft\">\(arrived) in time. "
    let length = LengthText.text(
      min(shortest.age, max(0, content.end.microseconds - content.start.microseconds)))
    let watched: Markup =
      "Watched for changes: \(length) of this time, on a record of \(LengthText.text(shortest.age)). "
    let learning: Markup =
      shortest.learning.map {
        "Still learning (\(LengthText.text(shortest.age)) of \(LengthText.text($0))): only changes by half and more are seen so far."
      }
      ?? "Changes of a tenth of a latency or a percentage point of a share would have been seen, given time."
    return told + watched + learning + "</p>\n"
  }
}
