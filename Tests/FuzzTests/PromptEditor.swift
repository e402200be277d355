import ConstraintAnimation
import Measurement

@testable import TUI
@testable import Terminal

/// Something that people type into. **Whoever writes a new one adds it to ``all``.**
struct PromptEditor: Sendable, CustomStringConvertible {
  let name: String
  let overlay: any Overlay

  var description: String { name }

  private init(_ name: String, _ overlay: any Overlay) { (self.name, self.overlay) = (name, overlay) }

  private init(_ purpose: Prompt.Purpose, text: String = "") {
    // No `default`: a new purpose has to be listed below.
    let name =
      switch purpose {
      case .goTo: "a moment"
      case .filter: "words to filter by"
      case .startRun: "the name of a new run"
      case .rename: "another name for a run"
      case .annotate: "what happened"
      }
    self.init(name, Prompt(purpose, title: name, hint: "a hint", text: text))
  }

  static var all: [PromptEditor] {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return [
      PromptEditor("the palette", CommandPalette()), PromptEditor(.goTo), PromptEditor(.filter),
      PromptEditor(.startRun), PromptEditor(.rename(run)),
      PromptEditor(.annotate(WallTime(microseconds: 0))),
    ]
  }

  /// Texts whose scalars join each other in every way there is.
  static let texts = [
    "plain words", "e\u{301}a\u{308}\u{323}", "\u{301}\u{302}", "ที่นี่มีน้ำ", "नमस्ते क्षि", "ਪੰਜਾਬੀ", "🇩🇪🇫🇷🇯",
    "👨\u{200D}👩\u{200D}👧",
    "👍🏽❤\u{FE0F}", "한글 \u{1112}\u{1161}\u{11AB}", "日本", "می\u{200C}خواهم",
    "z\u{334}\u{335}\u{336}\u{337}\u{338}\u{339}\u{33A}\u{33B}\u{33C}x",
    "\u{202E}abc\u{1B}[2J\u{7F}\u{2028}\r\n", "\u{1F1E9}x\u{1F1EA}",
  ]

  /// What a terminal sends for keys of editing, and for scalars that join what stands beside the cursor.
  static let keys = [
    "\u{7F}", "\u{1B}[3~", "\u{1B}[D", "\u{1B}[C", "\u{1B}[H", "\u{1B}[F", "\u{15}", "\u{17}", "\u{1}",
    "\u{5}", "x", " ",
    "\u{301}", "\u{200D}", "\u{1F1E9}", "\u{0E35}", "\u{094D}", "\u{1F3FD}", "\u{FE0F}", "\u{11A8}",
  ]
}

/// A dashboard with one editor open, driven by the bytes of a terminal.
struct EditorStage {
  let screen: DashboardScreen
  private let buffer: CellBuffer
  private let overlay: any Overlay
  private var decoder = InputDecoder()
  private var time = MotionTime.zero

  init(_ editor: PromptEditor) throws {
    let appearance = Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)
    screen = try DashboardScreen(
      size: (60, 16), appearance: appearance, options: ScreenOptions(motion: .none, zone: .utc))
    buffer = CellBuffer(columns: 60, rows: 16)
    overlay = editor.overlay
    reopen()
  }

  /// An editor without anything typed into it.
  func reopen() { screen.open(overlay) }

  var field: TextField? {
    (screen.overlay as? Prompt)?.field ?? (screen.overlay as? CommandPalette)?.field
  }

  mutating func send(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { decoder.feed(byte) }
    for event in decoder.drainEvents() {
      switch event {
      case .input(let input): _ = screen.handle(input, at: time)
      case .paste(let text): screen.paste(text)
      default: break
      }
    }
  }

  /// Draws a frame.
  /// - Returns: all that is shown, and what is shown under the cursor.
  mutating func shown() -> (text: String, cursor: String) {
    time = time + .milliseconds(16)
    let damage = screen.advance(to: time)
    if !damage.isEmpty { screen.draw(on: buffer, damage: damage) }
    var text = ""
    var cursor = ""
    for row in 0..<buffer.rows {
      for column in 0..<buffer.columns {
        let cell = buffer[column, row]
        text += cell.text
        if cell.attributes.contains(.reverse) { cursor += cell.text }
      }
    }
    return (text, cursor)
  }
}
