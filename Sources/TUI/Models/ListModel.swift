import ConstraintAnimation
import Measurement

/// What the log and the events have in common: a title, rows of which some are in view, and a bar that says which.
struct ListModel {
  let title: String
  /// Why not all lines are here; `nil` when they are.
  var filter: ListFilter?
  /// Beside the title, as far as there is room.
  var details: [LineItem] = []
  /// What there is in all, and how many of them were kept.
  let count: Int
  let visible: Range<Int>
  let follows: Bool
  /// Where the rows at hand lie among all; of use where these are not all there are.
  var extent = ListExtent()
  /// Shown instead of rows when there are none.
  let emptyText: String
  /// Above the rows; `nil` for none.
  let heading: [TextSpan]?
  let rows: [[TextSpan]]
  /// Offsets of rows that speak of what is selected.
  var marked: Set<Int> = []
  /// Offset of the row that was chosen.
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
    let dash = appearance.glyphs.dash
    return [
      TextSpan("\(before + visible.lowerBound + 1)\(dash)\(before + visible.upperBound)", appearance(.text)),
      TextSpan(" of \(FixedPoint.grouped(all))", appearance(.secondary)),
    ]
  }

  /// Rows before those at hand, and rows in all, unless only those that pass a filter are counted.
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

/// The lines of log and events that are listed: those at hand, or those of them that pass the filter.
struct ListedRows: Sendable {
  var log: [ListEntry<LogLine>] = []
  var events: [ListEntry<Event>] = []
  private(set) var logExtent = ListExtent()
  private(set) var eventExtent = ListExtent()

  init() {}

  init(_ snapshot: Snapshot, _ filter: ListFilter?) {
    logExtent = ListExtent(snapshot.logList, isFiltered: filter != nil)
    eventExtent = ListExtent(snapshot.eventList, isFiltered: filter != nil)
    guard let filter else {
      (log, events) = (snapshot.log, snapshot.events)
      return
    }
    let names = Dictionary(snapshot.targets.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    log = snapshot.log.filter { filter.matches($0.row) }
    events = snapshot.events.filter { entry in
      filter.matches(entry.row, target: entry.row.target.flatMap { names[$0] } ?? "")
    }
  }
}

/// Where the rows at hand lie among all that there are.
struct ListExtent: Sendable, Equatable {
  /// How many there are before them.
  var first = 0
  var count = 0
  var total = 0
  /// Only some of those at hand are listed.
  var isFiltered = false

  init() {}

  init<Row>(_ list: RecordList<Row>, isFiltered: Bool) {
    (first, count, total) = (list.first, list.entries.count, list.total)
    self.isFiltered = isFiltered
  }

  var reachesEnd: Bool { first + count >= total }

  var isWhole: Bool { count >= total }

  /// What to say when nothing is listed.
  func emptyText(_ none: String, noneMatches: String, ellipsis: String) -> String {
    if count == 0, first > 0 { return "reading\(ellipsis)" }
    guard isFiltered else { return none }
    return isWhole ? noneMatches : "\(noneMatches) among the \(FixedPoint.grouped(count)) at hand"
  }
}
