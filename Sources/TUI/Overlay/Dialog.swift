import ConstraintAnimation
import Measurement
import Store

/// An overlay that asks: a box with a title and as many lines as it needs.
protocol Dialog: Overlay {
  var title: String { get }

  /// The lines within the frame, in a terminal that has room for so many rows.
  func lines(columns: Int, rows: Int, in scene: OverlayScene) -> [[TextSpan]]
}

extension Dialog {
  var isAsking: Bool { true }
  var showsData: Bool { false }

  func size(in scene: OverlayScene) -> CellSize {
    let width = min(66, max(10, scene.terminal.width - 4))
    let rows = lines(columns: max(1, width - 4), rows: scene.terminal.height - 2, in: scene).count
    return (width, min(scene.terminal.height, rows + 2))
  }

  func picture(in scene: OverlayScene) -> CellPicture {
    let (width, height) = scene.sheet
    var picture = CellPicture(width: width, height: height)
    guard width > 4, height > 2 else { return picture }
    let lines = lines(columns: max(1, width - 4), rows: height - 2, in: scene)
    SheetFrame(title: [TextSpan(title, scene.appearance(.strong))], hint: [], appearance: scene.appearance)
      .draw(&picture)
    for (row, spans) in lines.prefix(height - 2).enumerated() {
      picture.lines.append(CellPicture.Line(x: 2, y: row + 1, spans: spans, end: width - 1))
    }
    return picture
  }
}

/// Asks for a line of text.
struct Prompt: Dialog {
  /// What the text is for.
  enum Purpose: Sendable, Equatable {
    case goTo
    case rename(RunID)
    /// The name of a run that is about to begin.
    case startRun
    /// The filter of log and events.
    case filter
    /// What happened at an instant.
    case annotate(WallTime)
  }

  let purpose: Purpose
  let title: String
  /// What may be entered.
  let hint: String
  var field = TextField()
  /// What is wrong with what was entered last.
  var problem: String?

  init(_ purpose: Purpose, title: String, hint: String, text: String = "") {
    self.purpose = purpose
    self.title = title
    self.hint = hint
    field = TextField(text)
  }

  var acceptsText: Bool { true }

  func lines(columns: Int, rows: Int, in scene: OverlayScene) -> [[TextSpan]] {
    let appearance = scene.appearance
    let below = FittedText.wrapped(problem ?? hint, columns: columns)
    return [field.spans(columns: columns, appearance), []]
      + below.map { [TextSpan($0, appearance(problem == nil ? .secondary : .warning))] }
      + [[], SheetFrame.hint([("Enter", "confirms "), ("Esc", "cancels")], appearance)]
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    if input.key == .enter { return .close(.input(.answer(self, field.string))) }
    if field.handle(input.key, input.modifiers) { problem = nil }
    return .stay()
  }

  mutating func insert(_ text: String) {
    field.insert(text)
    problem = nil
  }
}

extension Prompt {
  /// Asks for the filter of log and events.
  static func filter(_ text: String) -> Prompt {
    Prompt(
      .filter, title: "only lines with",
      hint:
        "words in any order, !word for lines without it, level:warning, kind:goaway, target:fcm; empty lists all",
      text: text)
  }
}

/// Asks for a confirmation before a command is sent to the collector.
struct Question: Dialog {
  let command: ControlCommand
  let title: String
  /// Sentences.
  let body: [String]

  func lines(columns: Int, rows: Int, in scene: OverlayScene) -> [[TextSpan]] {
    let body = body.flatMap { FittedText.wrapped($0, columns: columns) }
    return body.map { [TextSpan($0, scene.appearance(.text))] }
      + [[], SheetFrame.hint([("y", "yes "), ("n", "no")], scene.appearance)]
  }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    switch input.key {
    case .character("y"), .character("Y"): .close(.input(.confirm(command)))
    case .character("n"), .character("N"), .enter: .close()
    default: .stay()
    }
  }
}

extension TextField {
  /// The text, scrolled to the cursor, which is drawn in reverse.
  func spans(columns: Int, _ appearance: Appearance) -> [TextSpan] {
    // `> ` takes two columns.
    let room = max(1, columns - 2)
    let all = Array(string)
    let widths = all.map { TextSpan(String($0), .plain).columns }
    let ownColumns = cursor < all.count ? widths[cursor] : 1
    var start = cursor
    var used = ownColumns
    while start > 0, used + widths[start - 1] <= room {
      start -= 1
      used += widths[start]
    }
    var end = min(cursor + 1, all.count)
    while end < all.count, used + widths[end] <= room {
      used += widths[end]
      end += 1
    }
    let under = cursor < all.count ? String(all[cursor]) : " "
    return [
      TextSpan("> ", appearance(.accent)), TextSpan(String(all[start..<cursor]), appearance(.text)),
      TextSpan(under, CellStyle(attributes: .reverse)),
      TextSpan(String(all[min(cursor + 1, end)..<end]), appearance(.text)),
    ]
  }
}
