import ConstraintAnimation
import Measurement
import TestKit
import Testing

@testable import TUI
@testable import Terminal

/// All parsers of outside data, all sinks of such data and all text fields, with damaged input from fixed seeds. The tables are
/// ``OutsideParser/all``, ``TextSink/all`` and ``PromptEditor/all``. Each parser and sink has tests of its own, too; damaged
/// HTTP is tested with the running receipt listener in ReceiptListenerFuzzTests.
@Suite struct FuzzTests {
  private static func harmful(_ text: String, but own: Set<Unicode.Scalar> = []) -> String? {
    text.unicodeScalars.first { EscapedText.isHarmful($0) && !own.contains($0) }.map {
      "U+" + String($0.value, radix: 16)
    }
  }

  @Test(arguments: OutsideParser.all, TestLength.isLong ? [1, 2, 3] : [1] as [UInt64])
  func readsOrRefusesInHarmlessWords(_ parser: OutsideParser, seed: UInt64) {
    var damage = Damage(seed: seed)
    for good in parser.good {
      for _ in 0..<parser.rounds {
        let outcome = parser.read(damage.damage(Array(good.utf8)))
        for word in outcome.words {
          #expect(word.unicodeScalars.count < 2000)
          #expect(Self.harmful(word) == nil, "\(word.debugDescription)")
        }
        for value in outcome.values { #expect(value.utf8.count <= outcome.longest) }
      }
    }
  }

  @Test(arguments: OutsideParser.all) func takesWhatIsRight(_ parser: OutsideParser) {
    #expect(!parser.good.isEmpty)
    for good in parser.good {
      let outcome = parser.read(Array(good.utf8))
      #expect(outcome.words.isEmpty == parser.isTaken, "\(outcome.words)")
    }
  }

  @Test(arguments: TextSink.all, [1, 2, 3, 4] as [UInt64])
  func showsNothingThatActs(_ sink: TextSink, seed: UInt64) throws {
    var damage = Damage(seed: seed)
    for _ in 0..<30 {
      let texts = (0..<20).map { _ in damage.text() }
      let shown = try sink.show(texts)
      #expect(Self.harmful(shown, but: sink.own) == nil, "\(sink.name)")
    }
  }

  /// The characters of a text as cells show them.
  private static func cellText(_ text: String) -> String {
    let buffer = CellBuffer(columns: 40, rows: 1)
    let width = buffer.write(text, x: 0, y: 0, style: .plain)
    return (0..<width).map { buffer[$0, 0].text }.joined()
  }

  /// Whatever is typed: the cursor stands on one of the text's own characters, and that is what is drawn under it.
  private static func expectSound(_ stage: inout EditorStage, _ history: String) throws {
    let field = try #require(stage.field, "\(history)")
    #expect((0...field.string.count).contains(field.cursor), "\(history)")
    let (text, cursor) = stage.shown()
    #expect(harmful(text) == nil, "\(history)")
    let under = field.string.dropFirst(field.cursor).first.map { cellText(String($0)) }
    #expect(cursor == under ?? " ", "\(history)")
  }

  @Test(arguments: PromptEditor.all) func takesTextsAndKeysAtEveryPlace(_ editor: PromptEditor) throws {
    var stage = try EditorStage(editor)
    for text in PromptEditor.texts {
      stage.reopen()
      for scalar in text.unicodeScalars where !EscapedText.isHarmful(scalar) {
        stage.send(String(scalar).utf8)
        try Self.expectSound(&stage, text)
      }
      let typed = try #require(stage.field)
      #expect(
        typed.string.unicodeScalars.elementsEqual(text.unicodeScalars.filter { !EscapedText.isHarmful($0) }))
      stage.send("\u{1B}[H".utf8)
      for place in 0...typed.string.count {
        #expect(stage.field?.cursor == place, "\(text)")
        let here = try #require(stage.screen.overlay)
        for key in PromptEditor.keys
        where TestLength.isLong || place % 12 == 0
          || [typed.string.count / 2, typed.string.count].contains(place)
        {
          for _ in 0..<2 { stage.send(key.utf8) }
          try Self.expectSound(&stage, "\(text) at \(place): \(key.debugDescription)")
          stage.screen.open(here)
        }
        stage.send("\u{1B}[C".utf8)
      }
    }
  }

  @Test(arguments: PromptEditor.all, TestLength.isLong ? [1, 2, 3] : [1] as [UInt64])
  func takesAnythingTyped(_ editor: PromptEditor, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var damage = Damage(seed: seed)
    var stage = try EditorStage(editor)
    for _ in 0..<40 {
      stage.reopen()
      var history = ""
      for _ in 0..<12 {
        let piece =
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: PromptEditor.texts.randomElement(using: &generator) ?? ""
          case 1: damage.text()
          default: PromptEditor.keys.randomElement(using: &generator) ?? ""
          }
        history += piece.debugDescription
        // Escape, Enter and what only looks like a key would close it.
        let bytes = PromptEditor.keys.contains(piece) ? piece : "\u{1B}[200~\(piece)\u{1B}[201~"
        stage.send(bytes.utf8)
        guard stage.field != nil else { break }
        try Self.expectSound(&stage, history)
      }
    }
  }
}
