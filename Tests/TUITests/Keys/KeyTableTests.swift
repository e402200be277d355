import Configuration
import ConstraintAnimation
import Terminal
import Testing

@testable import TUI

@Suite("The table of keys")
struct KeyTableTests {
  private static let bindings = KeyTable.standard.lines.flatMap(\.bindings)

  @Test("no key is given twice, and each gives its command")
  func unique() {
    let strokes = Self.bindings.flatMap(\.strokes)
    #expect(Set(strokes).count == strokes.count)
    for binding in Self.bindings {
      for stroke in binding.strokes {
        let event = InputEvent(kind: .key(stroke.key), modifiers: stroke.modifiers)
        #expect(KeyTable.standard.command(for: event) == binding.command)
      }
    }
    #expect(KeyTable.standard.command(for: InputEvent(kind: .key(.character("~")))) == nil)
    #expect(KeyTable.standard.command(for: InputEvent(kind: .mouseDown)) == nil)
  }

  @Test("shift with a character is the character, however the terminal says it")
  func shift() {
    let plus = InputEvent(kind: .key(.character("+")), modifiers: .shift)
    #expect(KeyTable.standard.command(for: plus) == .zoomIn)
    let control = InputEvent(kind: .key(.character("l")), modifiers: .control)
    #expect(KeyTable.standard.command(for: control) == .redraw)
    let alt = InputEvent(kind: .key(.character("q")), modifiers: .alt)
    #expect(KeyTable.standard.command(for: alt) == nil)
  }

  @Test("the help lists every line of the table")
  func help() throws {
    var stage = try Stage(columns: 160, rows: 50)
    stage.press("?")
    stage.frames(20)
    for line in KeyTable.standard.lines {
      #expect(stage.rows.contains { $0.contains(line.keys) && $0.contains(line.text) }, "\(line.keys)")
    }
    stage.press("?")
    stage.frames(20)
    #expect(!stage.text.contains(" keys "))
  }

  @Test("where the help is too long it scrolls, to its end and no further")
  func helpScrolls() throws {
    var stage = try Stage(columns: 60, rows: 16)
    stage.press("?")
    stage.frames(20)
    #expect(stage.text.contains("for more") && !stage.text.contains("close the overlay"))
    for _ in 0..<100 { stage.press(.down) }
    stage.frame()
    #expect(stage.text.contains("close the overlay") && !stage.text.contains("Panels"))
    for _ in 0..<100 { stage.press(.up) }
    stage.frame()
    #expect(stage.text.contains("Panels"))
    stage.press(.escape)
    stage.frames(20)
    #expect(!stage.text.contains("for more"))
  }

  @Test("in the help the wheel, half pages, Home and End scroll, and change nothing behind it")
  func helpMoves() throws {
    var stage = try Stage(columns: 60, rows: 16)
    let window = try #require(stage.screen.context.content?.window)
    stage.press("?")
    stage.frames(20)
    for ticks in [-1, 1] {
      stage.mouse(.wheel(ticks: ticks), x: 30, y: 8)
      stage.frame()
      #expect(stage.text.contains("Panels") == (ticks == 1))
    }
    for (character, isAtTop) in [("d", false), ("u", true)] as [(Character, Bool)] {
      stage.press(.character(character), .control)
      stage.frame()
      #expect(stage.text.contains("Panels") == isAtTop)
    }
    let ends: [(InputEvent.Key, Bool)] = [(.end, true), (.home, false), (.character("G"), true)]
    for (key, isAtEnd) in ends {
      stage.press(key)
      stage.frame()
      #expect(stage.text.contains("close the overlay") == isAtEnd && stage.text.contains("Panels") != isAtEnd)
    }
    #expect(stage.screen.context.content?.window == window && stage.screen.showsHelp)
  }

  @Test(
    "the help shows all keys of a command where there is room, those of a preset first",
    arguments: [
      (.classic, ["↑ ↓ k j", "Home End G", "? h", "+ - = _", "q Ctrl-C"]),
      (.vim, ["k j ↑ ↓", "g g G Home End", "h l ← →", "g t"]), (.less, ["b f PgUp PgDn", "u d", "k j ↑ ↓"]),
    ] as [(DashboardConfiguration.KeyPreset, [String])])
  func allKeys(_ preset: DashboardConfiguration.KeyPreset, _ keys: [String]) throws {
    var stage = try Stage(columns: 160, rows: 50, keys: .preset(preset))
    stage.press("?")
    stage.frames(20)
    for key in keys { #expect(stage.text.contains(" \(key)  "), "\(key)") }
  }

  @Test("the footer hints at keys of the table, help and quit at any width")
  func footer() throws {
    for columns in [60, 80, 120, 200] {
      var stage = try Stage(columns: columns, rows: 24)
      #expect(stage.rows[23].contains("? help") && stage.rows[23].contains("q quit"))
      #expect(!stage.rows[23].contains("µs/frame"))
      stage.press("F")
      stage.frame()
      #expect(stage.rows[23].contains("? help") && stage.rows[23].contains("q quit"))
      #expect(stage.rows[23].contains("71 µs/frame") && stage.rows[23].contains("702 B"))
    }
  }

  @Test("keys that concern the terminal are handed on")
  func effects() throws {
    var stage = try Stage()
    stage.press("m")
    stage.press("m")
    stage.press(.character("l"), .control)
    stage.press(.character("z"), .control)
    stage.press(.character("c"), .control)
    #expect(stage.effects == [.releaseMouse(true), .releaseMouse(false), .redraw, .suspend, .quit])
  }

  @Test("each key of the plot shows on the plot", arguments: ["l", "y", "v", "a", "+", "-"] as [Character])
  func plotKeys(key: Character) throws {
    // Enough for a 99th percentile to cap the axis at.
    var stage = try Stage(snapshot: SampleRun(seconds: 300, rate: 8).snapshot)
    stage.press("-")
    stage.frame()
    let before = stage.cells(in: stage.screen.context.plotFrame)
    stage.press(key)
    stage.frame()
    #expect(stage.cells(in: stage.screen.context.plotFrame) != before)
  }

  @Test("t goes through the targets and back to all")
  func targets() throws {
    var stage = try Stage(snapshot: SampleRun(targets: ["a", "b"]).snapshot)
    var shown: [[Int]] = []
    for _ in 0..<4 {
      stage.press("t")
      shown.append(stage.screen.context.content?.targets ?? [])
    }
    #expect(shown == [[0], [1], [0, 1], [0]])
  }
}
