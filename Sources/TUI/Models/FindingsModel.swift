import Analysis
import ConstraintAnimation
import Measurement
import Store

/// An incident in the panel of findings; closed ones that repeat are one row.
struct FindingRow: Sendable, Equatable {
  let repetition: FindingRepetition
  /// The last of those that repeat.
  let incident: FindingIncident

  var id: String { incident.first.id }
  var isOpen: Bool { incident.isOpen }

  /// The stretch from its start to its end, or to where it has been looked at; the last one of a daily pattern.
  var stretch: Range<WallTime> {
    if incident.isDaily { return incident.first.lastStretch }
    return incident.start..<max(incident.end, incident.start + .microseconds(1))
  }

  var length: Duration { stretch.upperBound - stretch.lowerBound }

  /// `open`, `lasting`, `provisional`, `closed`, `daily`, of the finding that counts.
  var status: String { (incident.findings.first(where: \.isOpen) ?? incident.first).status.rawValue }
}

/// The findings of the run, in the order in which the panel lists them.
enum FindingRows {
  /// Open ones first, then the newest. With a column's title, in the order of that.
  static func make(_ findings: [FindingRecord], order: String? = nil) -> [FindingRow] {
    let rows = FindingRepetition.fold(FindingIncident.group(findings)).compactMap { repetition in
      repetition.incidents.last.map { FindingRow(repetition: repetition, incident: $0) }
    }
    let precedes = orders.first { $0.title == order }?.precedes ?? isMoreUrgent
    return rows.sorted { first, second in
      if precedes(first, second) { return true }
      return !precedes(second, first) && isMoreUrgent(first, second)
    }
  }

  /// The orders that can be chosen, by the titles of columns.
  static let orders: [TableOrder<FindingRow>] = [
    TableOrder("status") { $0.status < $1.status },
    TableOrder("since") { $0.incident.start < $1.incident.start },
    TableOrder("for") { $0.length > $1.length },
    TableOrder("what") { $0.incident.first.target < $1.incident.first.target },
  ]

  private static func isMoreUrgent(_ first: FindingRow, _ second: FindingRow) -> Bool {
    guard first.isOpen == second.isOpen else { return first.isOpen }
    guard first.incident.start == second.incident.start else {
      return first.incident.start > second.incident.start
    }
    return first.id < second.id
  }
}

/// How findings fill a panel: what changed and why on two lines each where there is room for all, else only the chosen one has
/// its second line.
struct FindingsLayout: Sendable, Equatable {
  /// Which findings have a line with their cause.
  enum Causes: Sendable {
    case all, chosen, none
  }

  /// A line of the panel.
  struct Line: Sendable, Equatable {
    /// Index of the finding.
    let row: Int
    /// Whether it is the second line.
    let isCause: Bool
  }

  let causes: Causes
  /// Findings that are in view at once.
  let rows: Int

  /// The fewest lines in which the chosen finding's cause is shown; with fewer, it would push out too many others.
  private static let leastRoom = 5

  /// - Parameters:
  ///   - room: lines below the heading.
  ///   - hidden: titles of columns that are not wanted.
  init(count: Int, room: Int, hidden: Set<String>) {
    let showsCauses = !hidden.contains(FindingsModel.causeTitle)
    if showsCauses, count * 2 <= room {
      (causes, rows) = (.all, room / 2)
    } else if showsCauses, room >= Self.leastRoom {
      (causes, rows) = (.chosen, room - 1)
    } else {
      (causes, rows) = (.none, room)
    }
  }

  /// The lines in view from above.
  func lines(_ visible: Range<Int>, chosen: Int) -> [Line] {
    visible.flatMap { row in
      let hasCause = causes == .all || causes == .chosen && row == chosen
      return [Line(row: row, isCause: false)] + (hasCause ? [Line(row: row, isCause: true)] : [])
    }
  }
}

/// The panel of findings: what changed, since when, by how much and why, in the words of `pushscope findings`.
struct FindingsModel {
  let findings: [FindingRecord]
  /// When recording stopped; `nil` while it goes on.
  var stoppedAt: WallTime?
  /// When reloads removed targets, by name.
  var removed: [String: WallTime] = [:]
  /// What watches for changes; `nil` where it is not known.
  var detectors: [DetectorRecord]?
  let position: RowPosition<String>
  /// Title of the column that the rows are ordered by; `nil` for open ones first.
  var order: String?
  /// Titles of columns that are not wanted.
  var hiddenColumns: Set<String> = []
  let now: WallTime
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let rows = FindingRows.make(findings, order: order)
    let ids = rows.map(\.id)
    let layout = FindingsLayout(
      count: rows.count, room: ListModel.room(height: height, hasHeading: height > 2),
      hidden: hiddenColumns)
    let chosen = position.place(in: ids)
    let visible = position.visible(in: ids, rows: layout.rows)
    let table = FittedTable(
      columns(layout), rows: rows, hidden: hiddenColumns, width: width - 3, appearance: appearance)
    var lines = layout.lines(visible, chosen: chosen).map { line in
      let row = rows[line.row]
      if line.isCause { return cause(of: row, width: width - 3) }
      return table.row(
        row,
        marks: [
          TextSpan(line.row == chosen ? ">" : " ", appearance(.accent)),
          TextSpan(
            row.isOpen ? appearance.glyphs.bullet : " ", appearance(row.isOpen ? .warning : .secondary)),
          TextSpan(" ", .plain),
        ])
    }
    lines += silence(
      rows, width: width - 3, room: ListModel.room(height: height, hasHeading: height > 2) - lines.count)
    return ListModel(
      title: "findings", details: rows.isEmpty ? [] : details(of: rows[chosen], rows, layout),
      count: rows.count, visible: visible, follows: false,
      emptyText: said(detectors.map { PowerSentence($0).text } ?? "nothing found so far"),
      heading: table.heading,
      rows: lines,
      appearance: appearance, width: width, height: height)
  }

  /// What would have been found where only daily patterns were, below them.
  private func silence(_ rows: [FindingRow], width: Int, room: Int) -> [[TextSpan]] {
    guard let detectors, !rows.isEmpty, rows.allSatisfy(\.incident.isDaily), room > 1 else { return [] }
    let text = PowerSentence(detectors).text(after: "No change found")
    let lines = FittedText.wrapped(said(text), columns: max(1, width - 5))
    guard lines.count < room else { return [] }
    return [[]] + lines.map { [TextSpan("     " + $0, appearance(.secondary))] }
  }

  /// How many are open, and the cause of the chosen row where no line below it has that.
  private func details(of row: FindingRow, _ rows: [FindingRow], _ layout: FindingsLayout) -> [LineItem] {
    let open = rows.count(where: \.isOpen)
    let count = LineItem(
      priority: 5, [TextSpan("\(open) open", appearance(open > 0 ? .warning : .secondary))])
    guard layout.causes == .none else { return [count] }
    return [count, LineItem(priority: 3, [TextSpan(said(sentence(row).whose), appearance(.text))])]
  }

  /// The line below a row: whose fault it is, or what would tell.
  private func cause(of row: FindingRow, width: Int) -> [TextSpan] {
    let indent = "     "
    let words = FittedText.truncated(
      said(sentence(row).whose), columns: max(1, width - indent.count), ellipsis: appearance.glyphs.ellipsis)
    return [TextSpan(indent, .plain), TextSpan(words, appearance(.text))]
  }

  private func sentence(_ row: FindingRow) -> FindingSentence {
    FindingSentence(
      row.repetition, stoppedAt: Self.stop(of: row.incident.first, stoppedAt, removed),
      clock: SentenceClock(zone, today: now))
  }

  /// When recording of a finding that went on until then stopped; `nil` where it goes on, or the finding ended before.
  static func stop(of finding: FindingRecord, _ stoppedAt: WallTime?, _ removed: [String: WallTime])
    -> WallTime?
  {
    finding.goesOn ? stoppedAt ?? removed[finding.target] : nil
  }

  fileprivate static let causeTitle = "cause"

  /// Titles of all columns.
  static let titles = ["status", "since", "for", "what", "change", "again", causeTitle]

  /// All columns, in their order, without the cause where it has a line of its own below every row.
  private func columns(_ layout: FindingsLayout) -> [TableColumn<FindingRow>] {
    let hasLines = layout.causes == .all
    let columns: [TableColumn<FindingRow>] = [
      TableColumn(title: "status", priority: 70, isLeading: true) {
        TextSpan($0.status, appearance($0.isOpen ? .warning : .secondary))
      },
      TableColumn(title: "since", priority: 80, isLeading: true) {
        TextSpan(since($0), appearance(.secondary))
      },
      TableColumn(title: "for", priority: 60) {
        TextSpan(LengthText.text(length($0)), appearance(.text))
      },
      TableColumn(title: "what", priority: 100, isLeading: true, limit: hasLines ? 72 : 48) { row in
        let sentence = sentence(row)
        return TextSpan(
          said(row.incident.isDaily ? sentence.briefOpening : sentence.headline),
          appearance(sentence.isBetter ? .live : .strong))
      },
      TableColumn(title: "change", priority: 90, isLeading: true, limit: hasLines ? 64 : 44) {
        TextSpan(said(FindingText($0.incident.first).change), appearance(.text))
      },
      TableColumn(title: "again", priority: 50, isLeading: true) {
        TextSpan(repeats($0.repetition), appearance(.secondary))
      },
      TableColumn(title: Self.causeTitle, priority: 75, isLeading: true, limit: 44) {
        TextSpan(said(sentence($0).whose), appearance(.text))
      },
    ]
    return hasLines ? columns.filter { $0.title != Self.causeTitle } : columns
  }

  private func length(_ row: FindingRow) -> Duration {
    row.isOpen ? max(row.length, now - row.stretch.lowerBound) : row.length
  }

  private func since(_ row: FindingRow) -> String {
    let start = zone.civil(row.incident.start)
    let isToday = zone.civil(now).date == start.date
    let about = row.incident.first.isGradual ? "about " : ""
    return about + (isToday ? start.hoursMinutesSeconds : start.monthDayTime)
  }

  /// `4 times, every 75 s`.
  private func repeats(_ repetition: FindingRepetition) -> String {
    guard let period = repetition.period else { return "" }
    return "\(repetition.incidents.count) times, every \(LengthText.text(period))"
  }

  /// Words that another room has written, in the characters of the terminal.
  private func said(_ text: String) -> String { FindingsModel.plain(text, appearance) }

  /// ASCII for the signs that findings are written with, where the terminal has no others.
  static func plain(_ text: String, _ appearance: Appearance) -> String {
    guard appearance.isASCII else { return text }
    return text.replacing("→", with: "->").replacing("µ", with: "u").replacing("’", with: "'")
      .replacing("–", with: "-").replacing("−", with: "-")
  }
}
