import Analysis
import Formats
import Measurement
import Store

/// A change in words: an incident, or several that repeat.
struct FindingArticle {
  private let repetition: FindingRepetition
  private let time: ReportTime
  private let isLong: Bool
  private let ends: RecordingEnds

  /// Other findings of the same incident that are named.
  private static let mostOthers = 8

  /// - Parameters:
  ///   - isLong: whether times need their day.
  ///   - ends: when recording stopped: what went on until then was not watched any longer.
  init(_ repetition: FindingRepetition, _ time: ReportTime, isLong: Bool, ends: RecordingEnds) {
    self.repetition = repetition
    self.time = time
    self.isLong = isLong
    self.ends = ends
  }

  private var incident: FindingIncident { repetition.last }
  private var first: FindingRecord { incident.first }
  private var words: FindingText { FindingText(first) }
  private var sentence: FindingSentence {
    FindingSentence(repetition, stoppedAt: ends[first], clock: time.sentenceClock)
  }

  var markup: Markup {
    let isOver = incident.findings.allSatisfy { !$0.goesOn && ends[$0] == nil }
    let style: Markup = sentence.isBetter ? " better" : isOver ? " over" : ""
    let provisional: Markup = first.isProvisional ? " provisional" : ""
    let others = incident.findings.dropFirst().prefix(Self.mostOthers).map { other -> Markup in
      let text = FindingText(other)
      return
        "<p class=\"soft\">With it: \(UnbrokenText.make(said(other).headline)), \(UnbrokenText.make(text.change))\(beside(other)).</p>\n"
    }
    let further = incident.findings.count - 1 - others.count
    let more: Markup =
      further > 0
      ? "<p class=\"soft\">And \(CountText.text(further, "other series", plural: "other series")).</p>\n" : ""
    let events: Markup =
      first.events.isEmpty
      ? "" : "<p class=\"soft\">At its beginning: \(first.events.joined(separator: "; ")).</p>\n"
    return """
      <article class="finding\(style)\(provisional)">
      <h3>\(UnbrokenText.make(sentence.what))</h3>
      <p>\(UnbrokenText.make(sentence.whose))</p>
      <p class="soft">\(UnbrokenText.make(words.change)), \(when).\(causes.count == 1 ? cause : "")</p>
      \(causes.count > 1 ? list : "")\(legs)\(others)\(more)\(decide)\(events)</article>

      """
  }

  private func said(_ finding: FindingRecord) -> FindingSentence {
    FindingSentence(finding, stoppedAt: ends[finding], clock: time.sentenceClock)
  }

  // MARK: - When

  /// When the last one was, and how often there were others like it.
  private var when: Markup {
    guard let period = repetition.period, let earliest = repetition.incidents.first else {
      return when(first)
    }
    let count = repetition.incidents.count
    let pace: Markup = count == 2 ? "" : ", about every \(UnbrokenText.make(LengthText.text(period)))"
    return """
      \(count) times since \(time.moment(earliest.start, isLong: isLong))\(pace); the last \
      \(when(first))
      """
  }

  private func when(_ finding: FindingRecord) -> Markup {
    let start = time.moment(finding.startedAt, isLong: isLong)
    if finding.isDaily {
      let days =
        "on \(CountText.grouped(Int(finding.effectiveSamples))) of \(CountText.text(finding.samples, "day"))"
      return "\(days), first \(start), last \(time.moment(finding.lastStretch.lowerBound, isLong: isLong))"
    }
    let stopped: Markup? = ends[finding].map {
      ", still open when recording stopped at \(time.moment($0, isLong: isLong))"
    }
    if finding.isGradual {
      return stopped.map { "getting worse from about \(start) on\($0)" }
        ?? "getting worse since about \(start)"
    }
    var spread: Markup = ""
    if let margin = finding.startMargin {
      spread = " (\(FigureText.unbroken("± \(LengthText.text(margin))")))"
    }
    if let stopped { return "from \(start)\(spread) on\(stopped)" }
    if let end = finding.endedAt {
      return "from \(start)\(spread) to \(time.moment(end, isLong: isLong))"
    }
    return finding.isNewNormal
      ? "from \(start)\(spread), the new normal since" : "since \(start)\(spread)"
  }

  /// When another finding of the incident was, where that differs.
  private func beside(_ other: FindingRecord) -> Markup {
    other.startedAt == first.startedAt && other.endedAt == first.endedAt && ends[other] == ends[first]
      ? "" : ", \(when(other))"
  }

  // MARK: - Why

  private var causes: [FindingText.Cause] { FindingText(incident.explained).leadingCauses }

  private var cause: Markup { " Cause: \(UnbrokenText.make(causes[0].sentence))." }

  private var list: Markup {
    """
    <p>\(causes.count) causes:</p>
    <ul>\(causes.map { "<li>\(UnbrokenText.make($0.sentence)).</li>\n" as Markup })</ul>

    """
  }

  private var decide: Markup {
    causes.compactMap(\.wouldDecide).map {
      "<p class=\"soft\">What would decide it: \($0).</p>\n" as Markup
    }.reduce(Markup(), +)
  }

  /// How much of the change each part of the way carries, of the finding of a latency that has them: what a loss or a refusal
  /// changes of latencies is chance.
  private var legs: Markup {
    guard
      let record = ([first, incident.explained] + incident.findings).first(where: { finding in
        finding.explainingLegs.contains { $0.target == finding.target }
      }), let legs = record.explainingLegs.first(where: { $0.target == record.target }), legs.total.isFinite
    else { return "" }
    let whose = record.target == first.target ? "" : " of \(record.target)"
    let parts = legs.parts.sorted { abs($0.change) > abs($1.change) }.map { part in
      "\(part.leg.title) \(LegsRecord.text(part.change, part.low, part.high))"
    }
    return """
      <p>Of the change of \(LegsRecord.text(legs.total, legs.totalLow, legs.totalHigh)) in \(record.metric.rawValue) \
      \(Quantile.label(of: legs.quantile))\(whose): \(parts.joined(separator: ", ")).</p>

      """
  }
}

extension LegsRecord {
  /// A change with its interval: `+1.72 s (1.50 s to 2.00 s)`.
  fileprivate static func text(_ change: Double, _ low: Double?, _ high: Double?) -> String {
    let latency = LatencyText.rounded
    let span = low.flatMap { low in high.map { " (\(latency(low)) to \(latency($0)))" } } ?? ""
    return UnbrokenText.make((change > 0 ? "+" : "") + latency(change) + span)
  }
}
