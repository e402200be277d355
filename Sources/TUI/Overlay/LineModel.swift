import ConstraintAnimation
import Measurement
import Store

/// The chosen line of the log or the chosen event in full.
struct LineModel {
  let title: String
  /// Names and values.
  let fields: [(name: String, value: String)]
  let appearance: Appearance

  private static let mostColumns = 100
  private static let nameColumns = 11

  init(_ line: LogLine, target: String?, appearance: Appearance, zone: LocalTime) {
    title = "log line"
    self.appearance = appearance
    fields =
      [("time", Self.time(line.at, zone)), ("level", line.level.rawValue), ("component", line.label)]
      + (target.map { [("target", $0)] } ?? []) + [("message", line.message)]
  }

  init(_ event: Event, target: String?, appearance: Appearance, zone: LocalTime) {
    title = "event"
    self.appearance = appearance
    var fields = [("time", Self.time(event.at, zone)), ("kind", event.kind.rawValue)]
    if let target { fields.append(("target", target)) }
    if let connection = event.connectionID { fields.append(("connection", "#\(connection)")) }
    if let sequence = event.sequence { fields.append(("sequence", "#\(sequence)")) }
    if event.count != 1 { fields.append(("count", FixedPoint.grouped(event.count))) }
    self.fields = fields + [("detail", event.detail)]
  }

  func size(fitting width: Int, _ height: Int) -> (width: Int, height: Int) {
    let columns = min(Self.mostColumns, max(10, width - 4))
    return (columns, min(height - 2, lines(width: columns).count + 2))
  }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    guard width > 20, height > 2 else { return picture }
    SheetFrame(
      title: [TextSpan(title, appearance(.strong))],
      hint: [
        TextSpan("J K", appearance(.key)), TextSpan(" next  ", appearance(.secondary)),
        TextSpan("Y", appearance(.key)), TextSpan(" copies  ", appearance(.secondary)),
        TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary)),
      ], appearance: appearance
    ).draw(&picture)
    for (row, spans) in lines(width: width).prefix(height - 2).enumerated() {
      picture.lines.append(CellPicture.Line(x: 2, y: row + 1, spans: spans, end: width - 1))
    }
    return picture
  }

  private func lines(width: Int) -> [[TextSpan]] {
    let room = max(4, width - 4 - Self.nameColumns)
    return fields.flatMap { field in
      NoticeModel.wrapped(field.value, columns: room).enumerated().map { index, part in
        [
          TextSpan(
            FittedText.field(index == 0 ? field.name : "", columns: Self.nameColumns, ellipsis: ""),
            appearance(.secondary)),
          TextSpan(part, appearance(.text)),
        ]
      }
    }
  }

  /// The fields as one line, for the clipboard.
  var text: String { EscapedText.make(fields.map(\.value).joined(separator: " ")) + "\n" }

  private static func time(_ time: WallTime, _ zone: LocalTime) -> String {
    let civil = zone.civil(time)
    let millisecond = FixedPoint.padded(civil.microsecond / 1_000, width: 3)
    return "\(civil.dateTime).\(millisecond) \(zone.name(at: time))"
  }
}

/// The choice of the columns of a table.
struct ColumnChooserModel {
  /// Titles of all columns, in their order.
  let columns: [String]
  let hidden: Set<String>
  /// Index of the chosen line.
  let chosen: Int
  let appearance: Appearance

  func size(fitting width: Int, _ height: Int) -> (width: Int, height: Int) {
    (min(width - 4, 46), min(height - 2, columns.count + 2))
  }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    SheetFrame(
      title: [TextSpan("columns", appearance(.strong))],
      hint: [
        TextSpan("Space", appearance(.key)), TextSpan(" shows or hides  ", appearance(.secondary)),
        TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary)),
      ], appearance: appearance
    ).draw(&picture)
    let room = max(0, height - 2)
    let first = max(0, min(chosen - room / 2, columns.count - room))
    for (row, title) in columns.dropFirst(first).prefix(room).enumerated() {
      let isChosen = first + row == chosen
      picture.lines.append(
        CellPicture.Line(
          x: 2, y: row + 1,
          spans: [
            TextSpan(isChosen ? "> " : "  ", appearance(.accent)),
            TextSpan(hidden.contains(title) ? "[ ] " : "[x] ", appearance(.key)),
            TextSpan(title, appearance(isChosen ? .strong : .text)),
          ], end: width - 1))
    }
    return picture
  }
}
