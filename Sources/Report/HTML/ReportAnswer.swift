import Formats
import Measurement
import Store

/// What the detector said of the report's time.
struct ReportFindings: Sendable {
  /// Findings that have one cause, by the start of the first.
  struct Incident: Sendable {
    /// By their start.
    let findings: [FindingRecord]

    var isOpen: Bool { findings.contains(where: \.isOpen) }
  }

  let incidents: [Incident]
  /// The detectors of the report's targets.
  let detectors: [DetectorRecord]

  /// Incidents that are told in full.
  static let most = 12

  init(_ reader: StoreReader, targets: [ReportTarget], from start: WallTime, to end: WallTime) throws {
    let names = Set(targets.map(\.name))
    let found = try reader.findings(FindingSelection(targets: names, since: start, until: end))
    let groups = Dictionary(grouping: found, by: \.incident)
    incidents = groups.values.map(Incident.init).sorted {
      // Open ones first, then the newest.
      ($0.isOpen ? 0 : 1, -$0.findings[0].startedAt.microseconds, $0.findings[0].id)
        < ($1.isOpen ? 0 : 1, -$1.findings[0].startedAt.microseconds, $1.findings[0].id)
    }
    detectors = try reader.detectors().filter { names.contains($0.target) && $0.through > start }
  }

  /// Stretches of a target's findings, for its charts.
  func stretches(of target: String, to end: WallTime) -> [ClosedRange<WallTime>] {
    incidents.flatMap(\.findings).filter { $0.target == target }.map {
      $0.startedAt...max($0.startedAt, $0.isOpen ? end : $0.endedAt ?? $0.seenUntil)
    }
  }
}

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
    let incidents = findings.incidents
    let open = incidents.filter(\.isOpen)
    if let first = open.first?.findings.first ?? (incidents.count == 1 ? incidents[0].findings.first : nil) {
      let others = open.isEmpty ? 0 : open.count - 1
      let rest = CountText.text(others, "more change") + (others == 1 ? " is open" : " are open")
      return FindingText(first).headline + (first.isOpen ? " since \(start(of: first))" : "")
        + (others == 0 ? "" : ", and \(rest)")
    }
    if !incidents.isEmpty { return "\(incidents.count) changes, all of them over" }
    if findings.detectors.isEmpty { return arrived + " in time" }
    return "No change found"
  }

  private func start(of finding: FindingRecord) -> String {
    let clock = time.clock(finding.startedAt)
    return isLong || finding.startedAt < content.start ? "\(time.day(finding.startedAt)), \(clock)" : clock
  }

  /// `98.7 % of 18 000 notifications arrived`.
  private var arrived: String {
    let counts = content.targets.reduce(StateCounts()) { $0 + $1.total.counts }
    let settled = counts.due - counts[.inFlight]
    let share = FigureText.percent(counts[.delivered] + counts[.accepted], of: settled)
    return "\(share) of \(ReportNumber.text(settled)) notifications arrived"
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
      \(incidents)\(watched)
      """
  }

  private var incidents: Markup {
    let all = findings.incidents
    guard !all.isEmpty else { return "" }
    let rest = all.count - ReportFindings.most
    let more: Markup =
      rest > 0
      ? "<p class=\"soft\">\(rest) earlier ones are not shown: pushscope findings lists them.</p>\n" : ""
    return """
      <section id="findings">
      <h2>What changed</h2>
      \(all.prefix(ReportFindings.most).map(article))\(more)</section>

      """
  }

  private func article(_ incident: ReportFindings.Incident) -> Markup {
    let first = incident.findings[0]
    let words = FindingText(first)
    let style: Markup = words.isBetter ? " better" : incident.isOpen ? "" : " over"
    let provisional: Markup = first.isProvisional ? " provisional" : ""
    let others = incident.findings.dropFirst().map { other -> Markup in
      let text = FindingText(other)
      return
        "<p class=\"soft\">With it: \(text.headline.loweredFirst), \(text.change)\(beside(other, first)).</p>\n"
    }
    let note: Markup =
      first.isProvisional
      ? "<p class=\"soft\">Provisional: found while less than two days are recorded.</p>\n" : ""
    let decide =
      words.wouldDecide.map { "<p class=\"soft\">What would decide it: \($0).</p>\n" as Markup } ?? ""
    let events: Markup =
      first.events.isEmpty
      ? "" : "<p class=\"soft\">At its beginning: \(first.events.joined(separator: "; ")).</p>\n"
    return """
      <article class="finding\(style)\(provisional)">
      <h3>\(words.headline), \(when(first))</h3>
      <p>\(words.change). Cause: \(words.cause)\(evidence(first)).</p>
      \(others.prefix(8).map { $0 })\(decide)\(events)\(note)</article>

      """
  }

  private func beside(_ other: FindingRecord, _ first: FindingRecord) -> Markup {
    other.startedAt == first.startedAt && other.endedAt == first.endedAt ? "" : ", \(when(other))"
  }

  private func evidence(_ finding: FindingRecord) -> String {
    finding.evidence.isEmpty ? "" : ": \(finding.evidence)"
  }

  private func when(_ finding: FindingRecord) -> Markup {
    let start = time.moment(finding.startedAt, isLong: isLong)
    if finding.isGradual { return "getting worse since about \(start)" }
    var spread: Markup = ""
    if let low = finding.startedLow, let high = finding.startedHigh, high > low {
      let half = max(
        high.microseconds - finding.startedAt.microseconds, finding.startedAt.microseconds - low.microseconds)
      spread = " (± \(ReportTime.step(half)))"
    }
    if let end = finding.endedAt {
      return "from \(start)\(spread) to \(time.moment(end, isLong: isLong))"
    }
    return finding.isNewNormal ? "from \(start)\(spread), the new normal since" : "since \(start)\(spread)"
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
      findings.incidents.isEmpty
      ? "<p>\(arrived) in time. " : "<p class=\"soft\">\(arrived) in time. "
    let length = ReportTime.length(
      min(shortest.age, max(0, content.end.microseconds - content.start.microseconds)))
    let watched: Markup =
      "Watched for changes: \(length) of this time, on a record of \(ReportTime.length(shortest.age)). "
    let learning: Markup =
      shortest.learning.map {
        "Still learning (\(ReportTime.length(shortest.age)) of \(ReportTime.length($0))): only changes by half and more are seen so far."
      }
      ?? "Changes of a tenth of a latency or a percentage point of a share would have been seen, given time."
    return told + watched + learning + "</p>\n"
  }
}

extension String {
  fileprivate var loweredFirst: String { prefix(1).lowercased() + dropFirst() }
}

/// Whole numbers for people.
enum ReportNumber {
  /// In groups of three from five digits on, with narrow spaces that do not break: 4711, 47 110.
  static func text(_ number: Int) -> String {
    let digits = String(number)
    guard digits.count > 4 else { return digits }
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result += "\u{202F}" }
      result.append(digit)
    }
    return result
  }
}
