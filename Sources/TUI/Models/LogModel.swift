import Measurement

/// The collector's log.
struct LogModel {
  let entries: [ListEntry<LogLine>]
  let targets: [DisplayedTarget]
  let page: RecordPageView
  let appearance: Appearance
  let zone: LocalTime

  /// Titles of all columns. Of a single target each line would say the same.
  /// - Parameter targets: of the run.
  static func titles(targets: Int) -> [String] {
    ["time", "level", "component"] + (targets > 1 ? ["target"] : []) + ["message"]
  }

  func list(width: Int, height: Int) -> ListModel {
    RecordTable(
      title: "log", none: "the collector has not logged anything", noneMatches: "no line has these words",
      entries: entries, columns: columns, gap: 1, hasHeading: false, page: page,
      isSelected: { page.marks?.contains($0) ?? false }, appearance: appearance, zone: zone
    ).list(width: width, height: height)
  }

  /// All columns, in their order.
  private var columns: [TableColumn<ListEntry<LogLine>>] {
    var columns: [TableColumn<ListEntry<LogLine>>] = [
      TableColumn(title: "time", priority: 90, isLeading: true, width: 12) {
        TextSpan(RecordText.time($0.row.at, zone), appearance(.secondary))
      },
      TableColumn(title: "level", priority: 80, isLeading: true, width: 7) {
        TextSpan($0.row.level.rawValue, appearance(role($0.row.level)))
      },
      TableColumn(title: "component", priority: 70, isLeading: true, width: 10) {
        TextSpan($0.row.label, appearance($0.row.level == .debug ? .secondary : .accent))
      },
      TableColumn(title: "message", priority: 100, isLeading: true, width: RecordText.leastText) { entry in
        let isPlain = entry.row.level == .debug || !(page.hits?.contains(entry.place) ?? true)
        return TextSpan(entry.row.message, appearance(isPlain ? .secondary : .text))
      },
    ]
    if targets.count > 1 {
      let names = min(16, max(6, targets.map { $0.name.count }.max() ?? 6))
      columns.insert(
        TableColumn(title: "target", priority: 60, isLeading: true, width: names) { entry in
          TextSpan(
            entry.row.target.flatMap { id in targets.first { $0.id == id }?.name } ?? "", appearance(.text))
        }, at: 3)
    }
    return columns
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
}
