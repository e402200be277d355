import Configuration
import ConstraintAnimation
import Testing

@testable import TUI

@Suite("Keys from the configuration")
struct RebindingTests {
  @Test("take the place of the built-in ones, in what is obeyed, listed and hinted at")
  func rebind() throws {
    let keys = KeyTable.standard.rebound([
      .help: [KeyChord(.function(1))], .zoomIn: [KeyChord(.character("i")), KeyChord(.up, hasControl: true)],
    ])
    var stage = try Stage(columns: 160, rows: 60, keys: keys)
    stage.press("?")
    stage.frames(20)
    #expect(!stage.text.contains(" keys "))
    #expect(stage.rows[59].contains("F1 help"))
    stage.press(.function(1))
    stage.frames(20)
    #expect(
      stage.text.contains(" keys ")
        && stage.rows.contains { $0.contains("i -") && $0.contains("more time in view") })
    #expect(keys.command(for: InputEvent(kind: .key(.up), modifiers: .control)) == .zoomIn)
    #expect(keys.command(for: InputEvent(kind: .key(.character("+")))) == nil)
  }

  @Test("a key that is given away is lost to the one that had it, and Ctrl-C still ends it")
  func takenAway() {
    let keys = KeyTable.standard.rebound([
      .follow: [KeyChord(.character("q"))], .quit: [KeyChord(.character("x"), hasControl: true)],
    ])
    func command(_ character: Character, _ modifiers: InputEvent.Modifiers = []) -> Command? {
      keys.command(for: InputEvent(kind: .key(.character(character)), modifiers: modifiers))
    }
    #expect(command("q") == .follow && command("f") == nil)
    #expect(command("x", .control) == .quit && command("c", .control) == .quit)
    let without = KeyTable.standard.rebound([.quit: []])
    #expect(without.command(for: InputEvent(kind: .key(.character("q")))) == nil)
    #expect(without.command(for: InputEvent(kind: .key(.character("c")), modifiers: .control)) == .quit)
    #expect(without.lines.first { $0.short == "quit" }?.keys == "Ctrl-C")
    let given = KeyTable.standard.rebound([.redraw: [KeyChord(.character("c"), hasControl: true)]])
    #expect(given.command(for: InputEvent(kind: .key(.character("c")), modifiers: .control)) == .redraw)
  }

  @Test("the footer leaves out what has no key left")
  func unbound() throws {
    let keys = KeyTable.standard.rebound([.follow: []])
    let stage = try Stage(columns: 200, rows: 40, keys: keys)
    #expect(!stage.rows[39].contains("follow") && stage.rows[39].contains("q quit"))
  }

  @Test("every command has one name, and every name that is given has a command")
  func names() {
    let bindings = KeyTable.standard.bindings
    #expect(Set(bindings.map(\.action)).count == bindings.count)
    #expect(bindings.allSatisfy { !$0.title.isEmpty && (!$0.strokes.isEmpty || $0.action == .choose) })
  }

  @Test("keys are labeled as they are written")
  func labels() {
    #expect(KeyStroke("l", .control).label == "Ctrl-L" && KeyStroke(.left, .shift).label == "Shift-←")
    #expect(KeyStroke(.left, .shift).plainLabel == "Shift-Left" && KeyStroke(" ").label == "Space")
    #expect(KeyStroke(KeyChord(.tab, hasShift: true)) == KeyStroke(.backTab))
  }
}
