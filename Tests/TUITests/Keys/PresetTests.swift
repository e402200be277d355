import Configuration
import ConstraintAnimation
import Testing

@testable import TUI

@Suite("Presets of keys")
struct PresetTests {
  private static func command(_ keys: KeyTable, _ characters: Character...) -> Command? {
    var sequence = KeySequence()
    var result: Command?
    for character in characters {
      if case .command(let command) = sequence.match(InputEvent(kind: .key(.character(character))), in: keys)
      {
        result = command
      }
    }
    return result
  }

  @Test("classic keeps the keys that were there before")
  func classic() {
    let keys = KeyTable.preset(.classic)
    let before: [(Character, Command)] = [
      ("l", .toggleScale), ("y", .toggleRange), ("g", .goTo), ("h", .help), ("k", .scroll(rows: -1)),
      ("j", .scroll(rows: 1)), ("d", .nextArrangement), ("u", .nextColoring), ("b", .nextBuckets),
      ("f", .follow), ("q", .quit), (" ", .freeze), ("J", .chooseNext), ("K", .choosePrevious),
    ]
    for (key, command) in before { #expect(Self.command(keys, key) == command, "\(key)") }
    #expect(Self.command(keys, "G") == .scrollToEnd && Self.command(keys, "0") == .fitRun)
  }

  @Test("vim and less do what fingers expect", arguments: [DashboardConfiguration.KeyPreset.vim, .less])
  func fingers(_ preset: DashboardConfiguration.KeyPreset) {
    let keys = KeyTable.preset(preset)
    #expect(Self.command(keys, "h") == .pan(eighths: -1) && Self.command(keys, "l") == .pan(eighths: 1))
    #expect(Self.command(keys, "j") == .scroll(rows: 1) && Self.command(keys, "k") == .scroll(rows: -1))
    #expect(Self.command(keys, "g", "g") == .scrollToStart && Self.command(keys, "G") == .scrollToEnd)
    #expect(Self.command(keys, "g", "t") == .goTo && Self.command(keys, "g") == nil)
    // Two keys that mean nothing together do nothing, and the next key is as always.
    #expect(Self.command(keys, "g", "q") == nil && Self.command(keys, "g", "q", "q") == .quit)
    for (letter, command) in [("d", Command.halfPage(1)), ("u", .halfPage(-1))] as [(Character, Command)] {
      let event = InputEvent(kind: .key(.character(letter)), modifiers: .control)
      #expect(keys.command(for: event) == command)
    }
  }

  @Test("no preset gives a key twice or leaves an action of the default keys without one")
  func complete() {
    let without = KeyTable.standard.bindings.filter(\.strokes.isEmpty).map(\.action)
    for preset in DashboardConfiguration.KeyPreset.allCases {
      let bindings = KeyTable.preset(preset).bindings
      let strokes = bindings.flatMap(\.strokes)
      #expect(Set(strokes).count == strokes.count)
      #expect(bindings.filter(\.strokes.isEmpty).map(\.action) == without, "\(preset)")
    }
  }

  @Test("the first of two keys waits for the second, in the real screen")
  func waits() throws {
    var stage = try Stage(motion: .none, keys: .preset(.vim))
    stage.press("2")
    stage.press("g")
    stage.press("g")
    #expect(stage.screen.state.lists.log != .end)
    stage.press("G")
    #expect(stage.screen.state.lists.log == .end)
    stage.press("g")
    stage.press("t")
    #expect(stage.screen.overlay != nil)
    #expect(KeyStroke(.character("g"), after: "g").label == "g g")
  }
}
