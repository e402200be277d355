import Analysis
import ConstraintAnimation
import Measurement
import Store

/// Everything that is known of an incident: each of its findings with its figures, causes, legs and what happened at its start,
/// in the words of `pushscope findings show`.
struct FindingSheetModel {
  /// `nil` where it is no longer listed.
  let incident: FindingIncident?
  /// It and those that it repeats.
  let repetition: FindingRepetition?
  let appearance: Appearance
  let zone: LocalTime
  /// The first visible line, where not all fit.
  var firstLine = 0

  private static let mostColumns = 110
  private static let nameColumns = 13

  func size(fitting width: Int, _ height: Int) -> (width: Int, height: Int) {
    let columns = min(Self.mostColumns, max(10, width - 4))
    return (columns, min(height - 2, lines(width: columns).count + 2))
  }

  /// Lines that a sheet of this height has room for.
  static func room(height: Int) -> Int { max(1, height - 2) }

  /// The largest scroll offset in a sheet of this size.
  func mostScroll(width: Int, height: Int) -> Int {
    max(0, lines(width: width).count - Self.room(height: height))
  }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    guard width > 30, height > 2 else { return picture }
    let lines = lines(width: width)
    let most = max(0, lines.count - Self.room(height: height))
    let first = min(max(firstLine, 0), most)
    SheetFrame(
      title: [
        TextSpan(
          FittedText.truncated(title, columns: width - 8, ellipsis: appearance.glyphs.ellipsis),
          appearance(.strong))
      ],
      hint: SheetFrame.scrollHint(below: most - first, above: first, appearance) + [
        TextSpan("Y", appearance(.key)), TextSpan(" copies  ", appearance(.secondary)),
        TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary)),
      ], appearance: appearance
    ).draw(&picture)
    for (row, spans) in lines.dropFirst(first).prefix(Self.room(height: height)).enumerated() {
      picture.lines.append(CellPicture.Line(x: 2, y: row + 1, spans: spans, end: width - 1))
    }
    return picture
  }

  private var title: String {
    incident.map { plain(FindingText($0).headline) } ?? "the finding is no longer listed"
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
      if incident.findings.count > 1 { rows.append(Row(name: FindingText(record).headline)) }
      rows += self.rows(record)
    }
    return rows + repeats
  }

  private func rows(_ record: FindingRecord) -> [Row] {
    let facts = FindingFields(record, clock: clock)
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

  private var clock: FindingFields.Clock {
    FindingFields.Clock(
      moment: { zone.civil($0).dateTime }, time: { zone.civil($0).hoursMinutesSeconds },
      exact: { "\(zone.civil($0).dateTime) \(zone.name(at: $0))" },
      zone: incident.map { zone.name(at: $0.start) } ?? "UTC")
  }

  private func lines(width: Int) -> [[TextSpan]] {
    let room = max(10, width - 4 - Self.nameColumns - 2)
    return rows.flatMap { row -> [[TextSpan]] in
      guard let value = row.value else { return [[TextSpan(plain(row.name), appearance(.strong))]] }
      return NoticeModel.wrapped(plain(value), columns: room).enumerated().map { index, part in
        let name = FittedText.field(
          index == 0 ? row.name : "", columns: Self.nameColumns, ellipsis: appearance.glyphs.ellipsis)
        return [TextSpan(name + "  ", appearance(.secondary)), TextSpan(part, appearance(.text))]
      }
    }
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
