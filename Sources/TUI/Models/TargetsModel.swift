import ConstraintAnimation
import Findings
import Measurement
import Store

/// A target with its figures in the window.
struct TargetRow: Sendable, Equatable {
  /// The index in the run's order.
  let index: Int
  let target: DisplayedTarget
  /// `nil` until it has been read.
  let figures: TargetTable.Row?
  let lastEvent: Event?

  /// Notifications per second that were sent; `nil` until they have been read.
  let rate: Double?

  /// Share of the settled ones, between 0 and 1; `nil` without any.
  var share: Double? { settled.map { Double($0.good) / Double($0.settled) } }

  /// `97.3 %`; 100 % only where all did.
  var shareText: String { settled.map { PercentText.brief($0.good, of: $0.settled) } ?? "" }

  /// The counts, if a notification has its final state.
  private var settled: StateCounts? { figures?.counts.settled ?? 0 > 0 ? figures?.counts : nil }
}

/// The targets of the run, in the order in which the panel lists them.
enum TargetRows {
  /// The worst first: the smallest share delivered, then the longest tail. With a column's title, in the order of that.
  static func make(_ snapshot: Snapshot, order: String? = nil) -> [TargetRow] {
    let table = snapshot.panels.targets
    var last: [TargetID: Event] = [:]
    for entry in snapshot.events.reversed() {
      if let target = entry.row.target, last[target] == nil { last[target] = entry.row }
    }
    let seconds = table.map { elapsed(in: $0.window, snapshot) } ?? 0
    let rows = snapshot.targets.enumerated().map { index, target in
      let figures = table?.rows.first { $0.target == target.id }
      return TargetRow(
        index: index, target: target, figures: figures, lastEvent: last[target.id],
        rate: figures.map { seconds > 0 ? Double($0.counts.sent) / seconds : 0 })
    }
    let precedes = orders.first { $0.title == order }?.precedes ?? isWorse
    // By place where the order says nothing, so that rows stay where they are.
    return rows.sorted { first, second in
      if precedes(first, second) { return true }
      return !precedes(second, first) && first.index < second.index
    }
  }

  /// The orders that can be chosen, by the titles of columns.
  static let orders: [TableOrder<TargetRow>] = [
    TableOrder("target") { $0.target.name < $1.target.name },
    TableOrder("rate") { $0.rate ?? 0 > $1.rate ?? 0 },
    TableOrder("planned") { $0.figures?.counts.due ?? 0 > $1.figures?.counts.due ?? 0 },
    TableOrder("delivered") { $0.share ?? 2 < $1.share ?? 2 },
    TableOrder("p50") { $0.figures?.median?.value ?? -1 > $1.figures?.median?.value ?? -1 },
    TableOrder("p99") { $0.figures?.tail?.value ?? -1 > $1.figures?.tail?.value ?? -1 },
    TableOrder("last event") {
      $0.lastEvent?.at ?? .distantPast > $1.lastEvent?.at ?? .distantPast
    },
  ]

  private static func isWorse(_ first: TargetRow, _ second: TargetRow) -> Bool {
    let shares = (first.share ?? 2, second.share ?? 2)
    guard shares.0 == shares.1 else { return shares.0 < shares.1 }
    return first.figures?.tail?.value ?? -1 > second.figures?.tail?.value ?? -1
  }

  /// Seconds of a window that are over and belong to the run.
  private static func elapsed(in window: Range<WallTime>, _ snapshot: Snapshot) -> Double {
    let start = max(window.lowerBound, snapshot.run?.startedAt ?? window.lowerBound)
    let end = min(window.upperBound, snapshot.sendingEdge)
    return max(.zero, end - start).inSeconds
  }
}

/// The panel of targets: how each does in the window, the worst first. It has its own title, so that it can also stand
/// beside another panel.
struct TargetsModel {
  let snapshot: Snapshot
  let position: RowPosition<TargetID>
  /// Title of the column that the rows are ordered by; `nil` for the worst first.
  var order: String?
  /// Titles of columns that are not wanted.
  var hiddenColumns: Set<String> = []
  /// Indices of the targets in the plot.
  let shown: [Int]
  /// Whether the chosen row is marked.
  var hasFocus = true
  /// Whether the targets' signs have their colors, as in the plot.
  var hasColors = true
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let rows = TargetRows.make(snapshot, order: order)
    let ids = rows.map(\.target.id)
    let visible = position.visible(in: ids, rows: ListModel.room(height: height, hasHeading: height > 2))
    let table = FittedTable(
      columns, rows: rows, hidden: hiddenColumns, width: width - 3, appearance: appearance)
    return ListModel(
      title: "targets", details: details, count: rows.count, visible: visible, follows: false,
      emptyText: "the run has no targets", heading: table.heading,
      rows: visible.map { row in
        table.row(
          rows[row], marks: marks(rows[row], isChosen: hasFocus && row == position.place(in: ids)))
      },
      appearance: appearance, width: width, height: height)
  }

  /// What the quantiles are of, and the order.
  private var details: [LineItem] {
    guard let table = snapshot.panels.targets else {
      return [LineItem(priority: 4, [ScatterTitle.reading(appearance)])]
    }
    let metrics = Set(table.rows.map(\.metric))
    let metric = metrics.first { $0 != .accept } ?? .accept
    func named(_ name: (Metric) -> String) -> String {
      name(metric) + (metrics.count > 1 ? " or \(name(.accept))" : "")
    }
    let order = order.map { "by \($0)" } ?? "worst first"
    let (full, short) = (named { $0.shortTitle }, named { $0.rawValue })
    return [
      LineItem(
        priority: 3, [TextSpan("\(full), this window, \(order)", appearance(.secondary))],
        short: LineItem.Short(
          priority: 4, spans: [TextSpan("\(short), \(order)", appearance(.secondary))]))
    ]
  }

  private func marks(_ row: TargetRow, isChosen: Bool) -> [TextSpan] {
    let isShown = shown.contains(row.index)
    // Without colors the sign alone says whether the target is in the plot.
    let sign = isShown ? appearance.glyphs.sign(of: .good) : " "
    return [
      TextSpan(isChosen ? ">" : " ", appearance(.accent)),
      TextSpan(sign, hasColors ? appearance.target(row.index) : appearance(.text)),
      TextSpan(" ", .plain),
    ]
  }

  /// Titles of all columns.
  var titles: [String] { columns.map(\.title) }

  /// All columns, in their order.
  private var columns: [TableColumn<TargetRow>] {
    [
      TableColumn(
        title: "target", priority: 100, isLeading: true, limit: 28
      ) { TextSpan($0.target.name, appearance(.text)) },
      TableColumn(title: "rate", priority: 60) {
        TextSpan($0.rate.map(FrequencyText.text) ?? "", appearance(.text))
      },
      TableColumn(title: "planned", priority: 70) {
        TextSpan($0.figures.map { CountText.grouped($0.counts.due) } ?? "", appearance(.text))
      },
      TableColumn(title: "delivered", priority: 90) { row in
        let isAll = row.share.map { $0 == 1 } ?? true
        return TextSpan(
          row.shareText + (row.target.expectsReceipts ? "" : " accepted"), appearance(isAll ? .text : .lost))
      },
      figure("p50", priority: 75) { $0.median },
      interval("p50 from to", priority: 30) { $0.median },
      figure("p99", priority: 85) { $0.tail },
      interval("p99 from to", priority: 40) { $0.tail },
      TableColumn(title: "last event", priority: 50, isLeading: true, limit: 40) { row in
        guard let event = row.lastEvent else { return TextSpan("", .plain) }
        let time = zone.civil(event.at).hoursMinutesSeconds
        return TextSpan("\(time) \(event.kind.rawValue)", appearance(event.kind.role))
      },
    ]
  }

  private func figure(
    _ title: String, priority: Int, _ figure: @escaping (TargetTable.Row) -> QuantileInterval?
  ) -> TableColumn<TargetRow> {
    TableColumn(title: title, priority: priority) { row in
      TextSpan(
        text(row.figures.flatMap(figure).map { LatencyText.text($0.value) } ?? ""), appearance(.strong))
    }
  }

  /// The 95 % interval; an end that too few values leave open is written as at least or at most.
  private func interval(
    _ title: String, priority: Int, _ figure: @escaping (TargetTable.Row) -> QuantileInterval?
  ) -> TableColumn<TargetRow> {
    TableColumn(title: title, priority: priority) { row in
      guard let figure = row.figures.flatMap(figure) else { return TextSpan("", .plain) }
      let words =
        switch (figure.low, figure.high) {
        case (let low?, let high?): LatencyText.interval(low, high)
        case (let low?, nil): "at least \(LatencyText.text(low))"
        case (nil, let high?): "at most \(LatencyText.text(high))"
        case (nil, nil): "n too small"
        }
      return TextSpan(text(words), appearance(.secondary))
    }
  }

  private func text(_ text: String) -> String {
    appearance.isASCII ? text.replacing("µ", with: "u") : text
  }
}
