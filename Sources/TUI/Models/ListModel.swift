import ConstraintAnimation
import Measurement

/// A list of rows with a title and a scroll bar; the log and the events are lists.
struct ListModel {
  let title: String
  /// The filter of the rows; `nil` when all are listed.
  var filter: ListFilter?
  /// Beside the title, where it fits.
  var details: [LineItem] = []
  /// Number of rows.
  let count: Int
  let visible: Range<Int>
  let follows: Bool
  /// Where a list that follows the window ends.
  var until: String?
  /// Position of the rows in memory among all rows of the run.
  var extent = ListExtent()
  /// Shown instead of rows when there are none.
  let emptyText: String
  /// Above the rows; `nil` for none.
  let heading: [TextSpan]?
  let rows: [[TextSpan]]
  /// Offsets of rows that concern selected notifications.
  var marked: Set<Int> = []
  /// Offset of the chosen row.
  var chosen: Int?
  let appearance: Appearance
  let width: Int
  let height: Int

  /// Rows that fit into a panel of this height.
  static func room(height: Int, hasHeading: Bool) -> Int { max(0, height - 1 - (hasHeading ? 1 : 0)) }

  func picture() -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    TitleRow.add(
      FittedLine(
        left: [LineItem(priority: 9, [TextSpan(title, appearance(.strong))])] + only + details,
        right: [LineItem(priority: 5, place)], width: TitleRow.room(width), gap: 2, middle: 4), to: &picture)
    var y = 1
    if let heading, height > 2 {
      picture.lines.append(CellPicture.Line(x: 1, y: y, spans: heading, end: width - 2))
      y += 1
    }
    guard !rows.isEmpty else {
      let text = FittedText.truncated(emptyText, columns: width - 4, ellipsis: appearance.glyphs.ellipsis)
      picture.put(
        text, x: max(1, (width - text.unicodeScalars.count) / 2), y: y + max(0, height - y - 1) / 2,
        style: appearance(.secondary))
      return picture
    }
    for (offset, spans) in rows.enumerated() where y + offset < height {
      var spans = spans
      if offset == chosen {
        picture.row(0x20, x: 1, y: y + offset, count: width - 3, style: appearance.chosen(.plain))
        for index in spans.indices { spans[index].style = appearance.chosen(spans[index].style) }
      } else if marked.contains(offset) {
        picture.row(0x20, x: 1, y: y + offset, count: width - 3, style: appearance.selected(.plain))
        for index in spans.indices { spans[index].style = appearance.selected(spans[index].style) }
      }
      picture.lines.append(CellPicture.Line(x: 1, y: y + offset, spans: spans, end: width - 2))
    }
    drawBar(&picture, top: y)
    return picture
  }

  private var only: [LineItem] {
    guard let filter else { return [] }
    let words = FittedText.truncated(filter.text, columns: 40, ellipsis: appearance.glyphs.ellipsis)
    return [
      LineItem(
        priority: 8, [TextSpan("only ", appearance(.secondary)), TextSpan(words, appearance(.warning))])
    ]
      + (extent.isWhole
        ? []
        : [
          LineItem(
            priority: 7,
            [TextSpan("in the \(FixedPoint.grouped(extent.count)) at hand", appearance(.secondary))])
        ])
  }

  private var place: [TextSpan] {
    guard count > 0 else { return [] }
    if follows {
      return [
        TextSpan(FixedPoint.grouped(all), appearance(.text)),
        TextSpan(", following", appearance(.secondary)),
      ]
    }
    if let until {
      return [
        TextSpan("until \(until)", appearance(.text)),
        TextSpan(" of \(FixedPoint.grouped(all))", appearance(.secondary)),
      ]
    }
    let dash = appearance.glyphs.dash
    return [
      TextSpan("\(before + visible.lowerBound + 1)\(dash)\(before + visible.upperBound)", appearance(.text)),
      TextSpan(" of \(FixedPoint.grouped(all))", appearance(.secondary)),
    ]
  }

  /// Rows before those in memory, and rows in all; with a filter, only those in memory count.
  private var before: Int { extent.isFiltered ? 0 : extent.first }
  private var all: Int { extent.isFiltered ? count : max(count, extent.total) }

  private func drawBar(_ picture: inout CellPicture, top: Int) {
    let room = height - top
    guard all > visible.count, room > 1 else { return }
    let length = max(1, room * visible.count / all)
    let range = max(1, all - visible.count)
    let start = (room - length) * (before + visible.lowerBound) / range
    for row in start..<start + length {
      picture.set(appearance.glyphs.thumb, x: width - 1, y: top + row, style: appearance(.faint))
    }
  }
}

/// Position of the rows in memory among all rows of the run.
struct ListExtent: Sendable, Equatable {
  /// Number of rows before them.
  var first = 0
  var count = 0
  var total = 0
  /// Whether a filter is applied.
  var isFiltered = false

  init() {}

  init<Row>(_ list: RecordList<Row>, isFiltered: Bool) {
    (first, count, total) = (list.first, list.entries.count, list.total)
    self.isFiltered = isFiltered
  }

  var reachesEnd: Bool { first + count >= total }

  var isWhole: Bool { count >= total }

  /// The text of an empty list.
  func emptyText(_ none: String, noneMatches: String, ellipsis: String) -> String {
    if count == 0, first > 0 { return "reading\(ellipsis)" }
    guard isFiltered else { return none }
    return isWhole ? noneMatches : "\(noneMatches) among the \(FixedPoint.grouped(count)) at hand"
  }
}

/// The collector's log.
struct LogModel {
  let entries: [ListEntry<LogLine>]
  var extent = ListExtent()
  let position: ListPosition
  /// Where the window ends that the list follows.
  var until: WallTime?
  var folds: [Int64: ListedRows.Fold] = [:]
  /// Numbers of the lines that stand out; `nil` when all do.
  var hits: Set<Int64>?
  var filter: ListFilter?
  var marks: SelectionMarks?
  /// Number of the chosen row.
  var chosen: Int64?
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let room = ListModel.room(height: height, hasHeading: false)
    let visible = position.visible(in: entries.lazy.map(\.number), rows: room)
    return ListModel(
      title: "log", filter: filter, count: entries.count, visible: visible, follows: position == .end,
      until: until.map { zone.civil($0).hoursMinutesSeconds }, extent: extent,
      emptyText: extent.emptyText(
        "the collector has not logged anything", noneMatches: "no line has these words",
        ellipsis: appearance.glyphs.ellipsis),
      heading: nil,
      rows: entries[visible].map { row($0.row, $0.number) }, marked: marked(visible), chosen: chosen(visible),
      appearance: appearance, width: width, height: height)
  }

  private func row(_ line: LogLine, _ number: Int64) -> [TextSpan] {
    let ellipsis = appearance.glyphs.ellipsis
    let clock = zone.civil(line.at)
    return [
      TextSpan(
        "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3)) ",
        appearance(.secondary)),
      TextSpan(
        FittedText.field(line.level.rawValue, columns: 8, ellipsis: ellipsis), appearance(role(line.level))),
      TextSpan(
        FittedText.field(line.label, columns: 10, ellipsis: ellipsis) + " ",
        appearance(line.level == .debug ? .secondary : .accent)),
    ] + FoldText.spans(folds[number], appearance, zone) + [
      TextSpan(
        line.message,
        appearance(line.level == .debug || !(hits?.contains(number) ?? true) ? .secondary : .text))
    ]
  }

  private func role(_ level: LogLine.Level) -> Role {
    switch level {
    case .debug: .pending
    case .info: .secondary
    case .notice: .text
    case .warning: .warning
    case .error: .alarm
    }
  }

  private func marked(_ visible: Range<Int>) -> Set<Int> {
    guard let marks else { return [] }
    return Set(visible.filter { marks.contains(entries[$0].row) }.map { $0 - visible.lowerBound })
  }

  private func chosen(_ visible: Range<Int>) -> Int? {
    visible.first { entries[$0].number == chosen }.map { $0 - visible.lowerBound }
  }
}

/// How often a line that stands for several occurred.
enum FoldText {
  /// `37× since 14:02:11  `; nothing for a single line.
  static func spans(_ fold: ListedRows.Fold?, _ appearance: Appearance, _ zone: LocalTime) -> [TextSpan] {
    guard let fold else { return [] }
    let times = appearance.isASCII ? "x" : "×"
    return [
      TextSpan("\(FixedPoint.grouped(fold.count))\(times)", appearance(.warning)),
      TextSpan(" since \(zone.civil(fold.since).hoursMinutesSeconds)  ", appearance(.secondary)),
    ]
  }
}
