import ConstraintAnimation
import Measurement
import Store

/// The sheet of the chosen line of the log or the chosen event.
struct LineSheet: Overlay {
  private func details(in scene: OverlayScene) -> DetailModel? { scene.context.line(scene.state)?.details }

  func size(in scene: OverlayScene) -> CellSize {
    details(in: scene)?.size(fitting: scene.terminal) ?? (0, 0)
  }

  func picture(in scene: OverlayScene) -> CellPicture {
    details(in: scene)?.picture(scene.sheet)
      ?? CellPicture(width: scene.sheet.width, height: scene.sheet.height)
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    switch input.command {
    case .copy, .chooseNext, .choosePrevious, .nextHit, .previousHit:
      .stay(input.command.map(OverlayOutcome.command) ?? .done)
    case .scroll(let rows): .stay(.command(rows > 0 ? .chooseNext : .choosePrevious))
    case .wholeLine, .list: .close()
    default: .stay()
    }
  }
}

/// The chosen line of the log or the chosen event in full.
struct LineModel {
  let title: String
  /// Names and values.
  let fields: [(name: String, value: String)]
  let appearance: Appearance

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
    if event.count != 1 { fields.append(("count", CountText.grouped(event.count))) }
    self.fields = fields + [("detail", event.detail)]
  }

  var details: DetailModel {
    DetailModel(
      title: [TextSpan(title, appearance(.strong))], rows: fields.map { .field($0.name, $0.value) },
      hint: [("J K", "next"), ("Y", "copies"), ("Esc", "closes")], mostColumns: 100, nameColumns: 10, gap: 1,
      scrolls: false, appearance: appearance)
  }

  /// The fields as one line, for the clipboard.
  var text: String { EscapedText.make(fields.map(\.value).joined(separator: " ")) + "\n" }

  private static func time(_ time: WallTime, _ zone: LocalTime) -> String {
    let civil = zone.civil(time)
    let millisecond = FixedPoint.padded(civil.microsecond / 1_000, width: 3)
    return "\(civil.dateTime).\(millisecond) \(zone.name(at: time))"
  }
}
