import Configuration
import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("CommandPalette and prompts")
struct OverlayTests {
  private static func type(_ text: String, into stage: inout Stage) {
    for character in text { stage.press(character) }
    stage.frame()
  }

  @Test("the palette finds commands by words in any order, and by letters in theirs")
  func find() {
    let all = KeyTable.standard.bindings
    func actions(_ text: String) -> [String] { CommandPalette.find(text, in: all).map(\.action.rawValue) }
    #expect(actions("quit").first == "quit")
    #expect(actions("zoom").prefix(2) == ["zoom-in", "zoom-out"])
    #expect(actions("time go").first == "go-to")
    #expect(actions("xyzzy").isEmpty)
    #expect(actions("cmpr").first == "compare")
    #expect(Set(actions("")) == Set(all.map(\.action.rawValue)).subtracting(["palette", "dismiss"]))
  }

  @Test("what is chosen in the palette is done", arguments: [":", "ctrl-p"])
  func palette(key: String) throws {
    var stage = try Stage()
    if key == ":" { stage.press(":") } else { stage.press(.character("p"), .control) }
    Self.type("show the ev", into: &stage)
    #expect(stage.text.contains("commands") && stage.text.contains("show the events"))
    #expect(stage.screen.context.activePanel == .histogram)
    stage.press(.enter)
    stage.frames(30)
    #expect(stage.screen.context.activePanel == .events)
    #expect(stage.screen.overlay == nil && !stage.text.contains("commands"))
  }

  @Test("arrows choose, escape and a click beside it leave, and keys do nothing behind it")
  func leave() throws {
    var stage = try Stage()
    stage.press(":")
    stage.press(.down)
    stage.press(.down)
    stage.frame()
    #expect(stage.text.contains("> show the events"))
    stage.press("q")
    #expect(stage.effects.isEmpty && stage.screen.overlay != nil)
    stage.press(.escape)
    #expect(stage.screen.overlay == nil)
    stage.press(":")
    stage.mouse(.mouseDown, x: 1, y: 1)
    #expect(stage.screen.overlay == nil)
    stage.press(":")
    stage.press(.character("c"), .control)
    #expect(stage.effects == [.quit])
  }

  @Test("a frame after it is gone looks as before it came")
  func leavesNoTrace() throws {
    var stage = try Stage()
    stage.frames(40)
    let before = stage.cells(in: stage.buffer.bounds)
    for key: Character in [":", "g"] {
      stage.press(key)
      stage.frame()
      #expect(stage.cells(in: stage.buffer.bounds) != before)
      stage.press(.escape)
      stage.frame()
      #expect(stage.cells(in: stage.buffer.bounds) == before)
    }
  }

  @Test("g goes to a time, and says clearly what it cannot read or reach")
  func goTo() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 3_000, rate: 1).snapshot)
    stage.press("g")
    Self.type("14:20", into: &stage)
    #expect(stage.text.contains("> 14:20"))
    stage.press(.enter)
    stage.frame()
    let window = try #require(stage.screen.context.content?.window)
    let moment = SampleRun.start.advanced(byMicroseconds: 18 * 60_000_000)
    #expect(abs(window.column(of: moment) - window.columns / 2) <= 1)
    #expect(stage.rows[0].contains("looking back"))
    for (text, words) in [
      ("soon", "is not a time"), ("-90", "is not a duration"), ("2020-01-01T00:00:00Z", "the run goes from"),
    ] {
      stage.press("g")
      Self.type(text, into: &stage)
      stage.press(.enter)
      stage.frame()
      #expect(stage.text.contains(words), "\(text)")
      stage.press(.escape)
    }
    #expect(try #require(stage.screen.context.content?.window) == window)
    stage.press("g")
    Self.type("end", into: &stage)
    stage.press(.enter)
    stage.press("f")
    #expect(stage.screen.state.anchor == .edge)
  }

  @Test("times are read in every form that the hint names")
  func moments() throws {
    let start = SampleRun.start
    let now = start.advanced(byMicroseconds: 3_600_000_000)
    let shown = start.advanced(byMicroseconds: 600_000_000)
    let reader = TimeInput(now: now, start: start, shown: shown, zone: .utc)
    func seconds(_ text: String) throws -> Int64 {
      try (reader.moment(text).microseconds - start.microseconds) / 1_000_000
    }
    #expect(try seconds("start") == 0 && seconds("end") == 3_600 && seconds("now") == 3_600)
    #expect(try seconds("-10m") == 3_000 && seconds("- 90s") == 3_510 && seconds("-0.5h") == 1_800)
    #expect(try seconds("+30s") == 630)
    #expect(try seconds("14:05") == 180 && seconds("14:05:30") == 210)
    // Later than the newest: the day before.
    #expect(try seconds("15:30") == 5_280 - 86_400)
    #expect(try seconds("2025-06-15T14:12:00Z") == 600 && seconds("2025-06-15 16:12:00+02:00") == 600)
    for text in ["", "25:00", "14:60", "-", "-5", "+1q", "14:5:1:1", "yesterday", "-99999999999999999999d"] {
      #expect(throws: TimeInput.Problem.self, "\(text)") { try reader.moment(text) }
    }
    let berlin = TimeInput(now: now, start: start, shown: shown, zone: LocalTime { _ in 7_200_000_000 })
    #expect(try berlin.moment("16:05").microseconds == start.microseconds + 180_000_000)
  }

  @Test("a field is edited as fields are")
  func field() {
    var field = TextField("pushscope")
    func press(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = []) {
      _ = field.handle(key, modifiers)
    }
    press(.backspace)
    press(.home)
    press(.delete)
    press(.character("P"))
    press(.end)
    press(.left)
    press(.character("!"))
    #expect(field.string == "Pushsco!p" && field.cursor == 8)
    press(.character("w"), .control)
    #expect(field.string == "p" && field.cursor == 0)
    field.insert("a\u{1B}[31m\nb")
    #expect(field.string == "a[31mbp")
    press(.character("e"), .control)
    press(.character("u"), .control)
    #expect(field.string.isEmpty)
    for key: InputEvent.Key in [.backspace, .delete, .left, .right] { press(key) }
    field.insert(String(repeating: "x", count: 1_000))
    #expect(field.string.count == TextField.capacity)
    #expect(!field.handle(.up, []) && !field.handle(.character("x"), .alt))
  }

  @Test("scalars that join their neighbors move the cursor by the characters that come of it")
  func joins() {
    func typed(_ text: String) -> TextField {
      var field = TextField()
      for scalar in text.unicodeScalars { _ = field.handle(.character(Character(scalar)), []) }
      return field
    }
    let texts = [
      "e\u{301}", "\u{301}", "ที่นี่", "नमस्ते", "क्षि", "🇩🇪🇫🇷", "👨\u{200D}👩\u{200D}👧", "👍🏽", "한글", "a\u{FE0F}b",
      "می\u{200C}خواهم",
    ]
    for text in texts {
      var field = typed(text)
      #expect(field.string == text && field.cursor == text.count, "\(text)")
      for left in stride(from: text.count - 1, through: 0, by: -1) {
        _ = field.handle(.backspace, [])
        #expect(field.string == String(text.prefix(left)) && field.cursor == left, "\(text)")
      }
    }
    // Two halves of flags come together when what stood between them is taken away.
    var flags = typed("🇩x🇪🇫🇷")
    _ = flags.handle(.home, [])
    _ = flags.handle(.right, [])
    _ = flags.handle(.delete, [])
    #expect(flags.string == "🇩🇪🇫🇷" && flags.cursor == 1)
    // A mark in front of which the cursor stood joins what is typed before it.
    var mark = typed("\u{301}")
    _ = mark.handle(.home, [])
    _ = mark.handle(.character("e"), [])
    #expect(mark.string == "e\u{301}" && mark.cursor == 1)
    var long = TextField(String(repeating: "e\u{301}", count: 500))
    #expect(long.string.unicodeScalars.count == TextField.capacity)
    _ = long.handle(.character("\u{302}"), [])
    #expect(long.cursor == TextField.capacity / 2)
  }

  @Test("a combining mark typed into a prompt is drawn with its letter under the cursor")
  func mark() throws {
    var stage = try Stage(columns: 60, rows: 16)
    for key: Character in ["/", "e", "\u{301}", "x"] { stage.press(key) }
    stage.press(.left)
    stage.press(.left)
    stage.frame()
    #expect(stage.text.contains("> e\u{301}x"))
  }

  @Test("long text scrolls, so that the cursor is in view; pasted text goes in")
  func scrolls() throws {
    var stage = try Stage(columns: 60, rows: 16)
    stage.press("g")
    stage.screen.paste(String(repeating: "0123456789", count: 9) + "tail")
    stage.frame()
    #expect(stage.text.contains("tail") && stage.rows.allSatisfy { $0.count == 60 })
    stage.press(.home)
    stage.frame()
    #expect(stage.text.contains("> 0123") && !stage.text.contains("tail"))
  }
}

@Suite("Overlays are values that handle their own keys")
struct OverlayValueTests {
  private static let scene = OverlayScene(
    state: ViewState(),
    context: ScreenContext(appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)),
    terminal: (80, 24), sheet: (48, 10))

  /// What a key changes, and how the overlay goes on: "stay", "close" or "show".
  private static func press(_ key: InputEvent.Key, _ command: Command? = nil, in overlay: some Overlay)
    -> (overlay: any Overlay, reply: String)
  {
    var overlay = overlay
    let input = OverlayInput(key: key, modifiers: [], command: command)
    switch overlay.handle(input, in: scene) {
    case .stay(.done): return (overlay, "stay")
    case .stay: return (overlay, "stay, send")
    case .close(.done): return (overlay, "close")
    case .close: return (overlay, "close, send")
    case .show: return (overlay, "show")
    }
  }

  @Test("a question takes y and n, a prompt takes text, a chooser moves")
  func keys() throws {
    let question = Question(command: .stop, title: "stop the run?", body: ["Really."])
    #expect(Self.press(.character("y"), in: question).reply == "close, send")
    #expect(Self.press(.character("n"), in: question).reply == "close")
    #expect(Self.press(.character("x"), in: question).reply == "stay")
    let prompt = Prompt(.startRun, title: "start a run", hint: "")
    let typed = Self.press(.character("q"), in: prompt)
    #expect(typed.reply == "stay" && (typed.overlay as? Prompt)?.field.string == "q")
    #expect(Self.press(.enter, in: prompt).reply == "close, send")
    let moved = Self.press(.down, .scroll(rows: 1), in: ExportChooser())
    #expect((moved.overlay as? ExportChooser)?.chosen == 1 && moved.reply == "stay")
    #expect(!moved.overlay.isEqual(to: ExportChooser()) && !ExportChooser().isEqual(to: ColumnChooser()))
  }

  @Test("without a selection there is no list, and a notification that is open leaves for an empty one")
  func withoutSelection() {
    #expect(SelectionList().size(in: Self.scene) == (0, 0))
    let id = SampleID(target: TargetID(rawValue: 1), sequence: 7)
    #expect(Self.press(.down, .scroll(rows: 1), in: NotificationSheet(id: id, place: 3)).reply == "show")
  }

  @Test("a title that is too long for its sheet ends with an ellipsis")
  func title() {
    let model = DetailModel(
      title: [TextSpan("#7 ", .plain), TextSpan(String(repeating: "x", count: 100), .plain)], rows: [],
      hint: [], mostColumns: 60, nameColumns: 8, appearance: Self.scene.appearance)
    let text = model.picture((60, 5)).lines.map { TextSpan.text(of: $0.spans) }.joined()
    #expect(text.contains("#7 xxx") && text.contains("…") && text.count < 60)
  }
}
