import Analysis
import ConstraintAnimation
import Findings
import Measurement
import Store

/// The lower part of the panel of targets while colors stand for the values of a key: how the notifications of each value do in the
/// window.
struct ValuesModel {
  let key: BreakdownKey
  /// `nil` until it has been read.
  let table: ValueTable?
  /// The colors in the plot; `nil` where it has none for values.
  let colors: ValueColors?
  /// The first row in view.
  let top: Int
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let rows = table?.rows ?? []
    let room = ListModel.room(height: height, hasHeading: height > 2)
    let first = max(0, min(top, rows.count - room))
    let visible = first..<min(rows.count, first + room)
    let fitted = FittedTable(columns, rows: rows, hidden: [], width: width - 3, appearance: appearance)
    return ListModel(
      title: "by \(EscapedText.make(key.name))", details: details, count: rows.count, visible: visible,
      follows: false, emptyText: emptyText, heading: rows.isEmpty ? nil : fitted.heading,
      rows: visible.map { place in
        fitted.row(rows[place], marks: marks(rows[place], isAll: rows.count > 1 && place == rows.count - 1))
      },
      appearance: appearance, width: width, height: height)
  }

  private var emptyText: String {
    switch table?.content {
    case nil: appearance.glyphs.reading
    case .nothing?, .rows?: "nothing was due in this window"
    case .tooManyNotifications?:
      "more than \(CountText.grouped(ValueTable.most)) notifications; zoom in, or ask pushscope summary --by \(EscapedText.make(key.name))"
    case .tooManyValues?: "too many values; zoom in"
    }
  }

  /// What the figures are of.
  private var details: [LineItem] {
    guard let table else { return [] }
    var words = "\(table.metric.rawValue), this window"
    if key.isOfDay { words += ", \(zone.shortName(at: table.order.window.lowerBound))" }
    if case .within(let limit, let source) = table.share {
      words += ", in time within \(LengthText.given(limit)) (\(EscapedText.make(source)))"
    }
    var items = [LineItem(priority: 3, [TextSpan(text(words), appearance(.secondary))])]
    if let pruned = table.prunedTo {
      let time = zone.civil(pruned).dateTime
      items.append(
        LineItem(priority: 4, [TextSpan("those before \(time) are deleted", appearance(.warning))]))
    }
    return items
  }

  /// The sign and color of a value's marks in the plot; nothing where it has none.
  private func marks(_ row: BreakdownTable.Row, isAll: Bool) -> [TextSpan] {
    let blank = [TextSpan("   ", .plain)]
    guard let colors, !isAll, let value = row.values.first else { return blank }
    let own = colors.legend.first { $0.text == EscapedText.make(value) }?.place
    let arrived = row.counts.good
    guard let place = own ?? (colors.others > 0 && arrived > 0 ? colors.placeOfOthers : nil) else {
      return blank
    }
    return [
      TextSpan(" ", .plain), TextSpan(appearance.targetSign(place), appearance.target(place)),
      TextSpan(" ", .plain),
    ]
  }

  /// All columns, in their order.
  private var columns: [TableColumn<BreakdownTable.Row>] {
    let share =
      if case .within(let limit, _)? = table?.share {
        "within \(LengthText.given(limit))"
      } else {
        GoodOutcome(ofTargetsExpectingReceipts: [table?.metric != .accept]).word
      }
    return [
      TableColumn(title: EscapedText.make(key.name), priority: 100, isLeading: true, limit: 32) {
        TextSpan(EscapedText.make($0.values.first ?? ""), appearance(.text))
      },
      TableColumn(title: "planned", priority: 70) {
        TextSpan(CountText.grouped($0.counts.due), appearance(.text))
      },
      TableColumn(title: share, priority: 90) { row in
        let isAll = row.inTime?.share.map { $0 == 1 } ?? true
        return TextSpan(
          row.inTime?.share.map { PercentText.fine($0) } ?? "", appearance(isAll ? .text : .strong))
      },
      TableColumn(title: "from to", priority: 35) { row in
        guard let share = row.inTime, share.share != nil else { return TextSpan("", .plain) }
        return TextSpan(
          "\(PercentText.fineNumber(share.low)) to \(PercentText.fineNumber(share.high)) %",
          appearance(.secondary))
      },
      figure("p50", priority: 75) { $0.median },
      interval("p50 from to", priority: 30) { $0.median },
      figure("p99", priority: 85) { $0.p99 },
      interval("p99 from to", priority: 40) { $0.p99 },
      TableColumn(title: "n", priority: 60) { TextSpan(CountText.grouped($0.count), appearance(.secondary)) },
    ]
  }

  private func figure(
    _ title: String, priority: Int, _ figure: @escaping (BreakdownTable.Row) -> QuantileInterval?
  ) -> TableColumn<BreakdownTable.Row> {
    TableColumn(title: title, priority: priority) { row in
      guard let interval = figure(row) else { return TextSpan("", .plain) }
      if interval.isUndetermined { return TextSpan("n too small", appearance(.secondary)) }
      return TextSpan(
        text(QuantileFigure.known(interval).text(isASCII: appearance.isASCII)), appearance(.strong))
    }
  }

  /// The 95 % interval, where both ends are known.
  private func interval(
    _ title: String, priority: Int, _ figure: @escaping (BreakdownTable.Row) -> QuantileInterval?
  ) -> TableColumn<BreakdownTable.Row> {
    TableColumn(title: title, priority: priority) { row in
      TextSpan(
        text(figure(row).flatMap { QuantileFigure.known($0).interval } ?? ""), appearance(.secondary))
    }
  }

  private func text(_ text: String) -> String {
    appearance.isASCII ? text.replacing("µ", with: "u") : text
  }
}

/// How the panel of targets is divided between the targets and, below them, the values of a key.
struct TargetsLayout: Equatable {
  /// Rows of the upper part, with title and heading; 0 where there is no room for both parts.
  let targets: Int
  /// Rows of the lower part; 0 without a key.
  let values: Int

  /// Rows of titles and headings of a part.
  private static let frame = 2
  /// Rows that a part has at least, where both have room.
  private static let least = 4

  /// - Parameter rows: of the table of values; `nil` without a key.
  init(height: Int, targets: Int, rows: Int?) {
    guard let rows else {
      (self.targets, values) = (height, 0)
      return
    }
    let least = min(targets + Self.frame, Self.least)
    guard height - least >= Self.least else {
      (self.targets, values) = (0, height)
      return
    }
    // The values stand right below the targets; where not all fit, they have room before the other targets.
    self.targets = min(targets + Self.frame, max(least, height - max(1, rows) - Self.frame))
    values = height - self.targets
  }

  /// Rows of values in view.
  var valueRows: Int { ListModel.room(height: values, hasHeading: values > Self.frame) }
}
