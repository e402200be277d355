import Configuration
import ConstraintAnimation
import Terminal
import Testing

@testable import TUI

@Suite("Leaving what lies on top")
struct ClosingTests {
  /// Everything that lies on top and is no text: how it is opened, and how to tell that it is there.
  static let opened: [(name: String, keys: [InputEvent.Key], isOpen: @Sendable (DashboardScreen) -> Bool)] = [
    ("help", [.character("?")], { $0.showsHelp }),
    ("formats", [.character("x")], { $0.overlay is ExportChooser }),
    (
      "list of selected notifications", [.character("J"), .enter],
      { $0.overlay is SelectionList }
    ),
    (
      "question", [.character("4"), .down, .character("X")],
      { $0.overlay is Question }
    ),
  ]

  private static func open(_ place: Int, keys: KeyTable = .standard) throws -> Stage {
    var stage = try Stage(motion: .none, keys: keys, snapshot: RunsPanelTests.snapshot(4))
    for key in opened[place].keys { stage.press(key) }
    stage.frame()
    #expect(opened[place].isOpen(stage.screen), "\(opened[place].name)")
    return stage
  }

  @Test("q closes help, menus, lists and questions, and only then quits", arguments: opened.indices)
  func quitKeyCloses(_ place: Int) throws {
    var stage = try Self.open(place)
    stage.press("q")
    #expect(stage.effects.isEmpty && !Self.opened[place].isOpen(stage.screen))
    stage.press("q")
    #expect(stage.effects == [.quit])
  }

  @Test("Ctrl-C quits from anywhere", arguments: opened.indices)
  func interrupt(_ place: Int) throws {
    var stage = try Self.open(place)
    stage.press(.character("c"), .control)
    #expect(stage.effects == [.quit])
  }

  @Test("another key that quits closes as well; one with Ctrl quits", arguments: opened.indices)
  func rebound(_ place: Int) throws {
    let keys = KeyTable.standard.rebound([
      .quit: [KeyChord(.function(10)), KeyChord(.character("q"), hasControl: true)]
    ])
    var stage = try Self.open(place, keys: keys)
    stage.press(.function(10))
    #expect(stage.effects.isEmpty && !Self.opened[place].isOpen(stage.screen))
    stage = try Self.open(place, keys: keys)
    stage.press(.character("q"), .control)
    #expect(stage.effects == [.quit])
  }

  @Test("q closes a box and the crosshair like Escape, and only then quits; Ctrl-C quits at once")
  func pointer() throws {
    var stage = try Stage(motion: .none)
    stage.press("i")
    stage.press("z")
    stage.press("q")
    #expect(stage.screen.state.plot.box == nil && stage.screen.state.plot.holdsCrosshair)
    stage.press("q")
    #expect(!stage.screen.state.plot.holdsCrosshair && stage.effects.isEmpty)
    stage.press("q")
    #expect(stage.effects == [.quit])
    stage = try Stage(motion: .none)
    stage.press("z")
    stage.press(.character("c"), .control)
    #expect(stage.effects == [.quit])
  }

  @Test("help above a list closes first, then the list")
  func helpAboveList() throws {
    var stage = try Self.open(2)
    stage.press("?")
    #expect(stage.screen.showsHelp)
    stage.press("q")
    #expect(!stage.screen.showsHelp && Self.opened[2].isOpen(stage.screen))
    stage.press("q")
    #expect(stage.screen.overlay == nil && stage.effects.isEmpty)
  }

  @Test("in a prompt and in the palette q is a letter", arguments: ["g", "/", ":"])
  func typing(_ key: Character) throws {
    var stage = try Stage(motion: .none)
    stage.press(key)
    stage.press("q")
    stage.frame()
    #expect(stage.effects.isEmpty && stage.screen.overlay != nil && stage.text.contains("> q"))
    stage.press(.escape)
    #expect(stage.screen.overlay == nil && stage.effects.isEmpty)
  }

  @Test("the palette's own quit quits, and so does a screen that only says what is wrong")
  func otherWays() throws {
    var stage = try Stage(motion: .none)
    stage.press(":")
    for character in "quit" { stage.press(character) }
    stage.press(.enter)
    #expect(stage.effects == [.quit])
    var missing = SampleRun().snapshot
    missing.condition = .empty
    stage = try Stage(motion: .none, snapshot: missing)
    stage.press("q")
    #expect(stage.effects == [.quit])
  }

  @Test("the last line names the keys that hold: of closing while something lies on top")
  func footer() throws {
    for place in Self.opened.indices {
      var stage = try Self.open(place)
      // What was selected is said in the last line, until a key is pressed.
      stage.screen.show(nil)
      stage.frame()
      let last = try #require(stage.rows.last)
      #expect(last.contains("Esc close  Ctrl-C quit") && !last.contains("q quit"), "\(last)")
      stage.press("q")
      stage.frame()
      #expect(stage.rows.last?.contains("q quit") == true)
    }
  }
}
