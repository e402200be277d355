import Measurement

/// The events of the run as a table, with the columns of the CSV file.
struct EventsModel {
  let entries: [ListEntry<Event>]
  let targets: [DisplayedTarget]
  var extent = ListExtent()
  let position: ListPosition
  /// Where the window ends that the list follows.
  var until: WallTime?
  var folds: [Int64: ListedRows.Fold] = [:]
  /// Numbers of the events that stand out; `nil` when all do.
  var hits: Set<Int64>?
  var filter: ListFilter?
  var marks: SelectionMarks?
  /// Number of the chosen row.
  var chosen: Int64?
  let appearance: Appearance
  let zone: LocalTime

  private static let timeColumns = 13
  private static let numberColumns = 9

  func list(width: Int, height: Int) -> ListModel {
    let room = ListModel.room(height: height, hasHeading: height > 2)
    let visible = position.visible(in: entries.lazy.map(\.number), rows: room)
    // Narrow terminals omit the columns that are rarely filled.
    let isWide = width >= 100
    let kindColumns = kindColumns
    return ListModel(
      title: "events", filter: filter, count: entries.count, visible: visible, follows: position == .end,
      until: until.map { zone.civil($0).hoursMinutesSeconds }, extent: extent,
      emptyText: extent.emptyText(
        "nothing has happened yet", noneMatches: "no event has these words",
        ellipsis: appearance.glyphs.ellipsis),
      heading: heading(kindColumns, isWide: isWide),
      rows: entries[visible].map { row($0.row, $0.number, kindColumns, isWide: isWide) },
      marked: marked(visible),
      chosen: chosen(visible), appearance: appearance,
      width: width,
      height: height)
  }

  /// As wide as the longest kind that has occurred.
  private var kindColumns: Int { 2 + (Set(entries.lazy.map(\.row.kind)).map(\.rawValue.count).max() ?? 4) }

  private var targetColumns: Int { min(20, max(6, targets.map { $0.name.count }.max() ?? 6)) }

  private func heading(_ kindColumns: Int, isWide: Bool) -> [TextSpan] {
    let style = appearance(.secondary)
    var spans = [
      TextSpan(field("time", Self.timeColumns), style),
      TextSpan(field("target", targetColumns) + "  ", style),
      TextSpan(field("kind", kindColumns), style),
    ]
    if isWide {
      spans += ["connection", "sequence", "count"].map { TextSpan(number($0) + "  ", style) }
    }
    spans.append(TextSpan("detail", style))
    return spans
  }

  private func row(_ event: Event, _ number: Int64, _ kindColumns: Int, isWide: Bool) -> [TextSpan] {
    let clock = zone.civil(event.at)
    let time = "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3)) "
    let target = event.target.flatMap { id in targets.first { $0.id == id }?.name } ?? ""
    var spans = [
      TextSpan(field(time, Self.timeColumns), appearance(.secondary)),
      TextSpan(field(target, targetColumns) + "  ", appearance(.text)),
      TextSpan(field(event.kind.rawValue, kindColumns), appearance(event.kind.role)),
    ]
    if isWide {
      let numbers = [
        event.connectionID.map(String.init), event.sequence.map(String.init),
        event.count == 1 ? nil : "\(event.count)",
      ]
      spans += numbers.map { TextSpan(self.number($0 ?? "") + "  ", appearance(.text)) }
    }
    spans += FoldText.spans(folds[number], appearance, zone)
    let isHit = hits?.contains(number) ?? false
    spans.append(TextSpan(event.detail, appearance(isHit ? .strong : .secondary)))
    return spans
  }

  private func field(_ text: String, _ columns: Int) -> String {
    FittedText.field(text, columns: columns, ellipsis: appearance.glyphs.ellipsis)
  }

  private func number(_ text: String) -> String { FittedText.padded(text, columns: Self.numberColumns + 1) }

  private func marked(_ visible: Range<Int>) -> Set<Int> {
    guard let marks else { return [] }
    return Set(visible.filter { marks.contains(entries[$0].row) }.map { $0 - visible.lowerBound })
  }

  private func chosen(_ visible: Range<Int>) -> Int? {
    visible.first { entries[$0].number == chosen }.map { $0 - visible.lowerBound }
  }
}

extension EventKind {
  /// Label on the time axis for what happens to a connection, token or clock; `nil` for what the plot shows itself.
  var axisLabel: String? {
    switch self {
    case .connected: "connected"
    case .disconnected: "closed"
    case .goaway: "GOAWAY"
    case .streamLimitChanged: "streams"
    case .tokenRefreshed: "token"
    case .retryAfter: "retry after"
    case .suspended: "suspended"
    case .clockStep: "clock step"
    case .configReloaded: "reloaded"
    case .thresholdCrossed: "threshold"
    case .findingOpened: "finding"
    case .annotation: "note"
    case .runStarted, .runStopped, .rejected, .failed, .missed, .lost, .late, .duplicate, .outOfOrder,
      .unknownReceipt, .forgedReceipt, .malformedReceipt, .clockOffset, .configRefused, .thresholdCleared,
      .interrupted,
      .resumed, .findingClosed, .pruned:
      nil
    }
  }

  /// Role of its label and mark.
  var role: Role {
    switch self {
    case .lost: .lost
    case .failed: .failed
    case .rejected: .rejected
    case .late: .late
    case .missed: .missed
    case .interrupted: .interrupted
    case .disconnected, .goaway, .retryAfter, .suspended, .clockStep, .thresholdCrossed, .duplicate,
      .outOfOrder,
      .unknownReceipt, .malformedReceipt, .findingOpened:
      .warning
    case .forgedReceipt, .configRefused: .alarm
    case .connected, .streamLimitChanged, .tokenRefreshed, .runStarted, .runStopped, .resumed,
      .configReloaded,
      .thresholdCleared, .clockOffset, .findingClosed, .annotation, .pruned:
      .accent
    }
  }
}
