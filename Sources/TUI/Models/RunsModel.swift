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
    let (columns, hidden) = fitted(into: width - 3 - Self.markColumns)
    return ListModel(
      title: order.map { "runs by \($0)" } ?? "runs",
      details: runs.isEmpty ? [] : details(of: runs[chosen], hidden), count: runs.count,
      visible: visible, follows: false, emptyText: "no run yet", heading: heading(columns),
      rows: visible.map { row(runs[$0], columns, isChosen: $0 == chosen) }, appearance: appearance,
      width: width, height: height)
  }

  // MARK: - Columns

  /// A column of the table. Columns that do not fit are left out by priority.
  private struct Column {
    /// Its value for a run.
    enum Field {
      case name
      case began(isShort: Bool)
      case length
      /// Numbers above 0 have the color of the class.
      case count(MarkClass?, (RunEntry) -> Int)
      case end
    }

    let title: String
    let field: Field
    /// The lowest is left out first.
    var priority: Int
    var width: Int
    var isLeading = false
    /// Shorter form.
    var short: [Column] = []
  }

  /// Marks of the chosen, the marked and the displayed run.
  private static let markColumns = 3
  private static let gap = 2

  /// The columns that fit, in order, and the others, the most important first.
  private func fitted(into room: Int) -> (shown: [Column], hidden: [Column]) {
    var shown = allColumns.filter { !hiddenColumns.contains($0.title) }.enumerated().map {
      (place: $0.offset, column: $0.element)
    }
    var hidden: [(place: Int, column: Column)] = []
    func total() -> Int { shown.reduce(0) { $0 + $1.column.width } + (shown.count - 1) * Self.gap }
    while shown.count > 1, total() > room {
      guard
        let lowest = shown.indices.min(by: { shown[$0].column.priority < shown[$1].column.priority })
      else { break }
      if let short = shown[lowest].column.short.first {
        shown[lowest].column = short
      } else {
        hidden.insert(shown.remove(at: lowest), at: 0)
      }
    }
    // After a wide column is left out, a narrow one that was left out before may fit.
    hidden.removeAll { candidate in
      guard total() + Self.gap + candidate.column.width <= room else { return false }
      shown.append(candidate)
      return true
    }
    shown.sort { $0.place < $1.place }
    return (shown.map(\.column), hidden.map(\.column))
  }

  private var allColumns: [Column] {
    let names = min(28, max(Self.leastName, runs.map { TextSpan($0.title, .plain).columns }.max() ?? 0))
    func name(_ width: Int, priority: Int) -> Column {
      Column(title: "run", field: .name, priority: priority, width: width, isLeading: true)
    }
    func began(isShort: Bool, _ width: Int, priority: Int) -> Column {
      Column(
        title: "began", field: .began(isShort: isShort), priority: priority, width: width, isLeading: true)
    }
    var first = name(names, priority: 45)
    first.short = [name(Self.leastName, priority: 100)]
    var second = began(isShort: false, 19, priority: 40)
    second.short = [began(isShort: true, 11, priority: 58)]
    let ends = runs.map { TextSpan.columns(of: [end($0.phase)]) }.max() ?? 0
    return [first, second, Column(title: "length", field: .length, priority: 50, width: 11)] + counts
      + [Column(title: "ended", field: .end, priority: 60, width: max(5, ends), isLeading: true)]
  }

  /// Fits the part of the id that stands for a missing name.
  private static let leastName = 13

  /// The columns of counts in the order of the CSV's. Losses have the highest priority; a column with zeros only has the lowest.
  private var counts: [Column] {
    func state(_ state: NotificationState, priority: Int) -> Column {
      count(state.name, priority: priority, MarkClass(state)) { $0.counts[state] }
    }
    // Where no receipts are expected, `accepted` is the final state.
    let isEnd = runs.contains { $0.counts[.accepted] > 0 }
    return [
      count("planned", priority: 90, isAlwaysShown: true) { $0.counts.planned },
      count("sent", priority: 30) { $0.counts.sent },
      count("accepted", priority: isEnd ? 89 : 35) { $0.counts.acceptedByProvider },
      state(.delivered, priority: 84),
      state(.late, priority: 81), state(.lost, priority: 89), state(.rejected, priority: 87),
      state(.failed, priority: 88), state(.missed, priority: 86), state(.interrupted, priority: 85),
    ]
  }

  private func count(
    _ title: String, priority: Int, _ markClass: MarkClass? = nil, isAlwaysShown: Bool = false,
    _ value: @escaping (RunEntry) -> Int
  ) -> Column {
    let most = runs.map(value).max() ?? 0
    let isEmpty = most == 0 && !isAlwaysShown
    return Column(
      title: title, field: .count(markClass, value), priority: isEmpty ? priority - 100 : priority,
      width: max(title.count, CountText.grouped(most).count))
  }

  // MARK: - Rows

  private func heading(_ columns: [Column]) -> [TextSpan] {
    let titles = columns.map { aligned($0.title, $0) }
    let text = String(repeating: " ", count: Self.markColumns) + titles.joined(separator: separator)
    return [TextSpan(text, appearance(.secondary))]
  }

  private func row(_ run: RunEntry, _ columns: [Column], isChosen: Bool) -> [TextSpan] {
    let mark = position.marked.firstIndex(of: run.id).map { $0 == 0 ? "a" : "b" } ?? " "
    let marks = [
      TextSpan(isChosen ? ">" : " ", appearance(.accent)), TextSpan(mark, appearance(.warning)),
      TextSpan(run.id == shown ? "*" : " ", appearance(.live)),
    ]
    let cells = columns.map { column in
      var span = cell(run, column, isChosen: isChosen)
      span.text = aligned(span.text, column)
      return [span]
    }
    return marks + cells.joined(separator: [TextSpan(separator, .plain)])
  }

  private func cell(_ run: RunEntry, _ column: Column, isChosen: Bool) -> TextSpan {
    let style = appearance(isChosen ? .strong : .text)
    switch column.field {
    case .name: return TextSpan(run.title, style)
    case .began(let isShort):
      let time = zone.civil(run.startedAt)
      return TextSpan(isShort ? time.monthDayTime : time.dateTime, appearance(.secondary))
    case .length: return TextSpan(LengthText.text(run.length(at: now)), style)
    case .count(let markClass, let value):
      let count = value(run)
      guard let markClass, markClass != .good else { return TextSpan(CountText.grouped(count), style) }
      return TextSpan(CountText.grouped(count), appearance(count > 0 ? Role(markClass) : .secondary))
    case .end: return end(run.phase)
    }
  }

  /// The columns of the chosen run that do not fit the table.
  private func details(of run: RunEntry, _ hidden: [Column]) -> [LineItem] {
    hidden.compactMap { column in
      let span = cell(run, column, isChosen: false)
      let item = LineItem(priority: 3, [TextSpan("\(column.title) ", appearance(.secondary)), span])
      switch column.field {
      // The end reason needs no title.
      case .end: return LineItem(priority: 3, [span])
      case .name, .began, .length: return item
      case .count(_, let value) where value(run) == 0: return nil
      case .count(let markClass, _):
        guard let markClass else { return item }
        var state = item
        // Shortened to the sign of the plot.
        let sign = appearance.glyphs.sign(of: markClass)
        state.short = LineItem.Short(
          priority: 4, spans: [TextSpan("\(sign) ", appearance(Role(markClass))), span])
        return state
      }
    }
  }

  private var separator: String { String(repeating: " ", count: Self.gap) }

  private func aligned(_ text: String, _ column: Column) -> String {
    column.isLeading
      ? FittedText.field(text, columns: column.width, ellipsis: appearance.glyphs.ellipsis)
      : FittedText.padded(text, columns: column.width)
  }

  private func end(_ phase: DisplayedRun.Phase) -> TextSpan {
    switch phase {
    case .live: TextSpan("\(appearance.glyphs.bullet) recording", appearance(.live))
    case .silent(let since):
      TextSpan("gone for \(Age(since: since, now: now))", appearance(.alarm))
    case .ended(_, let reason): TextSpan(reason, appearance(.secondary))
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

extension RunsModel {
  /// Titles of all columns.
  static let titles = [
    "run", "began", "length", "planned", "sent", "accepted", "delivered", "late", "lost", "rejected",
    "failed",
    "missed", "interrupted", "ended",
  ]
}
