import Measurement

/// The collector's log.
struct LogModel {
  let entries: [ListEntry<LogLine>]
  var extent = ListExtent()
  let position: ListPosition
  var filter: ListFilter?
  var marks: SelectionMarks?
  /// Number of the chosen row.
  var chosen: Int64?
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let room = ListModel.room(height: height, hasHeading: false)
    let visible = position.visible(in: entries.lazy.map(\.number), rows: room)
    return ListModel(
      title: "log", filter: filter, count: entries.count, visible: visible, follows: position == .end,
      extent: extent,
      emptyText: extent.emptyText(
        "the collector has not logged anything", noneMatches: "no line has these words",
        ellipsis: appearance.glyphs.ellipsis),
      heading: nil,
      rows: entries[visible].map { row($0.row) }, marked: marked(visible), chosen: chosen(visible),
      appearance: appearance, width: width, height: height)
  }

  private func row(_ line: LogLine) -> [TextSpan] {
    let ellipsis = appearance.glyphs.ellipsis
    let clock = zone.civil(line.at)
    return [
      TextSpan(
        "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3)) ",
        appearance(.secondary)),
      TextSpan(
        FittedText.field(line.level.rawValue, columns: 8, ellipsis: ellipsis), appearance(role(line.level))),
      TextSpan(
        FittedText.field(line.label, columns: 10, ellipsis: ellipsis) + " ",
        appearance(line.level == .debug ? .secondary : .accent)),
      TextSpan(line.message, appearance(line.level == .debug ? .secondary : .text)),
    ]
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

  private func marked(_ visible: Range<Int>) -> Set<Int> {
    guard let marks else { return [] }
    return Set(visible.filter { marks.contains(entries[$0].row) }.map { $0 - visible.lowerBound })
  }

  private func chosen(_ visible: Range<Int>) -> Int? {
    visible.first { entries[$0].number == chosen }.map { $0 - visible.lowerBound }
  }
}
