import Measurement

/// The events of the run as a table, with the columns of the CSV file.
struct EventsModel {
  let entries: [ListEntry<Event>]
  let targets: [DisplayedTarget]
  let page: RecordPageView
  let appearance: Appearance
  let zone: LocalTime

  /// Titles of all columns.
  static let titles = ["time", "target", "kind", "connection", "sequence", "count", "detail"]

  func list(width: Int, height: Int) -> ListModel {
    RecordTable(
      title: "events", none: "nothing has happened yet", noneMatches: "no event has these words",
      entries: entries, columns: columns, gap: 2, hasHeading: true, page: page,
      isSelected: { page.marks?.contains($0) ?? false }, appearance: appearance, zone: zone
    ).list(width: width, height: height)
  }

  /// All columns, in their order. Narrow terminals have no room for those that are rarely filled.
  private var columns: [TableColumn<ListEntry<Event>>] {
    // As wide as the longest kind that has occurred.
    let kinds = Set(entries.lazy.map(\.row.kind)).map(\.rawValue.count).max() ?? 4
    let names = min(20, max(6, targets.map { $0.name.count }.max() ?? 6))
    return [
      TableColumn(title: "time", priority: 90, isLeading: true, width: 12) {
        TextSpan(RecordText.time($0.row.at, zone), appearance(.secondary))
      },
      TableColumn(title: "target", priority: 70, isLeading: true, width: names) { entry in
        TextSpan(
          entry.row.target.flatMap { id in targets.first { $0.id == id }?.name } ?? "", appearance(.text))
      },
      TableColumn(title: "kind", priority: 100, isLeading: true, width: kinds) {
        TextSpan($0.row.kind.rawValue, appearance($0.row.kind.role))
      },
      number("connection", 10, priority: 40) { $0.connectionID.map { Int64($0) } },
      number("sequence", 9, priority: 50) { $0.sequence },
      number("count", 6, priority: 45) { $0.count == 1 ? nil : Int64($0.count) },
      TableColumn(title: "detail", priority: 80, isLeading: true, width: RecordText.leastText) { entry in
        let isHit = page.hits?.contains(entry.place) ?? false
        return TextSpan(entry.row.detail, appearance(isHit ? .strong : .secondary))
      },
    ]
  }

  private func number(
    _ title: String, _ width: Int, priority: Int, _ value: @escaping (Event) -> Int64?
  ) -> TableColumn<ListEntry<Event>> {
    TableColumn(title: title, priority: priority, width: width) {
      TextSpan(value($0.row).map(String.init) ?? "", appearance(.text))
    }
  }
}

extension EventKind {
  /// Label on the time axis for what happens to a connection, token or clock; `nil` for what the plot shows itself.
  var axisLabel: String? {
    switch self {
    case .connected: "connected"
    case .disconnected: "closed"
    case .goaway: "GOAWAY"
    case .streamLimitChanged: "stream limit"
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
      .resumed, .findingClosed, .pruned, .handshakeFailed, .retentionWaiting, .partFailed,
      .deviceGone:
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
      .unknownReceipt, .malformedReceipt, .handshakeFailed, .findingOpened, .retentionWaiting, .deviceGone:
      .warning
    case .forgedReceipt, .configRefused, .partFailed: .alarm
    case .connected, .streamLimitChanged, .tokenRefreshed, .runStarted, .runStopped, .resumed,
      .configReloaded,
      .thresholdCleared, .clockOffset, .findingClosed, .annotation, .pruned:
      .accent
    }
  }
}
