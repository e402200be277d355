import ConstraintAnimation
import Measurement

/// A list of rows with a title and a scroll bar: any panel but the histogram.
struct ListModel {
  let title: String
  /// The filter of the rows; `nil` when all are listed.
  var filter: ListFilter?
  /// All rows are listed in spite of the filter, and those that pass it are marked.
  var marksHits = false
  /// Details that stand beside the title, where they fit.
  var details: [LineItem] = []
  /// Number of rows.
  let count: Int
  /// The rows in view, counted from the oldest.
  let visible: Range<Int>
  /// The newest row stands first; `rows` are in that order.
  var isNewestFirst = false
  let follows: Bool
  /// Where a list that follows the window ends.
  var until: String?
  /// Position of the rows in memory among all rows of the run.
  var extent = ListExtent()
  /// Shown instead of rows when there are none.
  let emptyText: String
  /// The heading above the rows; `nil` for none.
  let heading: [TextSpan]?
  let rows: [[TextSpan]]
  /// Offsets of rows that concern selected notifications.
  var marked: Set<Int> = []
  /// Offsets of rows that happened in the stretch of the chosen finding.
  var shaded: Set<Int> = []
  /// Offset of the chosen row.
  var chosen: Int?
  let appearance: Appearance
  let width: Int
  let height: Int

  /// Rows that fit into a panel of this height.
  static func room(height: Int, hasHeading: Bool) -> Int { max(0, height - 1 - (hasHeading ? 1 : 0)) }

  func picture() -> CellPicture {
    var picture = TitleRow.picture(width: width, height: height, appearance)
    TitleRow.add(
      TitleRow.fitted(
        [LineItem(priority: 9, [TextSpan(title, appearance(.strong))])] + filtered + details,
        right: [LineItem(priority: 5, place)], width: width), to: &picture)
    var y = 1
    if let heading, height > 2 {
      picture.lines.append(CellPicture.Line(x: 1, y: y, spans: heading, end: width - 2))
      y += 1
    }
    guard !rows.isEmpty else {
      draw(emptyText, &picture, top: y)
      return picture
    }
    for (offset, spans) in rows.enumerated() where y + offset < height {
      var spans = spans
      let ground = tinted(.plain, offset)
      if ground != .plain {
        picture.row(0x20, x: 1, y: y + offset, count: width - 3, style: ground)
        for index in spans.indices { spans[index].style = tinted(spans[index].style, offset) }
      }
      if shaded.contains(offset) {
        picture.set(appearance.glyphs.stretch, x: 0, y: y + offset, style: appearance(.warning))
      }
      picture.lines.append(CellPicture.Line(x: 1, y: y + offset, spans: spans, end: width - 2))
    }
    drawBar(&picture, top: y)
    return picture
  }

  /// A text in the middle, on as many lines as it takes and there are.
  private func draw(_ text: String, _ picture: inout CellPicture, top: Int) {
    let columns = max(1, min(width - 4, Self.measure))
    let all = FittedText.wrapped(text, columns: columns)
    var lines = Array(all.prefix(max(1, height - top)))
    if lines.count < all.count, let last = lines.last {
      lines[lines.count - 1] = FittedText.truncated(
        last + " " + all[lines.count], columns: columns, ellipsis: appearance.glyphs.ellipsis)
    }
    let widest = lines.map { $0.unicodeScalars.count }.max() ?? 0
    let y = top + max(0, height - top - lines.count) / 2
    for (offset, line) in lines.enumerated() {
      picture.put(line, x: max(1, (width - widest) / 2), y: y + offset, style: appearance(.secondary))
    }
  }

  /// Columns of a line that is read easily.
  private static let measure = 96

  /// The style of a cell in a row. With few colors only a sign marks a stretch of time, because reversed rows are those of a
  /// selection.
  private func tinted(_ style: CellStyle, _ offset: Int) -> CellStyle {
    if offset == chosen { return appearance.chosen(style) }
    if marked.contains(offset) { return appearance.selected(style) }
    return shaded.contains(offset) && appearance.hasManyColors ? appearance.boxed(style) : style
  }

  /// The words of the filter, and what they do.
  private var filtered: [LineItem] {
    guard let filter else { return [] }
    let words = FittedText.truncated(filter.text, columns: 40, ellipsis: appearance.glyphs.ellipsis)
    return [
      LineItem(
        priority: 8,
        [
          TextSpan(marksHits ? "all, marked: " : "only ", appearance(.secondary)),
          TextSpan(words, appearance(.warning)),
        ])
    ]
      + (extent.isWhole || marksHits
        ? []
        : [
          LineItem(
            priority: 7,
            [TextSpan("in the \(CountText.grouped(extent.count)) at hand", appearance(.secondary))])
        ])
  }

  private var place: [TextSpan] {
    guard count > 0 else { return [] }
    if follows {
      return [
        TextSpan(CountText.grouped(all), appearance(.text)),
        TextSpan(", following", appearance(.secondary)),
      ]
    }
    if let until {
      return [
        TextSpan("until \(until)", appearance(.text)),
        TextSpan(" of \(CountText.grouped(all))", appearance(.secondary)),
      ]
    }
    let dash = appearance.glyphs.dash
    return [
      TextSpan("\(first + 1)\(dash)\(first + visible.count)", appearance(.text)),
      TextSpan(" of \(CountText.grouped(all))", appearance(.secondary)),
    ]
  }

  /// Rows before those in memory, and rows in all; with a filter, only those in memory count.
  private var before: Int { extent.isFiltered ? 0 : extent.first }
  private var all: Int { extent.isFiltered ? count : max(count, extent.total) }

  /// Rows that stand before those in view.
  private var first: Int {
    isNewestFirst ? max(0, all - before - visible.upperBound) : before + visible.lowerBound
  }

  private func drawBar(_ picture: inout CellPicture, top: Int) {
    let room = height - top
    guard all > visible.count, room > 1 else { return }
    let length = max(1, room * visible.count / all)
    let range = max(1, all - visible.count)
    let start = (room - length) * first / range
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
  /// - Parameter hitKey: goes to the hit before, wherever in the run that is.
  func emptyText(_ none: String, noneMatches: String, hitKey: String, reading: String) -> String {
    if count == 0, first > 0 { return reading }
    guard isFiltered else { return none }
    if isWhole { return noneMatches }
    let words = "\(noneMatches) among the \(CountText.grouped(count)) at hand"
    return hitKey.isEmpty ? words : "\(words); \(hitKey) looks in all before"
  }
}
