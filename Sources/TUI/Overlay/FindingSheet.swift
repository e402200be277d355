import Analysis
import ConstraintAnimation
import Measurement
import Store

/// The sheet of an incident.
struct FindingSheet: DetailSheet {
  /// The id of one of its findings.
  let id: String
  var firstLine = 0

  init(_ id: String) { self.id = id }

  func details(in context: ScreenContext) -> DetailModel { context.finding(id).details }

  func clipping(in context: ScreenContext) -> String? { context.finding(id).text }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    switch input.command {
    case .copy: return .stay(.command(.copy))
    case .scroll(let rows): scroll(by: rows, in: scene)
    case .scrollToStart: scroll(by: -ViewState.toEnd, in: scene)
    case .scrollToEnd: scroll(by: ViewState.toEnd, in: scene)
    case .list, .choose: return .close()
    default: turnPages(input.command, in: scene)
    }
    return .stay()
  }
}

/// Everything that is known of an incident: each of its findings with its figures, causes, legs and what happened at its start,
/// in the words of `pushscope findings show`.
struct FindingDetails {
  /// `nil` where it is no longer listed.
  let incident: FindingIncident?
  /// It and those that it repeats.
  let repetition: FindingRepetition?
  /// When recording stopped; `nil` while it goes on.
  var stoppedAt: WallTime?
  /// When reloads removed targets, by name.
  var removed: [String: WallTime] = [:]
  let appearance: Appearance
  let zone: LocalTime

  var details: DetailModel {
    DetailModel(
      title: [TextSpan(title, appearance(.strong))],
      rows: rows.map { row in row.value.map { .field(row.name, plain($0)) } ?? .heading(plain(row.name)) },
      hint: [("Y", "copies"), ("Esc", "closes")], mostColumns: 110, nameColumns: 13, appearance: appearance)
  }

  private var title: String {
    incident.map { plain(FindingSentence($0, stoppedAt: stop(of: $0.first), clock: sentenceClock).headline) }
      ?? "the finding is no longer listed"
  }

  private func stop(of record: FindingRecord) -> WallTime? {
    FindingsModel.stop(of: record, stoppedAt, removed)
  }

  // MARK: - Text

  /// A name and a value, or a heading without a value.
  private struct Row {
    let name: String
    var value: String?
  }

  private var rows: [Row] {
    guard let incident else { return [] }
    var rows: [Row] = []
    for (place, record) in incident.findings.enumerated() {
      if place > 0 { rows.append(Row(name: "")) }
      if incident.findings.count > 1 {
        rows.append(
          Row(name: FindingSentence(record, stoppedAt: stop(of: record), clock: sentenceClock).headline))
      }
      rows += self.rows(record)
    }
    return rows + repeats
  }

  private func rows(_ record: FindingRecord) -> [Row] {
    let facts = FindingFields(record, stoppedAt: stop(of: record), clock: clock)
    var rows = [Row(name: "finding", value: record.id)]
    rows += facts.rows.filter { !$0.value.isEmpty }.map { Row(name: $0.name, value: $0.value) }
    for cause in facts.causes {
      rows.append(Row(name: "cause", value: cause.sentence))
      if cause.targets.count > 1 {
        rows.append(Row(name: "", value: "targets: " + cause.targets.joined(separator: ", ")))
      }
      if let decisive = cause.wouldDecide { rows.append(Row(name: "", value: "would decide: \(decisive)")) }
    }
    for (place, leg) in facts.legs.enumerated() {
      let target = leg.target.isEmpty ? "" : "\(leg.target), "
      rows.append(
        Row(
          name: place == 0 ? "legs" : "",
          value: "\(target.isEmpty ? "  " : target)\(leg.leg): \(leg.change) (95 %: \(leg.interval))"))
    }
    return rows + facts.events.map { Row(name: "at its start", value: $0) }
  }

  /// When there were others like it.
  private var repeats: [Row] {
    guard let repetition, let period = repetition.period else { return [] }
    let starts = repetition.incidents.map { zone.civil($0.start).dateTime }.joined(separator: ", ")
    return [
      Row(
        name: "again",
        value:
          "\(repetition.incidents.count) times, about every \(LengthText.text(period)): since \(starts)")
    ]
  }

  private var sentenceClock: SentenceClock { SentenceClock(zone, today: nil) }

  private var clock: FindingFields.Clock {
    FindingFields.Clock(
      moment: { zone.civil($0).dateTime }, time: { zone.civil($0).hoursMinutesSeconds },
      exact: { "\(zone.civil($0).dateTime) \(zone.name(at: $0))" },
      zone: incident.map { zone.name(at: $0.start) } ?? "UTC", sentence: sentenceClock)
  }

  private func plain(_ text: String) -> String { FindingsModel.plain(text, appearance) }

  /// All of it as lines of text, for the clipboard.
  var text: String {
    rows.map { row in
      guard let value = row.value else { return EscapedText.make(row.name) }
      return EscapedText.make(row.name.isEmpty ? "  \(value)" : "\(row.name): \(value)")
    }.joined(separator: "\n") + "\n"
  }
}
