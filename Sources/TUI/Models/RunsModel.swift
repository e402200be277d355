import ConstraintAnimation
import Measurement
import Store

/// The runs of the store as a table, the newest first. Counts have the names and meanings of the CSV columns.
struct RunsModel {
  let runs: [RunEntry]
  let position: RunsPosition
  /// Title of the column that the rows are ordered by; `nil` for the newest first.
  var order: String?
  /// Titles of columns that are not wanted.
  var hiddenColumns: Set<String> = []
  /// The run on display.
  let shown: RunID?
  let now: WallTime
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let visible = position.visible(in: runs, rows: ListModel.room(height: height, hasHeading: height > 2))
    let chosen = position.place(in: runs)
    let table = FittedTable(
      columns, rows: [], hidden: hiddenColumns, width: width - 3, isFilled: false, appearance: appearance)
    return ListModel(
      title: order.map { "runs by \($0)" } ?? "runs",
      details: runs.isEmpty ? [] : details(of: runs[chosen], table.omitted), count: runs.count,
      visible: visible, follows: false, emptyText: "no run yet", heading: table.heading,
      rows: visible.map { place in
        let row = (run: runs[place], isChosen: place == chosen)
        return table.row(row, marks: marks(row))
      },
      appearance: appearance, width: width, height: height)
  }

  // MARK: - Columns

  /// A run, and whether it is the chosen one.
  private typealias Row = (run: RunEntry, isChosen: Bool)

  /// Titles of all columns.
  var titles: [String] { columns.map(\.title) }

  /// All columns, in their order.
  private var columns: [TableColumn<Row>] {
    let names = min(28, max(Self.leastName, runs.map { TextSpan($0.title, .plain).columns }.max() ?? 0))
    func name(_ width: Int, priority: Int, short: [TableColumn<Row>] = []) -> TableColumn<Row> {
      TableColumn(title: "run", priority: priority, isLeading: true, width: width, short: short) {
        TextSpan($0.run.title, style($0))
      }
    }
    func began(
      _ text: @escaping (CivilTime) -> String, _ width: Int, priority: Int, short: [TableColumn<Row>] = []
    ) -> TableColumn<Row> {
      TableColumn(title: "began", priority: priority, isLeading: true, width: width, short: short) {
        TextSpan(text(zone.civil($0.run.startedAt)), appearance(.secondary))
      }
    }
    // Where no receipts are expected, `accepted` is the final state.
    let isEnd = runs.contains { $0.counts[.accepted] > 0 }
    let ends = runs.map { end($0.phase).columns }.max() ?? 0
    var columns: [TableColumn<Row>] = [
      name(names, priority: 45, short: [name(Self.leastName, priority: 100)]),
      began({ $0.dateTime }, 19, priority: 40, short: [began({ $0.monthDayTime }, 11, priority: 58)]),
      TableColumn(title: "length", priority: 50, width: 11) {
        TextSpan(LengthText.text($0.run.length(at: now)), style($0))
      },
      count("planned", priority: 90, isAlwaysShown: true) { $0.planned },
      count("sent", priority: 30) { $0.sent },
      count("accepted", priority: isEnd ? 89 : 35) { $0.acceptedByProvider },
    ]
    for (state, priority) in Self.states {
      columns.append(count(state.name, priority: priority, MarkClass(state)) { $0[state] })
    }
    columns.append(
      TableColumn(title: Self.endTitle, priority: 60, isLeading: true, width: max(5, ends)) {
        end($0.run.phase)
      })
    return columns
  }

  /// Fits the part of the id that stands for a missing name.
  private static let leastName = 13

  private static let endTitle = "ended"

  /// The states with a column, in the order of the CSV's columns, and the priority of each: losses have the highest.
  private static let states: [(state: NotificationState, priority: Int)] = [
    (.delivered, 84), (.late, 81), (.lost, 89), (.rejected, 87), (.failed, 88), (.missed, 86),
    (.interrupted, 85),
  ]

  /// A column of counts. One with zeros only has the lowest priority.
  /// - Parameter markClass: numbers above 0 have its color; `nil` for that of text.
  private func count(
    _ title: String, priority: Int, _ markClass: MarkClass? = nil, isAlwaysShown: Bool = false,
    _ value: @escaping (StateCounts) -> Int
  ) -> TableColumn<Row> {
    let most = runs.map { value($0.counts) }.max() ?? 0
    let isEmpty = most == 0 && !isAlwaysShown
    return TableColumn(
      title: title, priority: isEmpty ? priority - 100 : priority,
      width: max(title.count, CountText.grouped(most).count)
    ) { row in
      let count = value(row.run.counts)
      guard let markClass, markClass != .good else { return TextSpan(CountText.grouped(count), style(row)) }
      return TextSpan(CountText.grouped(count), appearance(count > 0 ? Role(markClass) : .secondary))
    }
  }

  private func style(_ row: Row) -> CellStyle { appearance(row.isChosen ? .strong : .text) }

  // MARK: - Rows

  /// Marks of the chosen, the marked and the displayed run.
  private func marks(_ row: Row) -> [TextSpan] {
    let mark = position.marked.firstIndex(of: row.run.id).map { $0 == 0 ? "a" : "b" } ?? " "
    return [
      TextSpan(row.isChosen ? ">" : " ", appearance(.accent)), TextSpan(mark, appearance(.warning)),
      TextSpan(row.run.id == shown ? "*" : " ", appearance(.live)),
    ]
  }

  /// The columns of the chosen run that do not fit the table, without counts of 0.
  private func details(of run: RunEntry, _ omitted: [TableColumn<Row>]) -> [LineItem] {
    omitted.compactMap { column in
      let span = column.cell((run: run, isChosen: false))
      // The end reason needs no title.
      if column.title == Self.endTitle { return LineItem(priority: 3, [span]) }
      if span.text == "0" { return nil }
      var item = LineItem(priority: 3, [TextSpan("\(column.title) ", appearance(.secondary)), span])
      let state = Self.states.first { $0.state.name == column.title }?.state
      if let markClass = state.flatMap({ MarkClass($0) }) {
        // Shortened to the sign of the plot.
        let sign = appearance.glyphs.sign(of: markClass)
        item.short = LineItem.Short(
          priority: 4, spans: [TextSpan("\(sign) ", appearance(Role(markClass))), span])
      }
      return item
    }
  }

  private func end(_ phase: RunPhase) -> TextSpan {
    switch phase {
    case .live: TextSpan("\(appearance.glyphs.bullet) recording", appearance(.live))
    case .silent(let since):
      TextSpan("gone for \(Age(since: since, now: now))", appearance(.alarm))
    case .ended: TextSpan(phase.word, appearance(.secondary))
    }
  }
}

/// The runs in the order in which the panel lists them.
enum RunRows {
  /// The newest first. With a column's title, in the order of that.
  static func make(_ runs: [RunEntry], order: String? = nil) -> [RunEntry] {
    guard let precedes = orders.first(where: { $0.title == order })?.precedes else { return runs }
    return runs.enumerated().sorted { first, second in
      if precedes(first.element, second.element) { return true }
      return !precedes(second.element, first.element) && first.offset < second.offset
    }.map(\.element)
  }

  /// The orders that can be chosen, by the titles of columns.
  static let orders: [TableOrder<RunEntry>] = [
    TableOrder("run") { $0.title < $1.title },
    TableOrder("length") { $0.length(at: $0.startedAt) > $1.length(at: $1.startedAt) },
    TableOrder("planned") { $0.counts.planned > $1.counts.planned },
    TableOrder("delivered") { $0.counts[.delivered] > $1.counts[.delivered] },
    TableOrder("lost") { $0.counts[.lost] > $1.counts[.lost] },
    TableOrder("failed") { $0.counts[.failed] > $1.counts[.failed] },
  ]
}
