import ConstraintAnimation
import Measurement
import Store

/// Which part of log or events is listed, and what stands out in it.
struct RecordPageView {
  var extent = ListExtent()
  let position: ListPosition
  /// The newest line stands first.
  var isNewestFirst = false
  /// Where the window ends that the list follows; `nil` where it does not follow one in the past.
  var until: WallTime?
  var folds: [RecordPlace: ListedRows.Fold] = [:]
  /// Numbers of the lines that stand out; `nil` when all do.
  var hits: Set<RecordPlace>?
  var filter: ListFilter?
  /// The key that goes to the hit before; empty for none.
  var hitKey = ""
  /// Which lines are about selected notifications; `nil` without a selection.
  var marks: SelectionMarks?
  /// The stretch of time of the chosen finding; `nil` without one.
  var stretch: Range<WallTime>?
  /// Number of the chosen line.
  var chosen: RecordPlace?
  /// Titles of columns that are not wanted.
  var hiddenColumns: Set<String> = []
}

/// Log lines or events as a list: what both have in common.
struct RecordTable<Row: RecordContent> {
  let title: String
  /// The text of a list without any line, and of one in which no line has the words of the filter.
  let none: String
  let noneMatches: String
  /// Oldest first.
  let entries: [ListEntry<Row>]
  let columns: [TableColumn<ListEntry<Row>>]
  /// The number of columns between two columns of text.
  let gap: Int
  let hasHeading: Bool
  let page: RecordPageView
  /// Whether a line is about selected notifications.
  let isSelected: (Row) -> Bool
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let hasHeading = hasHeading && height > 2
    let room = ListModel.room(height: height, hasHeading: hasHeading)
    let visible = page.position.visible(in: entries.lazy.map { $0.place }, rows: room)
    let table = FittedTable(
      columns, rows: [], hidden: page.hiddenColumns, width: width - 3, markColumns: 0, gap: gap,
      appearance: appearance)
    let shown = page.isNewestFirst ? entries[visible].reversed() : Array(entries[visible])
    var list = ListModel(
      title: title, filter: page.filter, marksHits: page.hits != nil, details: details,
      count: entries.count, visible: visible,
      isNewestFirst: page.isNewestFirst, follows: page.position == .end,
      until: page.until.map { zone.civil($0).hoursMinutesSeconds }, extent: page.extent,
      emptyText: page.extent.emptyText(
        none, noneMatches: noneMatches, hitKey: page.hitKey, reading: appearance.glyphs.reading),
      heading: hasHeading ? table.heading : nil,
      rows: shown.map { entry in
        table.row(entry, beforeLast: FoldText.spans(page.folds[entry.place], appearance, zone))
      }, appearance: appearance, width: width, height: height)
    for (offset, entry) in shown.enumerated() {
      if entry.place == page.chosen { list.chosen = offset }
      if isSelected(entry.row) { list.marked.insert(offset) }
      if isInStretch(entry) { list.shaded.insert(offset) }
    }
    return list
  }

  /// A line that stands for several is in a stretch if any of them may be.
  private func isInStretch(_ entry: ListEntry<Row>) -> Bool {
    guard let stretch = page.stretch else { return false }
    let since = page.folds[entry.place]?.first.at ?? entry.row.at
    return since < stretch.upperBound && entry.row.at >= stretch.lowerBound
  }

  private var details: [LineItem] {
    var items: [LineItem] = []
    if page.isNewestFirst {
      items.append(LineItem(priority: 3, [TextSpan("newest first", appearance(.secondary))]))
    }
    if page.stretch != nil, let sign = Unicode.Scalar(appearance.glyphs.stretch) {
      items.append(
        LineItem(
          priority: 4,
          [
            TextSpan("\(sign) ", appearance(.warning)), TextSpan("in the finding", appearance(.secondary)),
          ]))
    }
    return items
  }
}

/// Texts of log lines and events.
enum RecordText {
  /// Columns that the text of a line needs at least: others are left out before it has fewer.
  static let leastText = 24

  /// `14:02:11.042`.
  static func time(_ time: WallTime, _ zone: LocalTime) -> String {
    let clock = zone.civil(time)
    return "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3))"
  }
}

/// How often a line that stands for several occurred.
enum FoldText {
  /// `37× since 14:02:11  `; nothing for a single line.
  static func spans(_ fold: ListedRows.Fold?, _ appearance: Appearance, _ zone: LocalTime) -> [TextSpan] {
    guard let fold else { return [] }
    let times = appearance.isASCII ? "x" : "×"
    return [
      TextSpan("\(CountText.grouped(fold.count))\(times)", appearance(.warning)),
      TextSpan(" since \(zone.civil(fold.first.at).hoursMinutesSeconds)  ", appearance(.secondary)),
    ]
  }
}
