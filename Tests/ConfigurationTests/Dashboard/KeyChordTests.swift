import Testing

@testable import Configuration

@Suite("Keys as people write them") struct KeyChordTests {
  @Test(
    "names, characters and modifiers",
    arguments: [
      ("g", KeyChord(.character("g"))), ("G", KeyChord(.character("G"))), ("?", KeyChord(.character("?"))),
      ("-", KeyChord(.character("-"))), ("ctrl-p", KeyChord(.character("p"), hasControl: true)),
      ("ctrl-P", KeyChord(.character("p"), hasControl: true)),
      ("alt--", KeyChord(.character("-"), hasAlt: true)), ("space", KeyChord(.character(" "))),
      ("shift-left", KeyChord(.left, hasShift: true)), ("page-down", KeyChord(.pageDown)),
      ("f12", KeyChord(.function(12))),
      ("ctrl-alt-a", KeyChord(.character("a"), hasControl: true, hasAlt: true)),
      ("é", KeyChord(.character("é"))), ("shift-tab", KeyChord(.tab, hasShift: true)),
    ])
  func read(text: String, chord: KeyChord) throws {
    #expect(try KeyChord.parse(text) == chord)
  }

  @Test(
    "what is none is refused",
    arguments: [
      "", "f0", "f13", "f1x", "gg", "ctrl-", "ctrl-1", "shift-g", "SPACE!", "\u{1B}", "\u{200B}", "super-x",
    ])
  func refused(text: String) {
    #expect(throws: ValueTextError.self) { try KeyChord.parse(text) }
  }
}
