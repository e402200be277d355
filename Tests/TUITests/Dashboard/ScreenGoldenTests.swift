import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Whole screens")
struct ScreenGoldenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var columns = 120
    var rows = 40
    var theme = Theme.dark
    var colors = ColorProfile.trueColor
    var glyphs = GlyphRepertoire.braille
    var targets = ["loopback"]
    var keys: [InputEvent.Key] = []

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "truecolor-120x40"),
    Case(name: "ansi256-colour-blind-120x40", theme: .colorBlind, colors: .ansi256),
    Case(name: "ansi16-half-blocks-100x30", columns: 100, rows: 30, colors: .ansi16, glyphs: .halfBlocks),
    Case(name: "mono-braille-100x30", columns: 100, rows: 30, colors: .monochrome),
    Case(name: "ascii-80x24", columns: 80, rows: 24, colors: .monochrome, glyphs: .ascii),
    Case(name: "ascii-colors-80x24", columns: 80, rows: 24, colors: .ansi256, glyphs: .ascii),
    Case(name: "blocks-80x24", columns: 80, rows: 24, glyphs: .blocks),
    Case(name: "smallest-60x16", columns: 60, rows: 16),
    Case(
      name: "light-two-targets-200x60", columns: 200, rows: 60, theme: .light,
      targets: ["ios-alert", "loopback"]),
    Case(name: "log-120x40", keys: [.character("2")]),
    Case(name: "events-120x40", keys: [.character("3")]),
    Case(name: "events-60x16", columns: 60, rows: 16, keys: [.character("3")]),
    Case(name: "help-120x40", keys: [.character("?")]),
    Case(name: "help-80x24", columns: 80, rows: 24, keys: [.character("?")]),
    Case(name: "help-60x16", columns: 60, rows: 16, keys: [.character("?"), .down, .down]),
    Case(name: "linear-capped-accept-120x40", keys: [.character("l"), .character("y"), .character("v")]),
    Case(name: "panned-back-120x40", keys: [.left, .left, .character("a")]),
  ]

  @Test("look as recorded", arguments: cases)
  func recorded(_ row: Case) throws {
    var stage = try Stage(
      columns: row.columns, rows: row.rows, theme: row.theme, colors: row.colors, glyphs: row.glyphs,
      snapshot: SampleRun(targets: row.targets).snapshot)
    for key in row.keys { stage.press(key) }
    stage.frames(30)
    try Golden.expect(stage.buffer, named: row.name)
  }

  @Test("runs that have ended, lost their collector or hardly begun look as recorded")
  func phases() throws {
    let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
    var ended = SampleRun(phase: .ended(at: end, reason: "completed")).snapshot
    ended.run?.name = "before the change"
    try Golden.expect(try Stage(snapshot: ended).buffer, named: "ended-120x40")
    var silent = SampleRun(phase: .silent(since: end)).snapshot
    silent.now = end.advanced(byMicroseconds: 12_000_000)
    try Golden.expect(try Stage(snapshot: silent).buffer, named: "collector-gone-120x40")
    try Golden.expect(try Stage(snapshot: SampleRun(seconds: 0).snapshot).buffer, named: "just-begun-120x40")
  }

  @Test("an ASCII screen holds nothing but ASCII")
  func ascii() throws {
    for keys in ["1", "2", "3", "?"] {
      var stage = try Stage(colors: .ansi256, glyphs: .ascii)
      for key in keys { stage.press(key) }
      stage.frames(30)
      let foreign = stage.text.unicodeScalars.filter { !$0.isASCII }
      // What comes from outside is escaped by the terminal room; what is ours is ASCII from the start.
      #expect(foreign.allSatisfy { $0 == "␛" || $0 == "µ" }, "\(Set(foreign))")
    }
  }

  @Test("without colors no cell has one", arguments: [GlyphRepertoire.braille, .ascii])
  func monochrome(glyphs: GlyphRepertoire) throws {
    var stage = try Stage(colors: .monochrome, glyphs: glyphs)
    for key in "123?" {
      stage.press(key)
      stage.frames(30)
      for y in 0..<stage.buffer.rows {
        for x in 0..<stage.buffer.columns {
          let style = stage.buffer[x, y].style
          #expect(style.foreground == nil && style.background == nil, "\(x), \(y)")
        }
      }
    }
  }

  @Test("any size from the smallest to a wall is drawn without a trap, and smaller ones say what is missing")
  func sizes() throws {
    var stage = try Stage(snapshot: SampleRun(targets: ["a", "b"]).snapshot)
    for (columns, rows) in [
      (60, 16), (61, 17), (500, 200), (73, 51), (200, 16), (60, 120), (59, 16), (60, 15), (1, 1),
    ] {
      stage.resize(columns: columns, rows: rows)
      for key in "123?" {
        stage.press(key)
        stage.frames(3)
      }
      stage.press(.escape)
      stage.frames(20)
      #expect(stage.text.contains("Too sma") == (columns == 59 || rows == 15), "\(columns)x\(rows)")
    }
    stage.resize(columns: 50, rows: 12)
    #expect(stage.text.contains("10 more columns and") && stage.text.contains("4 more rows"))
  }

  @Test("text from outside cannot reach the terminal as anything but text")
  func hostile() throws {
    var snapshot = SampleRun().snapshot
    snapshot.targets[0].name = "\u{1B}[2J\u{202E}evil"
    snapshot.run?.name = "run\u{07}\u{9B}31m"
    snapshot.log[snapshot.log.count - 1].row.message = "\u{1B}]0;title\u{07} \u{200B}hidden"
    var stage = try Stage(columns: 160, snapshot: snapshot)
    for key in "123" {
      stage.press(key)
      stage.frames(30)
      let controls = stage.text.unicodeScalars.filter {
        $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
      }
      #expect(controls.isEmpty, "\(controls.map { $0.value })")
    }
    #expect(stage.text.contains("␛"))
  }
}
