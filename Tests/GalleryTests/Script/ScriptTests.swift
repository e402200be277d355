import ConstraintAnimation
import Testing

@testable import gallery

@Suite struct ScriptTests {
  @Test func readsEveryCommand() throws {
    let script = try Script(
      """
      key 2 space shift+left control+x  # two keys and more
      press 4,5; drag 10,5 100ms; drag 3,3; release; click 7,8
      wheel -3 40,12 control
      wait 250ms; frames 3; settle; resize 100x30
      screen curves
      print; film 2
      """)
    #expect(
      script.commands == [
        .key(.character("2"), []), .key(.character(" "), []), .key(.left, .shift),
        .key(.character("x"), .control), .press(x: 4, y: 5), .drag(x: 10, y: 5, milliseconds: 100),
        .drag(x: 3, y: 3, milliseconds: 200), .release, .click(x: 7, y: 8),
        .wheel(ticks: -3, x: 40, y: 12, .control), .wait(milliseconds: 250), .frames(3), .settle,
        .resize(columns: 100, rows: 30), .screen("curves"), .print, .film(2),
      ])
  }

  @Test(
    "what cannot be understood is refused with its line",
    arguments: [
      "kye 2", "key", "key nosuchkey", "press 4", "press a,b", "drag 1,2 3", "release now",
      "wheel 3 4,4 hyper",
      "wait 250", "wait 999999999ms", "frames 0", "frames 99999999999999999999", "resize 0x0", "resize 80",
      "screen nowhere", "print it",
    ])
  func refuses(text: String) {
    #expect {
      try Script("print\n\(text)")
    } throws: { error in
      (error as? ScriptError)?.line == 2
    }
  }

  @Test func playsWithoutATerminal() throws {
    var printed: [String] = []
    let gallery = Gallery(columns: 80, rows: 24)
    let player = ScriptPlayer(gallery: gallery) { printed.append($0) }
    player.play(try Script("film 2; key 2; frames 8; print; settle; resize 60x20; print"))
    #expect(printed.count == 4)
    #expect(printed[0] == printed[1])
    #expect(printed[2].contains("log · sliding"))
    #expect(printed[3].contains("log · at rest"))
    #expect(printed[3].split(separator: "\n", omittingEmptySubsequences: false).count == 21)
    #expect(printed.allSatisfy { $0.hasPrefix(" Sliding panels") })
  }

  @Test func aScriptThatPrintsNothingPrintsItsEnd() throws {
    var printed: [String] = []
    let player = ScriptPlayer(gallery: Gallery(columns: 80, rows: 24)) { printed.append($0) }
    player.play(try Script("screen pages; press 70,10; drag 10,10 1500ms; release; settle"))
    #expect(printed.count == 1)
    #expect(printed.first?.contains("page 2") == true)
  }

  @Test func quittingEndsTheScript() throws {
    var printed: [String] = []
    let player = ScriptPlayer(gallery: Gallery(columns: 80, rows: 24)) { printed.append($0) }
    player.play(try Script("print; key q; print; print"))
    #expect(printed.count == 1)
  }
}
